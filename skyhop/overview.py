"""A run at a glance: the map beside the time lines of one UAV."""

from matplotlib.figure import Figure

from sim.run import Run
from skyhop.report.map import map_on
from skyhop.report.style import style
from skyhop.report.subject import subject_of
from skyhop.report.timelines import panels_of


def plot(run: Run) -> Figure:
    """Draw where the UAVs of `run` flew and what happened on the way.

    The time lines are those of the UAV with the longest stopping distance. Raises ValueError if the run has no UAV.
    """
    subject = subject_of(run)
    if subject is None:
        raise ValueError(f"run {run.scenario.name!r} has no UAV that was attached to a cell, so nothing to plot")
    window = (0.0, subject.end_s)
    panels = panels_of(run, subject, window)
    heights = [height for _, height in panels]
    with style():
        figure = Figure(figsize=(14.0, max(sum(heights), 6.0)), layout="constrained")
        left, right = figure.subfigures(1, 2, squeeze=False)[0]
        map_on(left.subplots(), run, subject)
        column = right.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)
        for axes, (panel, _) in zip(column[:, 0], panels, strict=True):
            panel(axes, run, subject, window)
            axes.set_xlim(window)
        column[-1, 0].set_xlabel("time since the start (s)")
        figure.suptitle(f"{run.scenario.name}: {subject.uav}", x=0.01, ha="left", fontweight="bold")
    return figure
