"""The simulated executor: plays a migration phase by phase against the bandwidth that is really there."""

from collections.abc import Callable, Generator
from math import inf, nan
from typing import Any

from simpy import Environment, Event, Interrupt

from pam import PamParameters, play
from pam.migration import MigrationPlan, MigrationRecord, MigrationState, Phase, PhaseRecord, Step
from sim.network import Link, Network
from sim.topology import Topology


class SimulatedExecutor:
    """Carries out plans in simulated time.

    A failed link before Stop&Copy costs nothing; in Stop&Copy the source resumes, which takes `resume_s`; in the
    page-fault phase of post-copy the state is lost and the service starts anew at the destination, which takes
    `restart_s`. An interrupt cancels a migration whose service still runs at the source and is ignored later on.
    """

    def __init__(
        self,
        environment: Environment,
        network: Network,
        topology: Topology,
        parameters: PamParameters,
        actual_pages_per_s: Callable[[str], float],
        resume_s: float,
        restart_s: float,
    ) -> None:
        self._environment = environment
        self._network = network
        self._topology = topology
        self._parameters = parameters
        self._actual_pages_per_s = actual_pages_per_s
        self._resume_s = resume_s
        self._restart_s = restart_s

    def migrate(self, plan: MigrationPlan, on_resumed: Callable[[], None]) -> Generator[Event, Any, MigrationRecord]:
        """Carry out `plan`; see `pam.migration.Executor`."""
        run = _Run(self._environment.now)
        task = plan.task
        nodes = self._topology.path(task.source, task.destination)
        if nodes is None:
            reason = f"no path from {task.source} to {task.destination}"
            return run.record(plan, MigrationState.FAILED, task.source, self._environment.now, reason)
        try:
            return (yield from self._play(plan, run, self._network.path(nodes), on_resumed))
        except (Interrupt, _Cancelled):
            run.cut(self._environment.now)
            return run.record(
                plan, MigrationState.CANCELLED, task.source, self._environment.now, "cancelled before Stop&Copy"
            )

    def _play(
        self, plan: MigrationPlan, run: "_Run", links: tuple[Link, ...], on_resumed: Callable[[], None]
    ) -> Generator[Event, Any, MigrationRecord]:
        environment = self._environment
        # What the orchestrator has reserved is used to the full, and no more.
        reserved_bps = plan.bandwidth_bps if plan.task.reserve else None
        steps = play(plan, self._actual_pages_per_s(plan.task.service), self._parameters)
        phases = run.phases
        resumed = False
        # Processing takes a known time, so it is added up and waited for in one go before anybody else is concerned.
        started_s = run.started_s
        step: Step | None = next(steps)
        while step is not None:
            phase, number, elapsed_s, volume_bytes, down = step
            if down and run.down_from_s == inf:
                run.down_from_s = started_s
            resumes = phase is Phase.PAGE_FAULT and not resumed
            if (volume_bytes > 0.0 or resumes) and started_s > environment.now:
                yield from _wait(environment.timeout(started_s - environment.now), run, environment)
                started_s = environment.now
            if resumes:
                resumed = True
                on_resumed()
            if volume_bytes <= 0.0:
                phases.append(PhaseRecord(phase, number, started_s, elapsed_s, 0.0, down))
                started_s += elapsed_s
            else:
                flow = self._network.start(links, volume_bytes, reserved_bps)
                try:
                    arrived = yield from _wait(flow.done, run, environment)
                except Interrupt:
                    self._network.cancel(flow)
                    arrived = None
                now_s = environment.now
                elapsed_s = now_s - started_s
                sent_bytes = volume_bytes if arrived else flow.sent_bytes(now_s)
                phases.append(PhaseRecord(phase, number, started_s, elapsed_s, sent_bytes, down))
                if arrived is None:
                    raise _Cancelled
                if not arrived:
                    return (yield from self._fail(plan, run, phase, down))
                started_s = now_s
            try:
                step = steps.send(elapsed_s)
            except StopIteration:
                step = None
        if started_s > environment.now:
            yield from _wait(environment.timeout(started_s - environment.now), run, environment)
        return run.record(plan, MigrationState.COMPLETED, plan.task.destination, environment.now, "")

    def _fail(
        self, plan: MigrationPlan, run: "_Run", phase: Phase, down: bool
    ) -> Generator[Event, Any, MigrationRecord]:
        if phase is Phase.PAGE_FAULT:
            run.lost_s = self._restart_s
            yield from _wait(self._environment.timeout(self._restart_s), run, self._environment)
            return run.record(
                plan, MigrationState.FAILED, plan.task.destination, self._environment.now, "link failed, state lost"
            )
        if down:
            run.lost_s = self._resume_s
            yield from _wait(self._environment.timeout(self._resume_s), run, self._environment)
            reason = "link failed in Stop&Copy, source resumed"
        else:
            reason = "link failed in pre-copy, source went on"
        return run.record(plan, MigrationState.FAILED, plan.task.source, self._environment.now, reason)


class _Cancelled(Exception):
    """A transfer was cancelled, and what it had sent is noted."""


def _wait(event: Event, run: "_Run", environment: Environment) -> Generator[Event, Any, Any]:
    """Wait for `event`; once the service is down, nobody may cancel any more."""
    while True:
        try:
            return (yield event)
        except Interrupt:
            if environment.now < run.down_from_s:
                raise


class _Run:
    """What has happened so far in one migration."""

    __slots__ = ("down_from_s", "lost_s", "phases", "started_s")

    def __init__(self, started_s: float) -> None:
        self.started_s = started_s
        self.down_from_s = inf
        self.lost_s = 0.0
        self.phases: list[PhaseRecord] = []

    def cut(self, now_s: float) -> None:
        """Forget what lies ahead: processing is noted before it is waited for."""
        begun = [phase for phase in self.phases if phase.started_s < now_s]
        self.phases = [phase._replace(duration_s=min(phase.duration_s, now_s - phase.started_s)) for phase in begun]
        self.down_from_s = inf

    def record(
        self, plan: MigrationPlan, state: MigrationState, runs_at: str, ended_s: float, reason: str
    ) -> MigrationRecord:
        downtime_s = self.lost_s
        sent_bytes = 0.0
        for _phase, _number, _started_s, duration_s, phase_bytes, down in self.phases:
            sent_bytes += phase_bytes
            if down:
                downtime_s += duration_s
        down_from_s = nan if self.down_from_s == inf else self.down_from_s
        return MigrationRecord(
            plan,
            state,
            runs_at,
            self.started_s,
            ended_s,
            down_from_s,
            downtime_s,
            sent_bytes,
            reason,
            tuple(self.phases),
        )
