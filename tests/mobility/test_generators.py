"""Generated trajectories."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobility import Area, Trajectory, circle, gauss_markov, random_waypoint, survey, waypoints

AREA = Area(-100.0, -50.0, 300.0, 250.0)


def speeds(flight: Trajectory) -> np.ndarray:
    return np.asarray(np.linalg.norm(np.diff(flight.position_m, axis=0), axis=1) / np.diff(flight.time_s))


def test_a_circle_keeps_its_radius_height_and_speed() -> None:
    flight = circle(100.0, 5.0, 20.0, 200.0)
    place = flight.sample(np.linspace(0.0, 200.0, 1001))
    assert np.linalg.norm(place[:, :2], axis=1) == pytest.approx(100.0, abs=0.011)
    assert (place[:, 2] == 20.0).all()
    assert flight.duration_s == 200.0
    assert flight.length_m == pytest.approx(1000.0, rel=1e-3)


def test_a_waypoint_flight_rests_at_both_ends_and_slows_down_at_corners() -> None:
    flight = waypoints([[0, 0, 10], [100, 0, 10], [100, 100, 10]], 10.0, corner_speed_mps=2.0, acceleration_mps2=2.0)
    corner_time = flight.time_s[np.flatnonzero((flight.position_m == [100, 0, 10]).all(axis=1))[0]]
    about_corner = np.linalg.norm(flight.velocity([corner_time - 0.05, corner_time + 0.05]), axis=1)
    assert about_corner == pytest.approx([2.1, 2.1], abs=0.15)
    assert speeds(flight).max() == pytest.approx(10.0)
    # 10 m/s after 25 m, braking to 2 m/s in 24 m, the rest at cruise; then the same backwards.
    assert flight.duration_s == pytest.approx(2 * (5.0 + 51.0 / 10.0 + 4.0))


@given(
    seed=st.integers(0, 2**32 - 1),
    speed=st.floats(1.0, 30.0),
    corner=st.floats(0.5, 10.0),
    acceleration=st.floats(0.5, 5.0),
    hold=st.sampled_from([0.0, 3.0]),
)
def test_a_waypoint_flight_keeps_to_its_limits_and_reaches_every_waypoint(
    seed: int, speed: float, corner: float, acceleration: float, hold: float
) -> None:
    points = np.random.default_rng(seed).uniform(-100.0, 100.0, (5, 3))
    flight = waypoints(points, speed, corner, acceleration, hold)
    along = speeds(flight)
    assert along.max() <= speed + 1e-6
    middle = (flight.time_s[1:] + flight.time_s[:-1]) / 2.0
    assert np.abs(np.diff(along) / np.diff(middle)).max() <= acceleration * (1.0 + 1e-3) + 1e-3
    for point in points:
        assert np.linalg.norm(flight.position_m - point, axis=1).min() < 1e-9
    assert flight.length_m == pytest.approx(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())


def test_a_uav_that_holds_stands_still_for_that_long() -> None:
    moving = waypoints([[0, 0, 0], [50, 0, 0]], 5.0)
    holding = waypoints([[0, 0, 0], [0, 0, 0], [50, 0, 0]], 5.0, hold_s=[1.0, 2.0, 4.0])
    assert holding.duration_s == pytest.approx(moving.duration_s + 7.0)
    assert holding.sample(2.9)[0].tolist() == [0.0, 0.0, 0.0]


def test_a_survey_covers_the_area_in_parallel_tracks() -> None:
    flight = survey(Area(0.0, 0.0, 100.0, 200.0), 25.0, 8.0, 40.0)
    assert flight.length_m == pytest.approx(5 * 200.0 + 4 * 25.0)
    assert flight.position_m.min(axis=0).tolist() == [0.0, 0.0, 40.0]
    assert flight.position_m.max(axis=0).tolist() == [100.0, 200.0, 40.0]


def test_random_waypoint_stays_in_its_ranges_and_lasts_long_enough() -> None:
    flight = random_waypoint(AREA, (30.0, 60.0), (5.0, 15.0), (1.0, 2.0), 600.0, np.random.default_rng(3))
    along = speeds(flight)
    moving = along > 0.0
    assert flight.duration_s >= 600.0
    assert along[moving].min() >= 5.0 - 1e-9
    assert along[moving].max() <= 15.0 + 1e-9
    assert np.diff(flight.time_s)[~moving].min() >= 1.0 - 1e-9
    assert (flight.position_m >= [-100.0, -50.0, 30.0]).all()
    assert (flight.position_m <= [300.0, 250.0, 60.0]).all()


@given(seed=st.integers(0, 2**32 - 1), memory=st.floats(0.0, 0.99))
def test_gauss_markov_never_leaves_the_area(seed: int, memory: float) -> None:
    flight = gauss_markov(AREA, 50.0, 20.0, 100.0, np.random.default_rng(seed), memory)
    assert (flight.position_m[:, :2] >= [-100.0, -50.0]).all()
    assert (flight.position_m[:, :2] <= [300.0, 250.0]).all()


def test_gauss_markov_keeps_its_mean_speed_and_remembers() -> None:
    wide = Area(-1e6, -1e6, 1e6, 1e6)
    flight = gauss_markov(wide, 50.0, 10.0, 20_000.0, np.random.default_rng(2), memory=0.8, speed_deviation_mps=1.5)
    along = speeds(flight)
    assert along.mean() == pytest.approx(10.0, abs=0.15)
    assert along.std() == pytest.approx(1.5, rel=0.05)
    assert np.corrcoef(along[1:], along[:-1])[0, 1] == pytest.approx(0.8, abs=0.02)


def test_the_same_generator_state_gives_the_same_flight() -> None:
    first, second = (
        random_waypoint(AREA, (30.0, 60.0), (5.0, 15.0), (0.0, 0.0), 100.0, np.random.default_rng(9)) for _ in range(2)
    )
    assert np.array_equal(first.position_m, second.position_m)


def test_values_out_of_range_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="radius_m is -1"):
        circle(-1.0, 5.0, 20.0, 10.0)
    with pytest.raises(ValueError, match="two waypoints at different places"):
        waypoints([[0, 0, 0], [0, 0, 0]], 5.0)
    with pytest.raises(ValueError, match="speed_mps must be above 0"):
        waypoints([[0, 0, 0], [1, 0, 0]], 0.0)
    with pytest.raises(ValueError, match="area"):
        Area(0.0, 0.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="speed_range_mps"):
        random_waypoint(AREA, (30.0, 60.0), (5.0, 1.0), (0.0, 0.0), 100.0, np.random.default_rng(9))
    with pytest.raises(ValueError, match=r"memory is 1\.0"):
        gauss_markov(AREA, 50.0, 10.0, 10.0, np.random.default_rng(1), memory=1.0)
