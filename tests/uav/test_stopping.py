import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from uav import (
    TABLE_IV_LATENCIES,
    TABLE_IV_LIMIT_M,
    TABLE_IV_VEHICLE,
    Braking,
    Latencies,
    braking_distance_m,
    contingency_distance_m,
    jerk_limited_braking_distance_m,
    largest_downtime_s,
    largest_safe_speed_mps,
    stopping_distance_m,
    stopping_lines,
)

speeds = st.floats(0.1, 40.0)
latencies = st.floats(0.0, 20.0)
masses = st.floats(0.2, 50.0)
winds = st.floats(-10.0, 10.0)
brakings = st.sampled_from(Braking)


def test_at_5_mps_table_iv_brakes_in_7_5_m_and_leaves_a_downtime_of_4_46_s() -> None:
    assert braking_distance_m(5.0, 3.0, 5.0) == pytest.approx(7.5)
    downtime = largest_downtime_s(TABLE_IV_LIMIT_M, 5.0, TABLE_IV_LATENCIES.total_s, TABLE_IV_VEHICLE)
    assert downtime == pytest.approx(4.46)


def test_the_stopping_distance_is_eqs_35_and_36() -> None:
    distance = stopping_distance_m([0.0, 5.0, 10.0], 1.0 + 0.03 + 0.01, TABLE_IV_VEHICLE)
    np.testing.assert_allclose(distance, [0.0, 5.0 * 1.04 + 7.5, 10.0 * 1.04 + 30.0])


def test_limited_jerk_adds_the_full_speed_for_2_a_over_j() -> None:
    assert jerk_limited_braking_distance_m(10.0, 3.0, 4.0) == pytest.approx(10.0**2 / 6.0 + 2.0 * 3.0 * 10.0 / 4.0)
    stiff = replace(TABLE_IV_VEHICLE, jerk_mps3=1e9)
    with_jerk = stopping_distance_m(10.0, 0.5, stiff, braking=Braking.JERK_LIMITED)
    assert with_jerk == pytest.approx(stopping_distance_m(10.0, 0.5, stiff))


def test_the_lines_of_a_budget_name_every_latency_and_sum_up_to_the_stopping_distance() -> None:
    loop = Latencies(0.03, 0.01, 1.2, 0.05, 0.02, 0.04, 0.1)
    lines = stopping_lines(8.0, loop, TABLE_IV_VEHICLE, tail_wind_mps=2.0, braking=Braking.JERK_LIMITED)
    assert [line.name for line in lines] == [
        "video",
        "processing",
        "downtime",
        "handover_interruption",
        "network",
        "queueing",
        "actuation",
        "braking",
    ]
    assert lines[2].distance_m == pytest.approx(10.0 * 1.2)
    assert math.isnan(lines[-1].duration_s)
    total = stopping_distance_m(8.0, loop.total_s, TABLE_IV_VEHICLE, tail_wind_mps=2.0, braking=Braking.JERK_LIMITED)
    assert sum(line.distance_m for line in lines) == pytest.approx(float(total))


@given(speeds, speeds, latencies, masses, winds, brakings)
def test_a_faster_vehicle_stops_later(
    slow: float, faster: float, latency: float, mass: float, wind: float, braking: Braking
) -> None:
    vehicle = replace(TABLE_IV_VEHICLE, mass_kg=mass)
    one, two = stopping_distance_m([slow, slow + faster], latency, vehicle, tail_wind_mps=wind, braking=braking)
    assert one < two or (one == 0.0 and slow + wind <= 0)


@given(speeds, latencies, latencies, brakings)
def test_a_slower_loop_stops_later(speed: float, latency: float, more: float, braking: Braking) -> None:
    one, two = stopping_distance_m(speed, [latency, latency + more], TABLE_IV_VEHICLE, braking=braking)
    assert one <= two


@given(speeds, latencies, masses, masses)
def test_a_heavier_vehicle_stops_later_with_the_same_brakes(
    speed: float, latency: float, mass: float, more: float
) -> None:
    light = stopping_distance_m(speed, latency, replace(TABLE_IV_VEHICLE, mass_kg=mass))
    assert light < stopping_distance_m(speed, latency, replace(TABLE_IV_VEHICLE, mass_kg=mass + more))


@given(speeds, latencies, masses, winds, brakings)
def test_the_largest_safe_speed_inverts_the_stopping_distance(
    speed: float, latency: float, mass: float, wind: float, braking: Braking
) -> None:
    vehicle = replace(TABLE_IV_VEHICLE, mass_kg=mass)
    speed = max(speed, 0.1 - wind)
    limit = stopping_distance_m(speed, latency, vehicle, tail_wind_mps=wind, braking=braking)
    safe = largest_safe_speed_mps(limit, latency, vehicle, tail_wind_mps=wind, braking=braking)
    assert safe == pytest.approx(speed, rel=1e-9, abs=1e-9)


@given(speeds, latencies, latencies, winds, brakings)
def test_the_largest_downtime_inverts_the_stopping_distance(
    speed: float, downtime: float, other: float, wind: float, braking: Braking
) -> None:
    speed = max(speed, 0.1 - wind)
    total = downtime + other + 0.1
    limit = stopping_distance_m(speed, total, TABLE_IV_VEHICLE, tail_wind_mps=wind, braking=braking)
    largest = largest_downtime_s(limit, speed, other, TABLE_IV_VEHICLE, tail_wind_mps=wind, braking=braking)
    assert largest == pytest.approx(downtime + 0.1, rel=1e-6, abs=1e-6)


def test_what_cannot_be_met_is_nan_and_what_never_moves_may_be_down_for_ever() -> None:
    assert np.isnan(largest_downtime_s(7.0, 5.0, 0.04, TABLE_IV_VEHICLE))
    assert np.isnan(largest_safe_speed_mps(-1.0, 0.0, TABLE_IV_VEHICLE))
    assert np.isnan(largest_safe_speed_mps(1.0, 10.0, TABLE_IV_VEHICLE, tail_wind_mps=5.0))
    assert np.isposinf(largest_downtime_s(30.0, 0.0, 0.04, TABLE_IV_VEHICLE))


def test_a_head_wind_shortens_and_a_tail_wind_lengthens_the_way() -> None:
    head, still, tail = stopping_distance_m(8.0, 1.0, TABLE_IV_VEHICLE, tail_wind_mps=np.array([-3.0, 0.0, 3.0]))
    assert head == pytest.approx(stopping_distance_m(5.0, 1.0, TABLE_IV_VEHICLE))
    assert head < still < tail


def test_a_negative_latency_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"latencies queueing_s = -0.1 s"):
        Latencies(queueing_s=-0.1)


def test_the_contingency_volume_is_reaction_manoeuvre_and_errors() -> None:
    distance = contingency_distance_m(10.0, 1.0, math.radians(45.0))
    assert distance == pytest.approx(10.0 + 100.0 / (2 * 9.80665) + 7.0)
