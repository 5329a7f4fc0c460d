"""Trajectories and fleets of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobility import Fleet, Trajectory

LINE = Trajectory(np.array([1.0, 3.0, 4.0]), np.array([[0.0, 0, 0], [10, 0, 0], [10, 5, 0]]))


def random_trajectory(generator: np.random.Generator, knots: int) -> Trajectory:
    return Trajectory(np.cumsum(generator.uniform(0.1, 5.0, knots)), generator.normal(0.0, 100.0, (knots, 3)))


def test_positions_run_straight_between_knots_and_hold_outside() -> None:
    assert LINE.sample([0.0, 1.0, 2.0, 3.5, 9.0]).tolist() == [
        [0, 0, 0], [0, 0, 0], [5, 0, 0], [10, 2.5, 0], [10, 5, 0],
    ]  # fmt: skip


def test_velocity_is_that_of_the_segment_and_zero_outside() -> None:
    assert LINE.velocity([0.0, 1.0, 2.0, 3.0, 4.0]).tolist() == [
        [0, 0, 0], [5, 0, 0], [5, 0, 0], [0, 5, 0], [0, 0, 0],
    ]  # fmt: skip


def test_length_and_duration_are_those_of_the_path() -> None:
    assert (LINE.length_m, LINE.duration_s) == (15.0, 3.0)


def test_a_trajectory_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        LINE.position_m[0, 0] = 1.0


@pytest.mark.parametrize(
    ("time", "position", "complaint"),
    [
        ([0.0, 0.0], np.zeros((2, 3)), "must increase strictly"),
        ([0.0, 1.0], np.zeros((2, 2)), r"must be \(2, 3\)"),
        ([], np.zeros((0, 3)), "at least one time"),
        ([0.0], [[0.0, np.nan, 0.0]], "not a finite number"),
    ],
)
def test_a_bad_trajectory_is_refused(time: list[float], position: np.ndarray, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Trajectory(np.array(time), np.array(position))


@given(seed=st.integers(0, 2**32 - 1), knots=st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_a_fleet_is_where_each_of_its_trajectories_is(seed: int, knots: list[int]) -> None:
    generator = np.random.default_rng(seed)
    flights = [random_trajectory(generator, count) for count in knots]
    time = np.sort(np.append(generator.uniform(-1.0, 60.0, 20), flights[0].time_s))
    fleet = Fleet([f"uav-{k}" for k in range(len(flights))], flights)
    together = fleet.sample(time)
    for uav, flight in enumerate(flights):
        assert together[uav] == pytest.approx(flight.sample(time), abs=1e-9)
        assert np.array_equal(fleet.sample(time, slice(uav, uav + 1))[0], together[uav])


def test_a_fleet_gives_back_its_trajectories() -> None:
    fleet = Fleet(["a", "b"], [LINE, random_trajectory(np.random.default_rng(1), 5)])
    assert np.array_equal(fleet.trajectory(0).position_m, LINE.position_m)
    assert len(fleet) == 2
    assert fleet.end_s == max(LINE.time_s[-1], fleet.trajectory(1).time_s[-1])


@pytest.mark.parametrize(("names", "count"), [(["a", "a"], 2), ([], 0), (["a"], 2)])
def test_names_and_trajectories_must_pair_up(names: list[str], count: int) -> None:
    with pytest.raises(ValueError, match=r"unique|one trajectory a name"):
        Fleet(names, [LINE] * count)
