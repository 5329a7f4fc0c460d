from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from uav import (
    MOSE_2025,
    PX4_SITL,
    FailsafeAction,
    FlightMode,
    FlightResult,
    LoopLatency,
    Silence,
    Testbed,
    circle_m,
    fly,
)

STEP_S = 0.1
QUIET = replace(PX4_SITL, position_noise_m=0.0)


def circles(count: int, duration_s: float = 40.0) -> NDArray[np.float64]:
    circle = circle_m(50.0, 5.0, duration_s, step_s=STEP_S)
    return np.broadcast_to(circle, (count, *circle.shape[1:]))


def outage(downtime_s: float, testbed: Testbed = QUIET, duration_s: float = 40.0) -> FlightResult:
    return fly(circles(1, duration_s), STEP_S, testbed, silence=Silence.of(0, 15.0, 15.0 + downtime_s))


@pytest.mark.parametrize("testbed", [QUIET, MOSE_2025], ids=lambda testbed: testbed.name)
def test_without_silence_the_error_is_small(testbed: Testbed) -> None:
    result = fly(circles(1), STEP_S, testbed)
    assert result.error_reference_m.max() < 0.6
    assert result.error_radial_m.max() < 0.6
    assert np.all(result.mode == FlightMode.OFFBOARD)
    assert np.abs(result.error_height_m).max() < 1e-6


def test_the_radial_error_never_exceeds_the_error_against_the_reference() -> None:
    result = outage(4.0)
    assert np.all(result.error_radial_m <= result.error_reference_m + 1e-9)


@given(st.floats(0.0, 10.0), st.floats(0.2, 5.0))
@settings(max_examples=15, deadline=None)
def test_the_error_grows_with_the_downtime(downtime_s: float, more_s: float) -> None:
    short, long = (outage(each).error_reference_m.max() for each in (downtime_s, downtime_s + more_s))
    assert short <= long + 1e-9


def test_each_flight_is_the_same_to_the_byte_alone_and_beside_others() -> None:
    count = 7
    starts = 5.0 + 1.3 * np.arange(count)
    latency = LoopLatency.of([0, 3, 3, 5], [2.0, 0.0, 12.0, 9.0], [0.1, 0.3, 0.0, 0.5])
    together = fly(
        circles(count),
        STEP_S,
        PX4_SITL,
        silence=Silence.of(np.arange(count), starts, starts + 0.9 * np.arange(count)),
        latency=latency,
        wind_mps=(3.0, -1.0),
        generators=[np.random.default_rng([5, row]) for row in range(count)],
    )
    for row in range(count):
        mine = latency.uav == row
        alone = fly(
            circles(1),
            STEP_S,
            PX4_SITL,
            silence=Silence.of(0, starts[row], starts[row] + 0.9 * row),
            latency=LoopLatency.of(np.zeros(mine.sum()), latency.time_s[mine], latency.latency_s[mine]),
            wind_mps=(3.0, -1.0),
            generators=[np.random.default_rng([5, row])],
        )
        assert alone.position_m.tobytes() == together.position_m[row].tobytes()
        assert alone.error_radial_m.tobytes() == together.error_radial_m[row].tobytes()
        assert alone.error_reference_m.tobytes() == together.error_reference_m[row].tobytes()


def test_below_the_time_out_the_last_set_point_is_held() -> None:
    result = outage(0.9)
    assert set(np.unique(result.mode)) == {FlightMode.OFFBOARD, FlightMode.SETPOINT_HELD}


def test_with_the_last_set_point_held_for_long_the_vehicle_flies_straight_on() -> None:
    result = outage(12.0, replace(QUIET, loss_timeout_s=np.inf))
    straight = result.position_m[0, (result.time_s > 20.0) & (result.time_s < 26.0), :2]
    steps = np.diff(straight, axis=0)
    assert np.ptp(np.arctan2(steps[:, 1], steps[:, 0])) < 0.02
    np.testing.assert_allclose(np.hypot(steps[:, 0], steps[:, 1]) / 0.1, 5.0, rtol=0.1)


def test_overlapping_causes_of_silence_count_once() -> None:
    split = Silence.of([0, 0, 0], [15.0, 15.5, 16.5], [16.0, 17.0, 18.0])
    apart = fly(circles(1), STEP_S, QUIET, silence=split)
    assert apart.position_m.tobytes() == outage(3.0).position_m.tobytes()


def test_hold_brakes_to_a_hover_and_resumes_when_set_points_return() -> None:
    testbed = replace(QUIET, failsafe=FailsafeAction.HOLD)
    result = outage(10.0, testbed, 60.0)
    hovering = (result.time_s > 23.0) & (result.time_s < 25.0)
    assert np.all(result.mode[0, hovering] == FlightMode.HOLD)
    assert np.ptp(result.position_m[0, hovering], axis=0).max() < 0.2
    assert result.mode[0, -1] == FlightMode.OFFBOARD
    assert result.error_reference_m[0, -1] < 0.6


def test_return_climbs_and_flies_home() -> None:
    testbed = replace(QUIET, failsafe=FailsafeAction.RETURN, offboard_resumes=False, return_height_m=30.0)
    result = outage(5.0, testbed, 60.0)
    assert np.all(result.mode[0, result.time_s > 18.0] == FlightMode.RETURN)
    np.testing.assert_allclose(result.position_m[0, -1], [50.0, 0.0, 30.0], atol=1.0)


def test_a_landed_vehicle_stays_on_the_ground_even_when_set_points_return() -> None:
    testbed = replace(QUIET, failsafe=FailsafeAction.LAND)
    result = outage(40.0, testbed, 70.0)
    landed = result.time_s > 50.0
    assert np.all(result.position_m[0, landed, 2] == 0.0)
    assert np.all(result.mode[0, landed] == FlightMode.LAND)
    assert np.ptp(result.position_m[0, landed], axis=0).max() == 0.0


def test_offboard_resumes_only_after_the_resume_delay() -> None:
    for delay_s in (0.5, 2.0):
        result = outage(5.0, replace(QUIET, resume_delay_s=delay_s))
        back_s = result.time_s[(result.time_s > 20.0) & (result.mode[0] == FlightMode.OFFBOARD)][0]
        assert back_s == pytest.approx(20.0 + delay_s, abs=0.11)


def test_a_longer_latency_is_a_larger_error() -> None:
    largest = [
        fly(circles(1), STEP_S, QUIET, latency=LoopLatency.constant(1, latency_s)).error_reference_m.max()
        for latency_s in (0.1, 0.3, 0.5)
    ]
    assert largest[0] < largest[1] < largest[2]


def test_the_latency_changes_when_its_row_says_so() -> None:
    later = fly(circles(1), STEP_S, QUIET, latency=LoopLatency.of(0, 20.0, 0.4))
    never = fly(circles(1), STEP_S, QUIET)
    before = later.time_s <= 20.0
    assert later.position_m[:, before].tobytes() == never.position_m[:, before].tobytes()
    assert not np.allclose(later.position_m[:, -1], never.position_m[:, -1], atol=0.05)


def test_the_vehicle_holds_its_course_in_steady_wind() -> None:
    straight = np.zeros((1, 601, 3))
    straight[0, :, 0] = 5.0 * STEP_S * np.arange(601)
    straight[0, :, 2] = 20.0
    result = fly(straight, STEP_S, QUIET, wind_mps=(0.0, 8.0))
    assert result.error_radial_m.max() < 0.1
    assert result.error_radial_m[0, -1] < 0.05


def test_the_vehicle_respects_its_limits() -> None:
    result = outage(8.0)
    velocity = np.diff(result.position_m[0, :, :2], axis=0) / 0.1
    speed = np.hypot(velocity[:, 0], velocity[:, 1])
    assert speed.max() < 1.15 * QUIET.autopilot.speed_limit_mps
    acceleration = np.diff(velocity, axis=0) / 0.1
    assert np.hypot(acceleration[:, 0], acceleration[:, 1]).max() < 1.3 * QUIET.vehicle.acceleration_mps2


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="silence uav = 3: there are 2 references"):
        fly(circles(2), STEP_S, QUIET, silence=Silence.of(3, 0.0, 1.0))
    with pytest.raises(ValueError, match="latency uav = 2"):
        fly(circles(2), STEP_S, QUIET, latency=LoopLatency.constant(3, 0.1))
    with pytest.raises(ValueError, match="1 generators for 2 references"):
        fly(circles(2), STEP_S, QUIET, generators=[np.random.default_rng(1)])
    with pytest.raises(ValueError, match="reference of shape"):
        fly(np.zeros((5, 3)), STEP_S, QUIET)
    with pytest.raises(ValueError, match="latency row 0"):
        LoopLatency.of(0, 0.0, -0.1)
