"""The recursion: what the actual dirty-page rate makes of the worst case."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pam import TABLE_III, Layer, model, predict, recursion
from pam.model import pages_per_second
from pam.recursion import dirtied_pages, dirtiness

states = st.floats(1e6, 1e9)
rates = st.floats(0.0, 1.0)
bandwidths = st.floats(1e7, 1e10)


def test_the_pages_of_a_round_are_those_dirtied_while_the_last_one_ran() -> None:
    running_s = model.first_iteration_duration(1e8, 1e9, layer=Layer.CRIU) - model.predump_frozen_time(1e8)
    rounds = recursion(1e8, [2000.0], 1e9, layer=Layer.CRIU)
    assert rounds.pages[1] == pytest.approx(2000.0 * running_s)


def test_a_round_has_at_least_the_fewest_and_at_most_all_pages() -> None:
    pages = np.asarray(dirtied_pages(np.array([0.0, 1e9]), 1.0, 1e8, 1.0))
    assert pages.tolist() == [TABLE_III.dump_pages, 25_010.0]


@given(states, rates)
def test_a_dump_is_as_dirty_as_the_rate_at_which_it_would_hold_its_pages(state: float, rate: float) -> None:
    assert dirtiness(model.dump_pages(state, rate), state, 1.0) == pytest.approx(rate, abs=1e-9)


@given(states, rates, rates, bandwidths, st.integers(0, 8))
def test_no_round_exceeds_the_worst_case(state: float, worst: float, actual: float, bandwidth: float, i: int) -> None:
    pages_per_s = float(pages_per_second(actual, state))
    rounds = recursion(state, [pages_per_s] * (i + 1), bandwidth, worst_rate=worst)
    down, duration = predict(state, worst, bandwidth, i)
    assert np.all(rounds.volume_bytes[1:] <= model.dump_volume(state, worst))
    assert rounds.downtime_s <= down * (1.0 + 1e-12)
    assert rounds.migration_s <= duration * (1.0 + 1e-12)


def test_the_largest_rate_is_the_worst_case() -> None:
    rounds = recursion(1e8, [float(pages_per_second(1.0, 1e8))] * 6, 1e9)
    assert (float(rounds.downtime_s), float(rounds.migration_s)) == pytest.approx(predict(1e8, 1.0, 1e9, 5))


def test_a_rate_that_changes_changes_the_next_round_only() -> None:
    calm = recursion(1e8, [2000.0, 2000.0, 2000.0], 1e9)
    burst = recursion(1e8, [2000.0, 20_000.0, 2000.0], 1e9)
    assert burst.pages[1] == calm.pages[1]
    assert burst.pages[2] > calm.pages[2]


def test_arrays_of_services_go_through_together() -> None:
    state_bytes = np.array([1e7, 1e8, 1e9])
    together = recursion(state_bytes, [2000.0, 1000.0], 1e9)
    assert together.volume_bytes.shape == (3, 3)
    for column, state in enumerate(state_bytes):
        alone = recursion(float(state), [2000.0, 1000.0], 1e9)
        assert np.array_equal(together.volume_bytes[:, column], alone.volume_bytes)
        assert together.migration_s[column] == alone.migration_s


def test_a_recursion_needs_a_rate() -> None:
    with pytest.raises(ValueError, match="pages_per_s is empty"):
        recursion(1e8, [], 1e9)
