"""Quantities as people type and read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyhop.units import BANDWIDTH, BYTES, METRES, SECONDS, Dimension, round_down, round_up


@pytest.mark.parametrize(
    ("dimension", "text", "value"),
    [
        (BYTES, "25MB", 25e6),
        (BYTES, " 25 MB ", 25e6),
        (BYTES, "2MiB", 2 * 1024**2),
        (BYTES, "4096", 4096.0),
        (BYTES, "1.5e3kB", 1.5e6),
        (BANDWIDTH, "1Gbit/s", 1e9),
        (BANDWIDTH, "38.61Mbps", 38.61e6),
        (SECONDS, "250ms", 0.25),
        (SECONDS, ".5", 0.5),
        (SECONDS, "2min", 120.0),
        (SECONDS, "-3s", -3.0),
    ],
)
def test_a_number_with_a_unit_becomes_si(dimension: Dimension, text: str, value: float) -> None:
    assert dimension.parse(text) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("dimension", "text", "complaint"),
    [
        (BYTES, "25mb", 'the unit "mb"; a size takes one of B, kB, .*did you mean MB?'),
        (BYTES, "25Mbit", 'the unit "Mbit"'),
        (BANDWIDTH, "1GB/s", 'the unit "GB/s"; a bandwidth takes one of bit/s'),
        (SECONDS, "5 sec", 'the unit "sec"; a time takes one of s, ms'),
        (SECONDS, "soon", 'got "soon"; a time is a number and a unit'),
        (SECONDS, "", 'got ""'),
        (SECONDS, "nan", 'got "nan"'),
        (BYTES, "1e999", "must be a finite number"),
    ],
)
def test_anything_else_is_answered_with_what_would_be_right(dimension: Dimension, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        dimension.parse(text)


@given(st.sampled_from([BYTES, BANDWIDTH, SECONDS, METRES]), st.floats(1e-3, 1e14))
def test_what_is_shown_reads_back_within_four_digits(dimension: Dimension, value: float) -> None:
    # A quantity below the smallest unit shown has fewer digits.
    smallest = dimension.factors[dimension.shown[-1]]
    assert dimension.parse(dimension.show(value).replace(",", "")) == pytest.approx(value, rel=1e-3, abs=smallest / 1e3)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0 s"), (1.0, "1 s"), (0.9067, "906.7 ms"), (8.325, "8.325 s"), (2e-6, "2 µs"), (float("inf"), "unlimited")],
)
def test_a_time_is_shown_in_the_unit_that_fits(value: float, text: str) -> None:
    assert SECONDS.show(value) == text


@given(st.floats(0.0, 1e6), st.integers(0, 4))
def test_rounding_to_the_safe_side_keeps_to_it(value: float, decimals: int) -> None:
    last = 10.0**-decimals
    assert value - last < float(round_down(value, decimals)) <= value + 1e-3 * last
    assert value - 1e-3 * last <= float(round_up(value, decimals)) < value + last


def test_a_round_figure_is_not_pushed_to_its_neighbour_by_the_last_bit() -> None:
    assert round_down(4.46 * (1 - 1e-9), 3) == "4.460"
    assert round_up(38.61 * (1 + 1e-9), 2) == "38.61"
