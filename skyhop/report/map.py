"""The map: where UAVs flew, who served them, where services hopped."""

from collections import Counter

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.ticker import NullFormatter

from sim.run import Run
from skyhop.report.style import CYCLE, GREY, INK, PALE, VERMILION, style
from skyhop.report.subject import Floats, Subject, attached_servers, uavs_of
from skyhop.units import METRES

_MARGIN_M = 150.0
_MOST_LABELS = 60
_MOST_LINES = len(CYCLE)


def draw_map(run: Run, subject: Subject) -> Figure:
    """A figure with the map alone."""
    with style():
        figure = Figure(figsize=(9.6, 7.6), layout="constrained")
        map_on(figure.add_subplot(), run, subject)
    return figure


def say_map(run: Run, subject: Subject) -> str:
    """What the map shows."""
    flight, handovers = run.summary["flight"], run.summary["handovers"]
    if flight["uavs"] > 1:
        return (
            f"{flight['uavs']:,} UAVs changed their cell {handovers['count']:,} times; "
            f"{_hops(run.migrations):,} times a service hopped to another edge server."
        )
    sites = len(set(attached_servers(run, subject)[1]))
    failures = handovers["by_cause"].get("radio-link-failure", 0)
    lost = f", {failures} of them after a radio-link failure" if failures else ""
    flown = f"{subject.uav} flew {METRES.show(flight['distance_m'])}" if flight["distance_m"] else subject.uav
    return (
        f"{flown} past {sites} gNBs, with {handovers['count']} handovers{lost}; "
        f"its services hopped {_hops(run.migrations)} times."
    )


def map_on(axes: Axes, run: Run, subject: Subject) -> None:
    """Draw the map of a run: for one UAV its path by serving gNB, for several all paths or their density."""
    site = {row["server"]: (row["east_m"], row["north_m"]) for row in run.cells.iter_rows(named=True)}
    alone = len(uavs_of(run)) == 1
    shown = subject.migrations if alone else run.migrations
    seen = run.trajectory.filter(pl.col("uav") == subject.uav) if alone else run.trajectory
    if not alone and seen.height:
        (_lines if seen["uav"].n_unique() <= _MOST_LINES else _density)(axes, seen)
    times_s, servers = attached_servers(run, subject)
    colour = {server: CYCLE[place % len(CYCLE)] for place, server in enumerate(dict.fromkeys(servers))}
    if alone:
        _path(axes, subject, times_s, [colour[server] for server in servers])
    _hop_arrows(axes, shown, site, alone=alone)
    if alone:
        _handover_marks(axes, subject)
    used = set(colour) if alone else {*shown["source"], *shown["destination"]}
    _sites(axes, site, used, colour if alone else {})
    _frame(axes, seen, np.array([site[server] for server in sorted(used & set(site))]).reshape(-1, 2))
    axes.set_xlabel("east (m)")
    axes.set_ylabel("north (m)")


def _hops(migrations: pl.DataFrame) -> int:
    return migrations.filter(pl.col("state") == "completed").height


def _lines(axes: Axes, trajectory: pl.DataFrame) -> None:
    for colour, ((uav,), rows) in zip(CYCLE, trajectory.group_by("uav", maintain_order=True), strict=False):
        axes.plot(rows["east_m"].to_numpy(), rows["north_m"].to_numpy(), color=colour, linewidth=2.2, label=str(uav))


def _density(axes: Axes, trajectory: pl.DataFrame) -> None:
    east_m, north_m = trajectory["east_m"].to_numpy(), trajectory["north_m"].to_numpy()
    spread = (np.ptp(east_m), np.ptp(north_m))
    bins = [max(int(80 * extent / max(*spread, 1.0)), 1) for extent in spread]
    counts, east_edges, north_edges = np.histogram2d(east_m, north_m, bins=bins)
    shown = np.ma.masked_equal(counts.T, 0)
    norm = LogNorm(1, max(counts.max(), 2))
    mesh = axes.pcolormesh(east_edges, north_edges, shown, cmap="Blues", norm=norm, alpha=0.6, rasterized=True)
    bar = axes.figure.colorbar(mesh, ax=axes, label="samples of flown positions", shrink=0.7, format="%g")
    # Between the powers of ten a logarithmic scale would write formulas.
    bar.ax.yaxis.set_minor_formatter(NullFormatter())


def _path(axes: Axes, subject: Subject, since_s: Floats, colours: list[str]) -> None:
    """The flown path in the colour of the serving gNB, on a dark edge where no set-points arrived."""
    rows = subject.trajectory
    if rows.height < 2:
        return
    points = rows.select("east_m", "north_m").to_numpy()
    segments = np.stack([points[:-1], points[1:]], axis=1)
    held = (rows["mode"] != "offboard").to_numpy()[1:]
    axes.plot(*points.T, color=PALE, linewidth=5, solid_capstyle="round")
    silent = LineCollection(list(segments[held]), colors=INK, linewidths=5.5, label="no set-points arrive")
    axes.add_collection(silent)
    part = np.searchsorted(since_s, rows["time_s"].to_numpy()[1:], side="right") - 1
    starts = np.flatnonzero(np.diff(part, prepend=-2))
    runs = [points[a : b + 1] for a, b in zip(starts, [*starts[1:], len(part)], strict=True)]
    shades = [colours[max(part[start], 0)] for start in starts]
    axes.add_collection(LineCollection(runs, colors=shades, linewidths=2.8))


def _hop_arrows(axes: Axes, migrations: pl.DataFrame, site: dict[str, tuple[float, float]], *, alone: bool) -> None:
    """An arrow for every pair of servers between which services hopped; the more hops, the broader."""
    done = migrations.filter(pl.col("state") == "completed")
    pairs = Counter(done.select(pl.col("source", "destination").cast(pl.String)).rows())
    most = max(pairs.values(), default=1)
    if not alone:
        lines = [[site[source], site[destination]] for source, destination in pairs]
        widths = [0.3 + 3.0 * count / most for count in pairs.values()]
        axes.add_collection(LineCollection(lines, colors=VERMILION, linewidths=widths, alpha=0.6, label="hops"))
        return
    for (source, destination), count in sorted(pairs.items()):
        arrow = FancyArrowPatch(
            site[source],
            site[destination],
            arrowstyle="-|>",
            connectionstyle="arc3,rad=0.18",
            mutation_scale=8,
            shrinkA=5,
            shrinkB=5,
            linewidth=0.5 + 1.2 * count / most,
            color=GREY,
            alpha=0.6,
            zorder=1,
        )
        axes.add_patch(arrow)
    if pairs:
        axes.plot([], [], color=GREY, alpha=0.6, linewidth=1.2, marker=">", markersize=4, label="hop of a service")


def _handover_marks(axes: Axes, subject: Subject) -> None:
    changes = subject.handovers.filter(pl.col("source").is_not_null())
    if subject.trajectory.is_empty() or changes.is_empty():
        return
    failed = (changes["cause"] == "radio-link-failure").to_numpy()
    places = subject.position_at(changes["time_s"].to_numpy())
    for chosen, marker, size, label in (
        (~failed, "o", 18, "handover"),
        (failed, "X", 26, "handover after radio-link failure"),
    ):
        if chosen.any():
            axes.scatter(
                places[chosen, 0],
                places[chosen, 1],
                s=size,
                marker=marker,
                facecolor="white",
                edgecolor=INK,
                linewidth=0.8,
                zorder=4,
                label=label,
            )


def _sites(axes: Axes, site: dict[str, tuple[float, float]], used: set[str], colour: dict[str, str]) -> None:
    places = np.array(list(site.values()))
    axes.scatter(
        places[:, 0], places[:, 1], marker="^", s=22, color=GREY, linewidth=0, label="gNB with edge server", zorder=3
    )
    for server in site:
        if server in used:
            axes.scatter(*site[server], marker="^", s=70, color=colour.get(server, INK), edgecolor=INK, linewidth=0.8,
                         zorder=5)  # fmt: skip
            if len(used) <= _MOST_LABELS:
                axes.annotate(server, site[server], xytext=(0, 7), textcoords="offset points", ha="center",
                              fontsize=8, zorder=6, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75,
                                                          "pad": 0.6})  # fmt: skip


def _frame(axes: Axes, seen: pl.DataFrame, used: Floats) -> None:
    """Show what was flown and who served, and a margin."""
    points = np.concatenate([seen.select("east_m", "north_m").to_numpy(), used])
    if len(points):
        (west, south), (east, north) = points.min(axis=0) - _MARGIN_M, points.max(axis=0) + _MARGIN_M
        axes.set_xlim(west, east)
        axes.set_ylim(south, north)
    axes.set_aspect("equal")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=3)
