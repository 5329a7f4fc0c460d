"""Figures of benchmarks: their bounds, and the line of text that carries them from one process to another."""

import pytest

from benchmarks.figure import Figure


@pytest.mark.parametrize(
    ("bound", "value", "met"),
    [("at least", 200.0, True), ("at least", 199.0, False), ("at most", 200.0, True), ("at most", 201.0, False)],
)
def test_a_bound_is_kept_up_to_its_aim(bound: str, value: float, met: bool) -> None:
    assert Figure("speed", value, "m/s", bound, 200.0).met is met


@pytest.mark.parametrize("value", [0.5, 1.08, 60.0, 192.0, 221_666.0])
def test_a_figure_is_read_back_from_its_line(value: float) -> None:
    figure = Figure("peak memory", value, "MiB of all", "at most", 200.0)
    assert Figure.parse(str(figure)) == figure


def test_a_line_says_whether_the_aim_is_met() -> None:
    assert str(Figure("speed", 221_666.0, "UAV-seconds per CPU second", "at least", 200_000.0)) == (
        "speed: 221,666 UAV-seconds per CPU second (at least 200,000: met)"
    )


def test_any_other_line_tells_of_no_figure() -> None:
    assert Figure.parse("CPU: 4.51 s in all, first tenth 0.386 s, last tenth 0.433 s") is None
