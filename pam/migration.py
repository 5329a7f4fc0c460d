"""The vocabulary of migration: what is asked for, what is planned and what happened.

Every back-end shares these types: the simulated executor and one that moves real containers take the same
`MigrationPlan` and return the same `MigrationRecord`, so that predicted and measured figures are two columns of
one table. They are named tuples: as immutable as frozen dataclasses, and made in a quarter of the time, which counts
where a city migrates a hundred thousand times.
"""

from collections.abc import Callable, Generator
from enum import StrEnum
from typing import Any, NamedTuple, Protocol


class Strategy(StrEnum):
    """How the state of a service is moved.

    Cold stops the service and copies everything. Pre-copy sends the state ahead while the service runs and copies
    the dirty pages at the end (I = 0); iterative pre-copy repeats that for I >= 1 dump iterations. Post-copy resumes
    at the destination first and fetches pages on demand; hybrid sends the state ahead and fetches the dirty pages.
    """

    COLD = "cold"
    PRE_COPY = "pre-copy"
    ITERATIVE_PRE_COPY = "iterative-pre-copy"
    POST_COPY = "post-copy"
    HYBRID = "hybrid"


class Objective(StrEnum):
    """What a migration is to minimise: downtime (MD) or resources (MR)."""

    MINIMIZE_DOWNTIME = "md"
    MINIMIZE_RESOURCES = "mr"


class Phase(StrEnum):
    """The parts a migration consists of, in the order in which they can occur."""

    PRE_DUMP = "pre-dump"
    DUMP = "dump"
    NAMESPACE_CLEAR = "namespace-clear"
    TRANSFER = "transfer"
    NAMESPACE_CONFIGURE = "namespace-configure"
    FLOW_UPDATE = "flow-update"
    RESTORE = "restore"
    PAGE_FAULT = "page-fault"


class MigrationState(StrEnum):
    """Where a migration stands; a finished one is completed, failed or cancelled."""

    NONE = "none"
    SETUP = "setup"
    ACTIVE = "active"
    PRE_SWITCHOVER = "pre-switchover"
    DEVICE = "device"
    POSTCOPY_ACTIVE = "postcopy-active"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"


class MigrationTask(NamedTuple):
    """One service to be moved, as handed to the planner.

    `state_bytes` is M, `dirty_page_rate` the normalised r in [0, 1] (worst case over the service's life), `target_s`
    the largest migration duration (MD) or downtime (MR), `available_bandwidth_bps` the most that the path from source
    to destination can give. `coat` adds the steps that keep address and connection. `reserve` asks for the planned
    bandwidth to be held on the path; without it the transfer shares the links with whatever else is on them.
    """

    service: str
    source: str
    destination: str
    objective: Objective
    target_s: float
    state_bytes: float
    dirty_page_rate: float
    available_bandwidth_bps: float
    coat: bool = True
    reserve: bool = True


class Step(NamedTuple):
    """One thing an executor does: process for `processing_s`, or move `volume_bytes` across the link.

    `round` is 0 for the pre-dump, i for the i-th dump iteration and I + 1 for Stop&Copy. `service_down` tells whether
    the service is silent meanwhile.
    """

    phase: Phase
    round: int
    processing_s: float
    volume_bytes: float
    service_down: bool


class MigrationPlan(NamedTuple):
    """What to do for a task and what it will cost at most.

    `bandwidth_bps` is what to reserve, `iterations` is I. `steps` are the worst-case steps behind the predicted
    figures. `feasible` tells whether the target is met, `reason` why this strategy was chosen or why the target
    cannot be met.
    """

    task: MigrationTask
    strategy: Strategy
    bandwidth_bps: float
    iterations: int
    steps: tuple[Step, ...]
    predicted_downtime_s: float
    predicted_duration_s: float
    predicted_bytes: float
    feasible: bool
    reason: str


class PhaseRecord(NamedTuple):
    """One step as it happened; `started_s` is in the time of the run."""

    phase: Phase
    round: int
    started_s: float
    duration_s: float
    transferred_bytes: float
    service_down: bool


class MigrationRecord(NamedTuple):
    """One migration as it happened: the outcome, the two KPIs and every phase.

    Times are in the time of the run. `down_from_s` is when the service fell silent (NaN if it never did);
    `downtime_s` its length. `state` is completed, failed or cancelled, `reason` says why if not completed. `runs_at`
    is the host on which the one instance of the service runs afterwards.
    """

    plan: MigrationPlan
    state: MigrationState
    runs_at: str
    started_s: float
    ended_s: float
    down_from_s: float
    downtime_s: float
    transferred_bytes: float
    reason: str = ""
    phases: tuple[PhaseRecord, ...] = ()

    @property
    def duration_s(self) -> float:
        """Total migration duration in seconds, from the first step to the last (PAM eq. 1)."""
        return self.ended_s - self.started_s


class Executor(Protocol):
    """The seam to hardware: whatever can carry out a plan inside a SimPy process.

    Used as ``record = yield from executor.migrate(plan, on_resumed)``. The generator yields SimPy events; the
    simulated back-end's are time-outs and transfers, a real back-end's fire when its agents report.
    """

    def migrate(self, plan: MigrationPlan, on_resumed: Callable[[], None]) -> Generator[Any, Any, MigrationRecord]:
        """Carry out `plan` and return what happened. A failed migration is a record, not an exception.

        `on_resumed` is called when the service runs at the destination while its migration still goes on, as in the
        page-fault phase of post-copy and hybrid.
        """
        ...
