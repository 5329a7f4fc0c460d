"""The strategies of migration as sequences of steps: the worst case beforehand, and what follows as it happens.

Cold, pre-copy and iterative pre-copy are the PAM paper's (Secs. II-A, III-B). Post-copy and hybrid go beyond it; the
paper holds no figures for them. They rest on lab measurements with CRIU's lazy pages under runC at 1 Gbit/s:

- Post-copy of 100 MB of state had a downtime of 0.326 s (90 % interval +/- 0.023 s), against 1.32 s cold with a
  prepared destination. Cold migration of 1 MB took 0.336 s. So the downtime of post-copy is that of a state without
  memory: the dump and the volume are those at R_min, the restore is eq. 26 at M = 0.
- The pages took another 1.27 s. Their 102.4 MB need 0.82 s of a 1 Gbit/s link; the other 0.45 s, 4.4 ns/B, go into
  handling faults (`page_fault_s_per_byte`).
- While pages are missing a service that needs them gets them 1.27 / 0.82 = 1.55 times later than from a plain copy,
  which stands in for its slow-down (`page_fault_slow_down`). It is inferred, not measured at the service.

Hybrid sends a pre-dump ahead. Its restore relocates those pages, eq. 26 in full, and only the pages dirtied since are
fetched late. Nobody has measured it here: it composes the figures above.
"""

from collections.abc import Generator
from math import fsum, isfinite

from pam import model
from pam.migration import MigrationPlan, Phase, Step, Strategy
from pam.parameters import TABLE_III, PamParameters
from pam.recursion import dirtied_pages, dirtied_volume, dirtiness


def worst_case_steps(
    strategy: Strategy,
    state_bytes: float,
    dirty_page_rate: float,
    iterations: int = 0,
    parameters: PamParameters = TABLE_III,
    coat: bool = True,
) -> tuple[Step, ...]:
    """List the steps of a migration whose service is as dirty as it ever gets (eqs. 27-32).

    Each step either takes `processing_s` or moves `volume_bytes`. Stop&Copy has round I + 1. Raises ValueError if
    `iterations` does not go with the strategy.
    """
    check_iterations(strategy, iterations)
    if strategy is Strategy.COLD:
        return _stop_and_copy(1, state_bytes, 1.0, state_bytes, parameters, coat)
    if strategy is Strategy.POST_COPY:
        resumed = _stop_and_copy(1, state_bytes, 0.0, 0.0, parameters, coat)
        return resumed + _page_fault_phase(float(model.dump_volume(state_bytes, 1.0, parameters)), parameters)
    ahead = _pre_dump(state_bytes, parameters)
    if strategy is Strategy.HYBRID:
        resumed = _stop_and_copy(1, state_bytes, 0.0, state_bytes, parameters, coat)
        late_bytes = float(model.dump_volume(state_bytes, dirty_page_rate, parameters))
        return ahead + resumed + _page_fault_phase(late_bytes, parameters)
    dump_s = float(model.dump_duration(state_bytes, dirty_page_rate, parameters))
    volume = float(model.dump_volume(state_bytes, dirty_page_rate, parameters))
    between = tuple(
        step
        for each in range(1, iterations + 1)
        for step in (Step(Phase.DUMP, each, dump_s, 0.0, False), Step(Phase.TRANSFER, each, 0.0, volume, False))
    )
    last = _stop_and_copy(iterations + 1, state_bytes, dirty_page_rate, state_bytes, parameters, coat)
    return ahead + between + last


def check_iterations(strategy: Strategy, iterations: int) -> None:
    """Raise ValueError unless `iterations` (I) goes with `strategy`."""
    if strategy is Strategy.ITERATIVE_PRE_COPY and iterations < 1:
        raise ValueError(f"iterations is {iterations}; {strategy.value} takes I of 1 or more (I = 0 is pre-copy)")
    if strategy is not Strategy.ITERATIVE_PRE_COPY and iterations != 0:
        raise ValueError(f"iterations is {iterations}; {strategy.value} has none, I must be 0")


def cost(steps: tuple[Step, ...], bandwidth_bps: float) -> tuple[float, float, float]:
    """Downtime in s, duration in s and bytes moved of `steps`, one after the other at a constant bandwidth."""
    times = [step.processing_s + float(model.transfer_time(step.volume_bytes, bandwidth_bps)) for step in steps]
    down = fsum(time for step, time in zip(steps, times, strict=True) if step.service_down)
    return down, fsum(times), fsum(step.volume_bytes for step in steps)


def play(
    plan: MigrationPlan, actual_pages_per_s: float, parameters: PamParameters = TABLE_III
) -> Generator[Step, float, None]:
    """Yield the steps of `plan` as they come; send back how long each one took, in s.

    What a later round has to move follows from how long the round before it really took and from the rate at which
    the service really dirties pages (eqs. 5-6), so a slow link makes the next round larger, up to the plan's worst
    case. A rate above the task's own worst case counts as the worst case. Cold and post-copy move everything once,
    whatever the rate. Raises ValueError if the rate is negative or not finite.
    """
    if not (isfinite(actual_pages_per_s) and actual_pages_per_s >= 0.0):
        raise ValueError(f"actual_pages_per_s is {actual_pages_per_s}; it takes 0 pages/s or more")
    if plan.strategy in (Strategy.COLD, Strategy.POST_COPY):
        for step in plan.steps:
            yield step
        return
    state_bytes, worst_rate = plan.task.state_bytes, plan.task.dirty_page_rate
    worst_bytes = float(model.dump_volume(state_bytes, worst_rate, parameters))
    hybrid = plan.strategy is Strategy.HYBRID
    moves_dirty_pages = Phase.PAGE_FAULT if hybrid else Phase.TRANSFER
    since_dump_s, share = 0.0, 1.0
    frozen_s = float(model.predump_frozen_time(state_bytes, parameters))
    for step in plan.steps:
        actual = step
        if step.phase is Phase.DUMP:
            running_s = since_dump_s - frozen_s
            pages = float(dirtied_pages(actual_pages_per_s, running_s, state_bytes, worst_rate, parameters))
            share = float(dirtied_volume(pages, state_bytes, worst_rate, parameters)) / worst_bytes
            rate = 0.0 if hybrid else float(dirtiness(pages, state_bytes, worst_rate, parameters))
            actual = step._replace(processing_s=float(model.dump_duration(state_bytes, rate, parameters)))
            since_dump_s, frozen_s = 0.0, float(model.dump_frozen_time(state_bytes, rate, parameters))
        elif step.round > 0 and step.phase is moves_dirty_pages:
            actual = step._replace(processing_s=step.processing_s * share, volume_bytes=step.volume_bytes * share)
        since_dump_s += yield actual


def _pre_dump(state_bytes: float, parameters: PamParameters) -> tuple[Step, ...]:
    predump_s = float(model.predump_duration(state_bytes, parameters))
    volume = float(model.predump_volume(state_bytes, parameters))
    return Step(Phase.PRE_DUMP, 0, predump_s, 0.0, False), Step(Phase.TRANSFER, 0, 0.0, volume, False)


def _stop_and_copy(
    round_number: int,
    state_bytes: float,
    dirty_page_rate: float,
    relocated_bytes: float,
    parameters: PamParameters,
    coat: bool,
) -> tuple[Step, ...]:
    dump_s = float(model.dump_duration(state_bytes, dirty_page_rate, parameters))
    volume = float(model.dump_volume(state_bytes, dirty_page_rate, parameters))
    restore_s = float(model.restore_duration(relocated_bytes, parameters))
    parts = (
        (Phase.DUMP, dump_s, 0.0),
        (Phase.NAMESPACE_CLEAR, parameters.namespace_clear_s, 0.0),
        (Phase.TRANSFER, 0.0, volume),
        (Phase.NAMESPACE_CONFIGURE, parameters.namespace_configure_s, 0.0),
        (Phase.FLOW_UPDATE, parameters.flow_update_s, 0.0),
        (Phase.RESTORE, restore_s, 0.0),
    )
    traditional = (Phase.DUMP, Phase.TRANSFER, Phase.RESTORE)
    return tuple(
        Step(phase, round_number, processing_s, volume_bytes, True)
        for phase, processing_s, volume_bytes in parts
        if coat or phase in traditional
    )


def _page_fault_phase(volume_bytes: float, parameters: PamParameters) -> tuple[Step, ...]:
    handling_s = volume_bytes * parameters.page_fault_s_per_byte
    return (
        Step(Phase.PAGE_FAULT, 1, 0.0, volume_bytes, False),
        Step(Phase.PAGE_FAULT, 1, handling_s, 0.0, False),
    )
