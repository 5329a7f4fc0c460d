"""The presets against the measured flights: every row of the tables, one set of parameters for each preset."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from uav import MOSE_2025, PX4_SITL, TESTBEDS, FlightResult, Silence, Testbed, circle_m, fly

REPETITIONS = 256
WINDOW_S = 20.0

# Downtime, time-out kept or infinite (last set-point held), then radial and reference error, each from lowest to
# highest measured value. The first five rows are from one set of flights, the others from another.
PX4_ROWS = [
    pytest.param(1.08, False, (0.72, 0.72), (1.75, 1.75), id="1.08 s"),
    pytest.param(1.22, False, (0.74, 0.74), (1.50, 1.50), id="1.22 s"),
    pytest.param(2.14, False, (2.57, 2.57), (3.63, 3.63), id="2.14 s"),
    pytest.param(3.63, False, (1.58, 1.58), (14.16, 14.16), id="3.63 s"),
    pytest.param(3.72, False, (1.84, 1.84), (14.79, 14.79), id="3.72 s"),
    pytest.param(1.08, False, (0.64, 0.70), (1.1, 1.2), id="1.08 s, other flight"),
    pytest.param(3.7, False, (0.7, 1.6), (13.5, 15.5), id="3.7 s"),
    pytest.param(3.7, True, (2.4, 4.5), (2.8, 4.8), id="3.7 s, last set-point held"),
    pytest.param(6.0, False, (4.0, 4.0), (26.6, 26.6), id="6 s"),
]

# Downtime, trajectory error and the half-width published with it: MOSE, Table III.
MOSE_ROWS = [
    pytest.param(3.72, 19.36, 6.39, id="cold"),
    pytest.param(3.62, 18.06, 7.39, id="iterative pre-copy"),
    pytest.param(2.14, 11.97, 5.22, id="MR 3 s"),
    pytest.param(3.63, 17.13, 4.05, id="MR 5 s"),
    pytest.param(1.08, 0.65, 0.08, id="MD 5 s"),
    pytest.param(1.22, 0.80, 0.07, id="MD 10 s"),
]


def circles(testbed: Testbed, downtime_s: float) -> tuple[FlightResult, NDArray[np.float64]]:
    """Flights on the papers' circle (radius 50 m, 5 m/s), an outage in each at another phase; and when it began."""
    circle = circle_m(50.0, 5.0, 66.0)
    start_s = 30.0 + np.random.default_rng(2025).uniform(0.0, 10.0, REPETITIONS)
    result = fly(
        np.broadcast_to(circle, (REPETITIONS, *circle.shape[1:])),
        0.1,
        testbed,
        silence=Silence.of(np.arange(REPETITIONS), start_s, start_s + downtime_s),
        generators=[np.random.default_rng([2025, row]) for row in range(REPETITIONS)],
    )
    return result, start_s


def largest_m(
    error_m: NDArray[np.float64], result: FlightResult, start_s: NDArray[np.float64], length_s: float
) -> float:
    """Mean over the repetitions of the largest error from the outage's start until 20 s after its end."""
    since_s = result.time_s - start_s[:, np.newaxis]
    return float(np.where((since_s >= 0.0) & (since_s < length_s), error_m, 0.0).max(axis=1).mean())


def within(measured: tuple[float, float]) -> tuple[float, float]:
    """The measured range, widened by 30 % or 0.5 m, whichever is larger."""
    low, high = measured
    return low - max(0.3 * low, 0.5), high + max(0.3 * high, 0.5)


@pytest.mark.parametrize(("downtime_s", "held", "radial", "reference"), PX4_ROWS)
def test_px4_sitl_errs_as_measured_on_px4(
    downtime_s: float, held: bool, radial: tuple[float, float], reference: tuple[float, float]
) -> None:
    testbed = replace(PX4_SITL, loss_timeout_s=math.inf) if held else PX4_SITL
    result, start_s = circles(testbed, downtime_s)
    for error_m, measured in ((result.error_radial_m, radial), (result.error_reference_m, reference)):
        low, high = within(measured)
        assert low <= largest_m(error_m, result, start_s, downtime_s + WINDOW_S) <= high


def test_px4_sitl_flies_as_steadily_as_measured() -> None:
    result, _ = circles(PX4_SITL, 1.08)
    steady = (result.time_s > 15.0) & (result.time_s < 30.0)
    assert result.error_radial_m[:, steady].mean() == pytest.approx(0.26, abs=0.5)
    assert result.error_reference_m[:, steady].mean() == pytest.approx(0.73, abs=0.5)


@pytest.mark.parametrize(("downtime_s", "published_m", "half_width_m"), MOSE_ROWS)
def test_mose_2025_errs_against_the_reference_as_table_iii(
    downtime_s: float, published_m: float, half_width_m: float
) -> None:
    result, start_s = circles(MOSE_2025, downtime_s)
    error_m = largest_m(result.error_reference_m, result, start_s, downtime_s + WINDOW_S)
    assert error_m == pytest.approx(published_m, abs=max(half_width_m, 0.25 * published_m))


def test_the_published_19_m_are_not_radial() -> None:
    result, start_s = circles(MOSE_2025, 3.72)
    assert largest_m(result.error_radial_m, result, start_s, 3.72 + WINDOW_S) < 4.0


def test_the_presets_go_by_their_names() -> None:
    assert TESTBEDS == {"px4-sitl": PX4_SITL, "mose-2025": MOSE_2025}


@pytest.mark.parametrize(
    ("field", "value"),
    [("resume_delay_s", -0.1), ("latency_s", math.inf), ("return_height_m", 0.0), ("loss_timeout_s", 0.01)],
)
def test_a_testbed_out_of_range_is_refused_by_name(field: str, value: float) -> None:
    change: dict[str, Any] = {field: value}
    with pytest.raises(ValueError, match=f"testbed px4-sitl {field} = {value}"):
        replace(PX4_SITL, **change)


@pytest.mark.parametrize("field", ["setpoint_rate_hz", "gain_per_s", "speed_limit_mps"])
def test_an_autopilot_without_rate_gain_or_speed_is_refused_by_name(field: str) -> None:
    with pytest.raises(ValueError, match=f"autopilot {field} = 0"):
        replace(PX4_SITL.autopilot, **{field: 0.0})
