"""The PAM model: the paper's figures, and how its quantities hang together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pam import TABLE_III, Layer, dirty_page_rate_limits, model, normalised_rate, pages_per_second, predict
from pam.model import least_bandwidth, most_iterations

states = st.floats(1e6, 1e10)
rates = st.floats(0.0, 1.0)
bandwidths = st.floats(1e6, 1e11)
rounds = st.integers(0, 100).map(float)


def test_a_small_state_at_the_least_rate_takes_what_the_paper_says() -> None:
    assert model.predump_duration(1e7) == pytest.approx(0.23578, abs=5e-6)
    assert model.predump_volume(1e7) == 10_424_320
    assert model.restore_duration(1e7) == pytest.approx(0.42636, abs=5e-6)
    assert predict(1e7, 0.0, 1e9, 5) == pytest.approx((0.90675, 2.42287), abs=5e-6)


def test_a_large_state_at_the_largest_rate_takes_what_the_paper_says() -> None:
    assert model.dump_duration(1e8, 1.0) == pytest.approx(0.81408, abs=5e-6)
    assert predict(1e8, 1.0, 1e9, 5) == pytest.approx((2.75241, 12.51258), abs=5e-6)


def test_the_autopilot_of_table_iv_needs_38_61_mbit_per_s_at_5_m_per_s() -> None:
    braking_m = 5.0**2 * 3.0 / (2.0 * 5.0)
    downtime_s = (30.0 - braking_m) / 5.0 - 0.030 - 0.010
    assert float(least_bandwidth(20e6, 0.25, downtime_s)) / 1e6 == pytest.approx(38.61, abs=5e-3)


def test_the_layers_differ_by_their_constant_factors() -> None:
    criu, runc, podman = (np.asarray(model.dump_duration(1e8, 0.5, layer=layer)) for layer in Layer)
    assert (runc / criu, podman / runc) == pytest.approx((1.2, 1.6))
    criu, runc, podman = (np.asarray(model.restore_duration(1e8, layer=layer)) for layer in Layer)
    assert (runc / criu, podman / runc) == pytest.approx((1.9, 3.3))


def test_coat_adds_the_three_steps_of_table_ii_to_downtime_and_duration() -> None:
    with_coat = np.array(predict(1e8, 0.5, 1e9, 2))
    without = np.array(predict(1e8, 0.5, 1e9, 2, coat=False))
    assert with_coat - without == pytest.approx(0.241)


def test_the_memory_time_of_a_dump_falls_a_hundredfold_at_the_least_rate() -> None:
    least, most = (float(model.dump_memory_time(1e9, rate)) - TABLE_III.memory_s for rate in (0.0, 1.0))
    assert most / least == pytest.approx(100.0)


def test_a_dump_sends_most_at_two_thirds_of_the_largest_rate() -> None:
    rate = np.linspace(0.0, 1.0, 301)
    volume = np.asarray(model.dump_volume(1e9, rate))
    assert rate[volume.argmax()] == pytest.approx(2 / 3, abs=0.01)
    assert volume.max() / volume[-1] == pytest.approx(4 / 3, rel=1e-3)


@given(states, states, rates, bandwidths, rounds)
def test_a_larger_state_never_takes_less(one: float, other: float, rate: float, bandwidth: float, i: float) -> None:
    small, large = sorted((one, other))
    assert np.all(np.array(predict(small, rate, bandwidth, i)) <= np.array(predict(large, rate, bandwidth, i)))


@given(states, st.floats(0.0, 0.64), st.floats(0.0, 0.64), bandwidths, rounds)
def test_a_dirtier_service_takes_longer_below_the_peak_of_the_volume(
    state: float, one: float, other: float, bandwidth: float, i: float
) -> None:
    low, high = np.array(predict(state, np.array(sorted((one, other))), bandwidth, i)).T
    assert np.all(low <= high * (1.0 + 1e-12))


@given(states, rates, rates)
def test_a_dirtier_service_always_takes_longer_to_dump(state: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert model.dump_duration(state, low) <= model.dump_duration(state, high)


@given(states, rates, bandwidths, bandwidths, rounds)
def test_more_bandwidth_never_takes_longer(state: float, rate: float, one: float, other: float, i: float) -> None:
    slow, fast = sorted((one, other))
    assert np.all(np.array(predict(state, rate, slow, i)) >= np.array(predict(state, rate, fast, i)))


@given(states, rates, bandwidths, rounds)
def test_an_iteration_adds_to_the_duration_and_not_to_the_downtime(
    state: float, rate: float, bandwidth: float, i: float
) -> None:
    down, duration = predict(state, rate, bandwidth, i)
    down_later, duration_later = predict(state, rate, bandwidth, i + 1.0)
    assert down == down_later
    assert duration < duration_later


@given(st.lists(st.tuples(states, rates, bandwidths, rounds), min_size=1, max_size=5))
def test_arrays_and_scalars_agree(cases: list[tuple[float, float, float, float]]) -> None:
    state, rate, bandwidth, i = np.array(cases).T
    down, duration = predict(state, rate, bandwidth, i)
    expected = np.array([predict(*case) for case in cases])
    assert np.array_equal(np.stack([down, duration], axis=1), expected)


def test_quantities_broadcast() -> None:
    down, duration = predict(np.array([1e7, 1e8])[:, None], np.array([0.0, 0.5, 1.0]), 1e9, 5)
    assert np.shape(down) == np.shape(duration) == (2, 3)


@given(states, rates, st.floats(0.1, 100.0))
def test_the_least_bandwidth_gives_just_the_target_downtime(state: float, rate: float, target_s: float) -> None:
    bandwidth = float(least_bandwidth(state, rate, target_s))
    if np.isinf(bandwidth):
        assert model.downtime(state, rate, 1e30) >= target_s
    else:
        assert model.downtime(state, rate, bandwidth) == pytest.approx(target_s, rel=1e-9)


def test_the_least_bandwidth_of_an_array_is_infinite_where_nothing_suffices() -> None:
    assert np.isinf(least_bandwidth(1e7, 1.0, np.array([0.1, 3.0]))).tolist() == [True, False]


@given(states, rates, bandwidths, st.floats(0.1, 1e3))
def test_the_iterations_are_the_most_that_do_not_overshoot(
    state: float, rate: float, bandwidth: float, target_s: float
) -> None:
    most = float(most_iterations(state, rate, bandwidth, target_s))
    if most >= 0.0:
        assert predict(state, rate, bandwidth, most)[1] <= target_s
    assert predict(state, rate, bandwidth, most + 1.0)[1] > target_s


@given(st.floats(8192.0, 1e10), rates)
def test_a_rate_survives_being_normalised_and_back(state: float, rate: float) -> None:
    assert normalised_rate(pages_per_second(rate, state), state) == pytest.approx(rate, abs=1e-12)


def test_rates_outside_the_limits_count_as_the_limits() -> None:
    least, most = dirty_page_rate_limits(1e7)
    assert (least, most) == pytest.approx((10.0, 24_410.0))
    assert np.asarray(normalised_rate(np.array([0.0, 1e9]), 1e7)).tolist() == [0.0, 1.0]


def test_a_state_of_one_page_has_only_the_least_rate() -> None:
    assert normalised_rate(10.0, 4096.0) == 0.0
    assert pages_per_second(1.0, 4096.0) == pytest.approx(10.0)
