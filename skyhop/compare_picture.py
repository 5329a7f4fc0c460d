"""The picture of a comparison: how long migrations took, and how far the UAVs were off their plan."""

from collections.abc import Mapping
from itertools import cycle
from textwrap import shorten

import polars as pl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.compare import largest_error
from sim.run import Run

# Okabe and Ito's palette, which people with any kind of colour vision can tell apart, darkest first.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("-", "--", ":", "-.")


def draw(runs: Mapping[str, Run]) -> Figure:
    """Draw the distributions of downtime and duration (s), and the trajectory error (m) over time (s), a line a run."""
    figure = Figure(figsize=(12.0, 4.2), layout="constrained")
    downtime, duration, error = figure.subplots(1, 3)
    styles = zip(runs.items(), cycle(_COLOURS), cycle(_DASHES), strict=False)
    for (name, run), colour, dashes in styles:
        line = {"label": shorten(name, 40), "color": colour, "linestyle": dashes}
        done = run.migrations.filter(pl.col("state") == "completed")
        for axes, column in ((downtime, "downtime_s"), (duration, "duration_s")):
            if not done.is_empty():
                axes.ecdf(done[column].to_numpy(), **line)
        if not run.trajectory.is_empty():
            error.plot(*largest_error(run), linewidth=1.2, **line)
    downtime.set(title="Downtime", xlabel="downtime (s)", ylabel="share of completed migrations")
    duration.set(title="Duration", xlabel="migration duration (s)", ylabel="share of completed migrations")
    error.set(title="Trajectory error", xlabel="time (s)", ylabel="largest error against the plan (m)")
    for axes in (downtime, duration, error):
        _finish(axes)
    named = {text: handle for axes in (downtime, duration, error) for handle, text in zip(*_legend(axes), strict=True)}
    if named:
        figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=3)
    return figure


def _legend(axes: Axes) -> tuple[list[Artist], list[str]]:
    handles, labels = axes.get_legend_handles_labels()
    return list(handles), list(labels)


def _finish(axes: Axes) -> None:
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    if axes.lines:
        axes.set_xlim(0.0, 1.05 * axes.dataLim.x1 or 1.0)
        axes.set_ylim(bottom=0.0)
    else:
        axes.text(0.5, 0.5, "no run has any", transform=axes.transAxes, ha="center", va="center")
