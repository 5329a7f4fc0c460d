"""The stopping budget: PAM's eqs. 35 to 37, and what would be just enough."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pam import downtime
from scenarios.budget import Budget
from scenarios.load import load
from skyhop.budget import assess

TABLE_IV = Path(__file__).parents[2] / "scenarios" / "budgets" / "table-iv.yaml"


def table_iv(*overrides: str) -> Budget:
    return load(TABLE_IV, Budget, overrides)


def changed(budget: Budget, part: str, **values: Any) -> Budget:
    return budget.model_copy(update={part: getattr(budget, part).model_copy(update=values)})


@st.composite
def budgets(draw: st.DrawFn) -> Budget:
    def number(low: float, high: float) -> float:
        return draw(st.floats(low, high))

    return Budget.model_validate(
        {
            "version": 1,
            "name": "drawn",
            "stopping_distance_m": number(1.0, 500.0),
            "vehicle": {
                "mass_kg": number(0.1, 50.0),
                "brake_force_n": number(0.5, 500.0),
                "speed_mps": number(0.1, 50.0),
                "tail_wind_mps": number(-20.0, 20.0),
                "actuation_s": number(0.0, 1.0),
                "braking": draw(st.sampled_from(["force", "jerk-limited"])),
                "jerk_mps3": number(1.0, 50.0),
            },
            "service": {
                "state_bytes": number(1e5, 1e9),
                "dirty_page_rate": number(0.0, 1.0),
                "strategy": draw(st.sampled_from(["cold", "pre-copy"])),
                "connection_kept": draw(st.booleans()),
                "video_latency_s": number(0.0, 0.3),
                "processing_s": number(0.0, 0.3),
                "queueing_s": number(0.0, 0.3),
            },
            "link": {
                "bandwidth_bps": number(1e6, 1e10),
                "network_latency_s": number(0.0, 0.3),
                "handover_interruption_s": number(0.0, 1.0),
            },
        }
    )


def test_table_iv_at_five_metres_per_second_needs_38_61_mbit_per_s() -> None:
    assert assess(table_iv()).least_bandwidth_bps / 1e6 == pytest.approx(38.61, abs=0.005)


def test_table_iv_worked_by_hand() -> None:
    # T^d = 1.6 1.2 (0.084 + 0.040 + 1e-10 (0.25 30) 20e6), T^r = 3.3 1.9 (0.060 + 8e-10 20e6),
    # COAT 0.069 + 0.101 + 0.071,
    # V = (4 - 0.75) 4096 (10 + 0.25 2.5e-4 20e6) bytes over 1 Gbit/s.
    dump_s, restore_s, coat_s = 1.92 * 0.139, 6.27 * 0.076, 0.241
    transfer_s = 8 * 3.25 * 4096 * 1260 / 1e9
    down_s = dump_s + restore_s + coat_s + transfer_s
    assessment = assess(table_iv())
    metres = {line.name: line.distance_m for line in assessment.lines}
    assert metres["downtime: dump"] == pytest.approx(5 * dump_s)
    assert metres["downtime: transfer"] == pytest.approx(5 * transfer_s)
    assert metres["downtime: restore"] == pytest.approx(5 * restore_s)
    assert metres["downtime: COAT"] == pytest.approx(5 * coat_s)
    assert metres["video"] == pytest.approx(0.15)
    assert metres["processing"] == pytest.approx(0.05)
    assert metres["braking"] == pytest.approx(25 * 3 / (2 * 5))
    assert assessment.downtime_s == pytest.approx(down_s)
    assert assessment.stopping_distance_m == pytest.approx(5 * (down_s + 0.04) + 7.5)
    assert assessment.largest_downtime_s == pytest.approx((30 - 7.5) / 5 - 0.04)
    # v² 3/10 + v T = 30
    total_s = down_s + 0.04
    assert assessment.largest_safe_speed_mps == pytest.approx((math.sqrt(total_s**2 + 36) - total_s) / 0.6)
    # Eq. 37 with V in bits.
    processing_s = dump_s + restore_s + coat_s
    bits = 8 * 3.25 * 4096 * 1260
    assert assessment.least_bandwidth_bps == pytest.approx(5 * bits / (30 - 7.5 - 5 * (0.04 + processing_s)))
    assert assessment.met


def test_the_downtime_is_pams() -> None:
    assert assess(table_iv()).downtime_s == pytest.approx(float(downtime(20e6, 0.25, 1e9)))
    assert assess(table_iv("service.strategy=cold")).downtime_s == pytest.approx(float(downtime(20e6, 1.0, 1e9)))
    kept = assess(table_iv("service.connection_kept=false")).downtime_s
    assert kept == pytest.approx(float(downtime(20e6, 0.25, 1e9, coat=False)))


def test_the_jerk_costs_two_a_over_j_at_full_speed() -> None:
    lines = assess(table_iv("vehicle.braking=jerk-limited", "vehicle.jerk_mps3=4")).lines
    (jerk,) = (line for line in lines if line.name == "braking: limited jerk")
    assert jerk.distance_m == pytest.approx(5 * 2 * (5 / 3) / 4)


def test_a_head_wind_shortens_and_a_tail_wind_lengthens() -> None:
    still, head, tail = (assess(table_iv(f"vehicle.tail_wind_mps={wind}")) for wind in (0, -2, 2))
    assert head.stopping_distance_m < still.stopping_distance_m < tail.stopping_distance_m
    assert head.largest_safe_speed_mps == pytest.approx(still.largest_safe_speed_mps + 2)
    assert tail.lines[-1].name == "wind"
    assert tail.lines[-1].distance_m == pytest.approx(tail.stopping_distance_m - still.stopping_distance_m)


@given(budgets())
def test_the_metres_of_the_lines_add_up(budget: Budget) -> None:
    assessment = assess(budget)
    # The line of a head wind cancels metres, so the sum is as exact as the largest of its terms.
    scale = max(abs(line.distance_m) for line in assessment.lines)
    total = math.fsum(line.distance_m for line in assessment.lines)
    assert total == pytest.approx(assessment.stopping_distance_m, rel=1e-9, abs=1e-9 * scale)


@given(budgets())
def test_at_the_largest_safe_speed_the_budget_is_just_met(budget: Budget) -> None:
    speed = assess(budget).largest_safe_speed_mps
    assume(not math.isnan(speed))
    assert assess(changed(budget, "vehicle", speed_mps=speed)).met
    faster = assess(changed(budget, "vehicle", speed_mps=speed * (1 + 1e-6) + 1e-6))
    assert not faster.met


@given(budgets())
def test_at_the_least_bandwidth_the_budget_is_just_met(budget: Budget) -> None:
    least = assess(budget).least_bandwidth_bps
    assume(0 < least < 1e12)
    assert assess(changed(budget, "link", bandwidth_bps=least)).met
    assert not assess(changed(budget, "link", bandwidth_bps=least * 0.99)).met


@given(budgets())
def test_where_no_bandwidth_is_enough_not_even_the_widest_link_is(budget: Budget) -> None:
    budget = changed(budget, "link", bandwidth_bps=1e15)
    assessment = assess(budget)
    assert assessment.met == (assessment.least_bandwidth_bps <= 1e15)


@given(budgets())
def test_the_downtime_is_tolerable_exactly_if_the_budget_is_met(budget: Budget) -> None:
    assessment = assess(budget)
    assume(abs(assessment.margin_m) > 1e-6 * assessment.threshold_m)
    assert assessment.met == (assessment.downtime_s <= assessment.largest_downtime_s)


def test_a_vehicle_at_rest_tolerates_any_downtime() -> None:
    assessment = assess(table_iv("vehicle.speed_mps=0"))
    assert assessment.met
    assert assessment.largest_downtime_s == math.inf
    assert assessment.least_bandwidth_bps == 0.0


def test_a_vehicle_that_cannot_even_brake_in_time_tolerates_none() -> None:
    assessment = assess(table_iv("vehicle.speed_mps=12"))
    assert not assessment.met
    assert math.isnan(assessment.largest_downtime_s)
    assert assessment.least_bandwidth_bps == math.inf
