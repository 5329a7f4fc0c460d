"""The planner: which strategy, which bandwidth and how many iterations a migration should use.

The algorithm is MOSE's (Calagna, Yu, Giaccone, Chiasserini, "MOSE", Sec. IV-C and Fig. 5) over the worst case of PAM.
"""

from functools import lru_cache
from math import inf, isfinite
from typing import NamedTuple

from pam import model
from pam.migration import MigrationPlan, MigrationTask, Objective, Step, Strategy
from pam.parameters import TABLE_III, PamParameters
from pam.strategies import cost, worst_case_steps

MOST_ITERATIONS = 1000
"""No plan has more dump iterations: a restore needs the directories of all of them, and a plan lists every step."""


_POSITIVE = {"target_s": "s", "state_bytes": "bytes", "available_bandwidth_bps": "bit/s"}


class _Demand(NamedTuple):
    """What a plan depends on: a task without its names, so that equal demands are planned once."""

    objective: Objective
    target_s: float
    state_bytes: float
    dirty_page_rate: float
    available_bandwidth_bps: float
    coat: bool


class _Choice(NamedTuple):
    """A plan without its task; the fields are those of `MigrationPlan`, in its order."""

    strategy: Strategy
    bandwidth_bps: float
    iterations: int
    steps: tuple[Step, ...]
    downtime_s: float
    duration_s: float
    volume_bytes: float
    feasible: bool
    reason: str


def plan(task: MigrationTask, parameters: PamParameters = TABLE_III) -> MigrationPlan:
    """Choose strategy, bandwidth and iterations for `task`.

    To minimise downtime (MD): all available bandwidth, iterative pre-copy with the most iterations (eq. 34) whose
    duration meets the target, else pre-copy without any, else cold. To minimise resources (MR): cold, with the least
    bandwidth (eq. 33) whose downtime meets the target, else with all that is available. Raises ValueError if a field
    of the task is out of range.
    """
    return MigrationPlan(task, *_plan(_demand(task), parameters))


def evaluate(
    task: MigrationTask,
    strategy: Strategy,
    bandwidth_bps: float,
    iterations: int = 0,
    parameters: PamParameters = TABLE_III,
) -> MigrationPlan:
    """Cost one given configuration of `task`; `feasible` tells whether it meets the task's target.

    Raises ValueError if a field of the task, the bandwidth (above 0, at most what is available) or the iterations
    are out of range.
    """
    demand = _demand(task)
    if not 0.0 < bandwidth_bps <= task.available_bandwidth_bps:
        raise ValueError(
            f"bandwidth_bps is {bandwidth_bps} bit/s; it must be above 0 and at most the "
            f"{task.available_bandwidth_bps:g} bit/s available"
        )
    if iterations > MOST_ITERATIONS:
        raise ValueError(f"iterations is {iterations}; at most {MOST_ITERATIONS} are planned")
    return MigrationPlan(task, *_evaluate(demand, strategy, bandwidth_bps, iterations, parameters))


def _demand(task: MigrationTask) -> _Demand:
    for name, unit in _POSITIVE.items():
        value = getattr(task, name)
        if not 0.0 < value < inf:
            raise ValueError(f"{name} of service {task.service!r} is {value}; it must be a number of {unit} above 0")
    if not 0.0 <= task.dirty_page_rate <= 1.0:
        raise ValueError(
            f"dirty_page_rate of service {task.service!r} is {task.dirty_page_rate}; "
            "it is normalised, from 0 (R_min) to 1 (R_max), without unit"
        )
    return _Demand(
        task.objective,
        task.target_s,
        task.state_bytes,
        task.dirty_page_rate,
        task.available_bandwidth_bps,
        task.coat,
    )


@lru_cache(maxsize=512)
def _plan(demand: _Demand, parameters: PamParameters) -> _Choice:
    if Objective(demand.objective) is Objective.MINIMIZE_RESOURCES:
        return _minimize_resources(demand, parameters)
    return _minimize_downtime(demand, parameters)


def _minimize_downtime(demand: _Demand, parameters: PamParameters) -> _Choice:
    bandwidth_bps = demand.available_bandwidth_bps
    most = model.most_iterations(
        demand.state_bytes, demand.dirty_page_rate, bandwidth_bps, demand.target_s, parameters, coat=demand.coat
    )
    # Eq. 34 and the sum over the steps can differ in the last digit; the sum is what the plan promises.
    for iterations in range(min(int(most), MOST_ITERATIONS), -1, -1):
        strategy = Strategy.ITERATIVE_PRE_COPY if iterations else Strategy.PRE_COPY
        chosen = _evaluate(demand, strategy, bandwidth_bps, iterations, parameters)
        if chosen.feasible:
            return chosen
    cold = _evaluate(demand, Strategy.COLD, bandwidth_bps, 0, parameters)
    ahead_s = _evaluate(demand, Strategy.PRE_COPY, bandwidth_bps, 0, parameters).duration_s
    return cold._replace(reason=f"pre-copy would take up to {ahead_s:.3f} s; {cold.reason}")


def _minimize_resources(demand: _Demand, parameters: PamParameters) -> _Choice:
    least = model.least_bandwidth(demand.state_bytes, 1.0, demand.target_s, parameters, coat=demand.coat)
    # Eq. 33 is a strict bound: a billionth more keeps rounding from missing the target.
    bandwidth_bps = float(least) * (1.0 + 1e-9)
    if bandwidth_bps < demand.available_bandwidth_bps:
        chosen = _evaluate(demand, Strategy.COLD, bandwidth_bps, 0, parameters)
        if chosen.feasible:
            return chosen
    cold = _evaluate(demand, Strategy.COLD, demand.available_bandwidth_bps, 0, parameters)
    needed = f"the target needs {bandwidth_bps / 1e6:.2f} Mbit/s" if isfinite(least) else "processing alone is too long"
    return cold._replace(reason=f"{needed}; {cold.reason}")


@lru_cache(maxsize=512)
def _evaluate(
    demand: _Demand, strategy: Strategy, bandwidth_bps: float, iterations: int, parameters: PamParameters
) -> _Choice:
    steps = worst_case_steps(strategy, demand.state_bytes, demand.dirty_page_rate, iterations, parameters, demand.coat)
    downtime_s, duration_s, volume_bytes = cost(steps, bandwidth_bps)
    resources = Objective(demand.objective) is Objective.MINIMIZE_RESOURCES
    counted_s, kind = (downtime_s, "downtime") if resources else (duration_s, "duration")
    feasible = counted_s <= demand.target_s
    rounds = f" with I = {iterations}" if strategy is Strategy.ITERATIVE_PRE_COPY else ""
    reason = (
        f"{strategy.value}{rounds} at {bandwidth_bps / 1e6:.2f} Mbit/s takes a {kind} of at most {counted_s:.3f} s, "
        f"which {'meets' if feasible else 'misses'} the target of {demand.target_s:g} s"
    )
    return _Choice(strategy, bandwidth_bps, iterations, steps, downtime_s, duration_s, volume_bytes, feasible, reason)
