"""The strategies as steps: their order and cost in the worst case, and how they play out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pam import MigrationPlan, MigrationTask, Objective, Phase, Step, Strategy, cost, evaluate, play, predict
from pam.model import pages_per_second
from pam.recursion import recursion
from pam.strategies import worst_case_steps

COAT = [
    Phase.DUMP,
    Phase.NAMESPACE_CLEAR,
    Phase.TRANSFER,
    Phase.NAMESPACE_CONFIGURE,
    Phase.FLOW_UPDATE,
    Phase.RESTORE,
]

states = st.floats(1e6, 1e9)
rates = st.floats(0.0, 1.0)
bandwidths = st.floats(1e7, 1e10)


def configured(
    strategy: Strategy, state_bytes: float, rate: float, bandwidth_bps: float, iterations: int = 0
) -> MigrationPlan:
    task = MigrationTask(
        service="autopilot",
        source="edge-1",
        destination="edge-2",
        objective=Objective.MINIMIZE_DOWNTIME,
        target_s=10.0,
        state_bytes=state_bytes,
        dirty_page_rate=rate,
        available_bandwidth_bps=bandwidth_bps,
    )
    return evaluate(task, strategy, bandwidth_bps, iterations)


def played(plan: MigrationPlan, pages_per_s: float, bandwidth_bps: float) -> tuple[Step, ...]:
    steps = []
    generator = play(plan, pages_per_s)
    step = next(generator, None)
    while step is not None:
        steps.append(step)
        try:
            step = generator.send(cost((step,), bandwidth_bps)[1])
        except StopIteration:
            step = None
    return tuple(steps)


def test_cold_stops_the_service_first_and_copies_all() -> None:
    steps = worst_case_steps(Strategy.COLD, 1e8, 0.1)
    assert [step.phase for step in steps] == COAT
    assert all(step.service_down for step in steps)
    assert steps[2].volume_bytes == pytest.approx(102_440_960.0)


def test_without_coat_stop_and_copy_is_dump_transfer_restore() -> None:
    steps = worst_case_steps(Strategy.COLD, 1e8, 0.1, coat=False)
    assert [step.phase for step in steps] == [Phase.DUMP, Phase.TRANSFER, Phase.RESTORE]


def test_iterative_pre_copy_numbers_its_rounds() -> None:
    steps = worst_case_steps(Strategy.ITERATIVE_PRE_COPY, 1e8, 0.1, 2)
    assert [(step.phase, step.round) for step in steps[:6]] == [
        (Phase.PRE_DUMP, 0),
        (Phase.TRANSFER, 0),
        (Phase.DUMP, 1),
        (Phase.TRANSFER, 1),
        (Phase.DUMP, 2),
        (Phase.TRANSFER, 2),
    ]
    assert [step.phase for step in steps[6:]] == COAT
    assert {step.round for step in steps[6:]} == {3}
    assert [step.service_down for step in steps] == [False] * 6 + [True] * 6


@given(states, rates, bandwidths, st.integers(0, 20))
def test_the_steps_of_pre_copy_add_up_to_the_model(state: float, rate: float, bandwidth: float, i: int) -> None:
    strategy = Strategy.ITERATIVE_PRE_COPY if i else Strategy.PRE_COPY
    steps = worst_case_steps(strategy, state, rate, i)
    assert cost(steps, bandwidth)[:2] == pytest.approx(predict(state, rate, bandwidth, i))


@given(states, rates, bandwidths)
def test_the_downtime_of_cold_is_its_duration(state: float, rate: float, bandwidth: float) -> None:
    plan = configured(Strategy.COLD, state, rate, bandwidth)
    assert plan.predicted_downtime_s == plan.predicted_duration_s
    assert plan.predicted_downtime_s == pytest.approx(predict(state, 1.0, bandwidth, 0)[0])


@given(states, states, rates)
def test_the_downtime_of_post_copy_does_not_depend_on_the_state(one: float, other: float, rate: float) -> None:
    downtimes = {configured(Strategy.POST_COPY, state, rate, 1e9).predicted_downtime_s for state in (one, other)}
    assert len(downtimes) == 1


def test_post_copy_is_down_as_long_as_cold_of_almost_no_state() -> None:
    post_copy = configured(Strategy.POST_COPY, 1e8, 0.5, 1e9).predicted_downtime_s
    assert post_copy == pytest.approx(configured(Strategy.COLD, 1.0, 0.5, 1e9).predicted_downtime_s, rel=1e-2)


def test_the_page_fault_phase_of_100_mb_takes_what_was_measured() -> None:
    late = [step for step in worst_case_steps(Strategy.POST_COPY, 1e8, 0.5) if step.phase is Phase.PAGE_FAULT]
    assert cost(tuple(late), 1e9) == pytest.approx((0.0, 1.27, 102_440_960.0), abs=5e-3)


def test_hybrid_leaves_only_the_dirty_pages_for_later() -> None:
    steps = worst_case_steps(Strategy.HYBRID, 1e8, 0.1)
    assert [step.phase for step in steps] == [
        Phase.PRE_DUMP,
        Phase.TRANSFER,
        *COAT,
        Phase.PAGE_FAULT,
        Phase.PAGE_FAULT,
    ]
    assert 0.0 < steps[-2].volume_bytes < steps[1].volume_bytes
    assert [step.service_down for step in steps] == [False] * 2 + [True] * 6 + [False] * 2


@pytest.mark.parametrize(
    ("strategy", "iterations"),
    [(Strategy.ITERATIVE_PRE_COPY, 0), (Strategy.PRE_COPY, 1), (Strategy.COLD, 1), (Strategy.POST_COPY, -1)],
)
def test_iterations_must_go_with_the_strategy(strategy: Strategy, iterations: int) -> None:
    with pytest.raises(ValueError, match=f"iterations is {iterations}"):
        worst_case_steps(strategy, 1e8, 0.1, iterations)


@given(st.sampled_from(Strategy), states, rates, rates, bandwidths, bandwidths, st.integers(1, 8))
def test_no_played_step_exceeds_the_worst_case(
    strategy: Strategy, state: float, worst: float, actual: float, planned: float, given_bps: float, i: int
) -> None:
    plan = configured(strategy, state, worst, planned, i if strategy is Strategy.ITERATIVE_PRE_COPY else 0)
    steps = played(plan, float(pages_per_second(actual, state)), given_bps)
    assert [(step.phase, step.round, step.service_down) for step in steps] == [
        (step.phase, step.round, step.service_down) for step in plan.steps
    ]
    for step, bound in zip(steps, plan.steps, strict=True):
        assert step.volume_bytes <= bound.volume_bytes
        assert step.processing_s <= bound.processing_s


@given(st.sampled_from(Strategy), states, rates, rates, bandwidths, st.integers(1, 8))
def test_at_the_planned_bandwidth_the_promised_figures_hold(
    strategy: Strategy, state: float, worst: float, actual: float, planned: float, i: int
) -> None:
    plan = configured(strategy, state, worst, planned, i if strategy is Strategy.ITERATIVE_PRE_COPY else 0)
    downtime_s, duration_s, volume = cost(played(plan, float(pages_per_second(actual, state)), planned), planned)
    assert downtime_s <= plan.predicted_downtime_s
    assert duration_s <= plan.predicted_duration_s
    assert volume <= plan.predicted_bytes


@given(states, rates, rates, bandwidths, st.integers(1, 8))
def test_playing_and_the_recursion_are_the_same_thing(
    state: float, worst: float, actual: float, bandwidth: float, i: int
) -> None:
    plan = configured(Strategy.ITERATIVE_PRE_COPY, state, worst, bandwidth, i)
    pages_per_s = float(pages_per_second(actual, state))
    steps = played(plan, pages_per_s, bandwidth)
    rounds = recursion(state, [pages_per_s] * (i + 1), bandwidth, worst_rate=worst)
    moved = [step.volume_bytes for step in steps if step.phase is Phase.TRANSFER]
    assert moved == pytest.approx(rounds.volume_bytes.tolist())
    assert cost(steps, bandwidth)[:2] == pytest.approx((float(rounds.downtime_s), float(rounds.migration_s)))


def test_a_slow_link_makes_the_next_round_larger() -> None:
    plan = configured(Strategy.PRE_COPY, 1e8, 1.0, 1e9)
    fast, slow = (played(plan, 200.0, bandwidth)[4].volume_bytes for bandwidth in (1e9, 1e8))
    assert fast < slow < plan.steps[4].volume_bytes


def test_hybrid_fetches_late_what_was_dirtied_since_the_pre_dump() -> None:
    plan = configured(Strategy.HYBRID, 1e8, 1.0, 1e9)
    fast, slow = (played(plan, 200.0, bandwidth)[-2].volume_bytes for bandwidth in (1e9, 1e8))
    assert fast < slow < plan.steps[-2].volume_bytes


def test_a_rate_above_the_worst_case_counts_as_the_worst_case() -> None:
    plan = configured(Strategy.PRE_COPY, 1e8, 0.2, 1e9)
    assert played(plan, 1e12, 1e9) == plan.steps


@pytest.mark.parametrize("pages_per_s", [-1.0, float("nan"), float("inf")])
def test_an_impossible_rate_is_refused(pages_per_s: float) -> None:
    plan = configured(Strategy.COLD, 1e8, 0.2, 1e9)
    with pytest.raises(ValueError, match="actual_pages_per_s"):
        next(play(plan, pages_per_s))
