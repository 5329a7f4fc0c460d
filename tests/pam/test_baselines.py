"""The baselines: the network-only model against its own loop, and the fixed configurations of the MOSE paper."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pam import (
    FIXED_COLD,
    FIXED_ITERATIVE_AUTOPILOT,
    FIXED_ITERATIVE_TRACKING,
    MigrationTask,
    Objective,
    Strategy,
    network_only,
    predict,
)


@given(st.floats(1e6, 1e10), st.floats(0.0, 0.95), st.floats(1e7, 1e10))
def test_the_formula_is_the_loop_over_rounds(state: float, ratio: float, bandwidth: float) -> None:
    send_s = [8.0 * state / bandwidth]
    while send_s[-1] > 0.5 and len(send_s) <= 30:
        send_s.append(ratio * send_s[-1])
    assume(all(abs(each - 0.5) > 1e-9 for each in send_s))
    found = network_only(state, ratio * bandwidth / 8.0, bandwidth)
    assert found.rounds == len(send_s) - 1
    assert found.downtime_s == pytest.approx(send_s[-1])
    assert found.duration_s == pytest.approx(sum(send_s))


def test_the_sum_goes_over_smoothly_into_equal_rounds() -> None:
    ratio = np.array([1.0 - 1e-6, 1.0, 5.0])
    found = network_only(1e8, ratio * 1e9 / 8.0, 1e9)
    assert found.rounds.tolist() == [30.0, 30.0, 30.0]
    assert found.duration_s == pytest.approx(31 * 0.8, rel=1e-4)


def test_what_comes_before_and_after_is_added() -> None:
    found = network_only(1e8, 0.0, 1e9, before_s=1.0, after_s=0.25)
    assert (float(found.downtime_s), float(found.duration_s)) == pytest.approx((0.25, 2.05))


def test_without_processing_a_quick_link_makes_the_downtime_vanish_and_pam_does_not() -> None:
    bandwidth = np.array([1e9, 1e10])
    network = network_only(1e7, 1e6, bandwidth).downtime_s
    processing = np.asarray(predict(1e7, 0.5, bandwidth, 0)[0])
    assert network[1] == pytest.approx(network[0] / 10.0)
    assert processing[1] > 0.8


def test_impossible_quantities_are_refused() -> None:
    for state, dirtying, bandwidth in ((0.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, 0.0)):
        with pytest.raises(ValueError, match="above 0"):
            network_only(state, dirtying, bandwidth)


def test_the_fixed_configurations_are_those_of_the_mose_paper() -> None:
    task = MigrationTask("tracker", "edge-1", "edge-2", Objective.MINIMIZE_DOWNTIME, 20.0, 500e6, 0.66, 1e9)
    fixed = (FIXED_COLD, FIXED_ITERATIVE_AUTOPILOT, FIXED_ITERATIVE_TRACKING)
    found = [each.plan(task) for each in fixed]
    assert [(each.strategy, each.iterations) for each in found] == [
        (Strategy.COLD, 0),
        (Strategy.ITERATIVE_PRE_COPY, 1),
        (Strategy.ITERATIVE_PRE_COPY, 15),
    ]
    assert {each.bandwidth_bps for each in found} == {1e9}


def test_a_fixed_configuration_takes_what_bandwidth_there_is() -> None:
    task = MigrationTask("tracker", "edge-1", "edge-2", Objective.MINIMIZE_DOWNTIME, 20.0, 500e6, 0.66, 1e8)
    assert FIXED_COLD.plan(task).bandwidth_bps == 1e8
