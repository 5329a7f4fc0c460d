"""Where each metre came from: stopping distance and trajectory error, cause by cause."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from skyhop.report.style import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION, YELLOW, style
from skyhop.report.subject import Subject
from skyhop.units import METRES

_COLOURS = {
    "braking": GREY,
    "control": GREY,
    "video": YELLOW,
    "network": SKY,
    "queueing": GREEN,
    "processing": BLUE,
    "handover": PURPLE,
    "downtime": VERMILION,
}
_TITLES = {
    "stopping-distance": "Longest stopping distance",
    "largest-reference-error": "Largest error to where the plan is",
    "mean-reference-error": "Mean error to where the plan is",
    "largest-radial-error": "Largest error to the planned path",
}
_ERRORS = ("largest-reference-error", "mean-reference-error", "largest-radial-error")


def draw_stopping(subject: Subject, limit_m: float) -> Figure:
    """The stopping distance line by line, against D*."""
    shares = _shares(subject, "stopping-distance")
    with style():
        figure = Figure(figsize=(9.6, 0.9 + 0.3 * (len(shares) + 1)), layout="constrained")
        axes = figure.add_subplot()
        _waterfall(axes, shares)
        axes.axvline(limit_m, color=INK, linestyle="--", linewidth=1.2)
        axes.annotate(f"D* = {METRES.show(limit_m)}", (limit_m, 1.0), xycoords=("data", "axes fraction"),
                      xytext=(4, 4), textcoords="offset points")  # fmt: skip
        axes.set_xlim(0, 1.15 * max(limit_m, sum(shares.values())))
        axes.set_xlabel("stopping distance (m)")
    return figure


def say_stopping(subject: Subject) -> str:
    """The causes that weigh most in the stopping distance."""
    shares = _shares(subject, "stopping-distance")
    total_m = sum(shares.values())
    heaviest = sorted(shares, key=shares.__getitem__, reverse=True)[:3]
    words = ", ".join(f"{cause} {METRES.show(shares[cause])} ({100 * shares[cause] / total_m:.0f} %)"
                      for cause in heaviest) if total_m > 0 else "nothing moves"  # fmt: skip
    return f"{subject.uav} needs {METRES.show(total_m)} to stop at worst: {words} weigh most."


def draw_errors(subject: Subject) -> Figure:
    """Largest and mean errors of the trajectory, each by what adding a cause changed."""
    with style():
        figure = Figure(figsize=(9.6, 2.6), layout="constrained")
        for axes, quantity in zip(figure.subplots(1, len(_ERRORS)), _ERRORS, strict=True):
            _waterfall(axes, _shares(subject, quantity))
            axes.set_title(_TITLES[quantity], fontsize=9)
            axes.set_xlabel("m")
            axes.margins(x=0.3)
    return figure


def say_errors(subject: Subject) -> str:
    """How much of the largest error is there with a perfect edge, and what adds most to it."""
    shares = _shares(subject, "largest-reference-error")
    added = {cause: metres for cause, metres in shares.items() if cause != "control"}
    most = max(added, key=added.__getitem__)
    return (
        f"{METRES.show(shares['control'])} of the largest error of {METRES.show(sum(shares.values()))} would be there "
        f"with an ideal edge; {most} adds most, {METRES.show(added[most])}."
    )


def _shares(subject: Subject, quantity: str) -> dict[str, float]:
    rows = subject.attribution.filter(pl.col("quantity") == quantity)
    return dict(zip(rows["cause"].cast(pl.String), rows["metres"], strict=True))


def _waterfall(axes: Axes, shares: dict[str, float]) -> None:
    """A bar for each cause, from where the one above it ends, and their sum at the bottom."""
    start_m, farthest_m = 0.0, 0.0
    for place, (cause, metres) in enumerate(shares.items()):
        axes.barh(place, metres, left=start_m, color=_COLOURS.get(cause, ORANGE), height=0.7)
        _figure_beside(axes, max(start_m, start_m + metres), place, metres)
        start_m += metres
        farthest_m = max(farthest_m, start_m)
    axes.barh(len(shares), start_m, color=INK, height=0.7)
    _figure_beside(axes, start_m, len(shares), start_m)
    axes.set_yticks(range(len(shares) + 1), [*shares, "sum"])
    axes.set_xlim(0, 1.3 * max(farthest_m, 1e-3))
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)


def _figure_beside(axes: Axes, at_m: float, place: int, metres: float) -> None:
    # Adding zero takes the sign from what rounds to zero.
    axes.annotate(
        f"{round(metres, 2) + 0.0:.2f}",
        (at_m, place),
        xytext=(3, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
    )
