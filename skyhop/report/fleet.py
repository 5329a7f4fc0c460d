"""Many UAVs at once: how downtime, stopping distance and error spread over them, and who is worst off."""

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sim.run import Run
from skyhop.report.style import BLUE, CYCLE, GREEN, INK, VERMILION, strategy_words, style
from skyhop.report.subject import Floats

_WORST = 10


def worst_uavs(run: Run) -> pl.DataFrame:
    """A row for every UAV, the longest stopping distance first: distances in m, times in s."""
    uavs = run.handovers.select(pl.col("uav").unique(maintain_order=True))
    stopping = _total(run, "stopping-distance", "stopping_distance_m")
    error = _total(run, "largest-reference-error", "largest_reference_error_m")
    handovers = (
        run.handovers.filter(pl.col("source").is_not_null()).group_by("uav").agg(handovers=pl.len().cast(pl.Int64))
    )
    moves = run.migrations.group_by("uav").agg(
        migrations=pl.len().cast(pl.Int64),
        not_completed=(pl.col("state") != "completed").sum().cast(pl.Int64),
        longest_downtime_s=pl.col("downtime_s").max(),
    )
    for other in (stopping, error, handovers, moves):
        uavs = uavs.join(other, on="uav", how="left", maintain_order="left")
    counted = uavs.with_columns(pl.col(pl.Int64).fill_null(0))
    order = ["stopping_distance_m", "longest_downtime_s"]
    return counted.sort(order, descending=True, nulls_last=True, maintain_order=True)


def draw_fleet(run: Run) -> Figure:
    """Shares of migrations and UAVs below a figure, and migrations at work over time."""
    worst = worst_uavs(run)
    limit_m = run.summary["stopping_distance"]["limit_m"]
    with style():
        figure = Figure(figsize=(9.6, 5.6), layout="constrained")
        (downtime, stopping), (error, load) = figure.subplots(2, 2)
        done = run.migrations.filter(pl.col("state") == "completed")
        for colour, (name, rows) in zip(CYCLE, done.group_by("strategy", maintain_order=True), strict=False):
            _cumulative(downtime, rows["downtime_s"].to_numpy(), colour, strategy_words(str(name[0])))
        _label(downtime, "Downtime of completed migrations (s)", "share of migrations")
        if done.height:
            downtime.legend(loc="lower right")
        _cumulative(stopping, worst["stopping_distance_m"].drop_nulls().to_numpy(), BLUE, None)
        stopping.axvline(limit_m, color=INK, linestyle="--", linewidth=1.2, label="D*")
        stopping.legend(loc="lower right")
        _label(stopping, "Longest stopping distance of a UAV (m)", "share of UAVs")
        _cumulative(error, worst["largest_reference_error_m"].drop_nulls().to_numpy(), GREEN, None)
        _label(error, "Largest error to where the plan is (m)", "share of UAVs")
        _at_work(load, run.migrations, run.summary["flight"]["duration_s"])
    return figure


def say_fleet(run: Run) -> str:
    """How many UAVs stay within D*, and how long the silences were."""
    stopping_m = worst_uavs(run)["stopping_distance_m"].drop_nulls()
    met = int((stopping_m <= run.summary["stopping_distance"]["limit_m"]).sum())
    safe = f"{met:,} of {len(stopping_m):,} UAVs stop within D*" if len(stopping_m) else "No flight was simulated"
    downtime = run.summary["migrations"]["downtime_s"]
    if downtime is None:
        return f"{safe}; no migration completed."
    return f"{safe}; half of all downtimes are below {downtime['median']:.3g} s, 95 % below {downtime['p95']:.3g} s."


def worst_rows(run: Run) -> list[dict[str, object]]:
    """The UAVs that are worst off."""
    return worst_uavs(run).head(_WORST).rows(named=True)


def _total(run: Run, quantity: str, name: str) -> pl.DataFrame:
    rows = run.attribution.filter(pl.col("quantity") == quantity)
    return rows.group_by("uav", maintain_order=True).agg(pl.col("metres").sum().alias(name))


def _cumulative(axes: Axes, values: Floats, colour: str, label: str | None) -> None:
    """The share of values up to each one."""
    if len(values):
        ordered, counts = np.unique(np.round(values, 3), return_counts=True)
        share = np.cumsum(counts) / len(values)
        axes.step([ordered[0], *ordered], [0.0, *share], where="post", color=colour, label=label)


def _label(axes: Axes, horizontal: str, vertical: str) -> None:
    axes.set_xlabel(horizontal)
    axes.set_ylabel(vertical)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)


def _at_work(axes: Axes, migrations: pl.DataFrame, end_s: float) -> None:
    """How many migrations are under way at a time."""
    starts, ends = (np.sort(migrations[name].to_numpy()) for name in ("started_s", "ended_s"))
    time_s = np.linspace(0.0, end_s, 400)
    count = np.searchsorted(starts, time_s, side="right") - np.searchsorted(ends, time_s, side="right")
    axes.step(time_s, count, where="post", color=VERMILION)
    axes.set_xlabel("time since the start (s)")
    axes.set_ylabel("migrations under way")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylim(bottom=0)
