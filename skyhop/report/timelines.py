"""Time lines of one UAV: servers, migrations, latency, trajectory error and video, one above the other."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.run import Run
from skyhop.report.style import BLUE, CYCLE, INK, ORANGE, PALE, SKY, VERMILION, legend_above, strategy_words, style
from skyhop.report.subject import Floats, Subject, attached_servers, outages
from skyhop.units import METRES, SECONDS

Window = tuple[float, float]
_MOST_SERVERS = 36
_HANDOVER_TINT = "#CC79A7"


def draw_timelines(run: Run, subject: Subject, window: Window) -> Figure:
    """A figure of all panels that have something to show between the two times of `window`."""
    panels = panels_of(run, subject, window)
    heights = [height for _, height in panels]
    with style():
        figure = Figure(figsize=(9.6, sum(heights)), layout="constrained")
        grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False, height_ratios=heights)
        for axes, (panel, _) in zip(grid[:, 0], panels, strict=True):
            panel(axes, run, subject, window)
            axes.set_xlim(window)
        grid[-1, 0].set_xlabel("time since the start (s)")
        figure.align_ylabels()
    return figure


def say_timelines(subject: Subject) -> str:
    """How long each service ran elsewhere than beside the serving gNB."""
    away = []
    for service in subject.services:
        rows = subject.latency.filter(pl.col("service") == service)
        held_s = np.diff(rows["time_s"].to_numpy(), append=subject.end_s).clip(min=0.0)
        share = held_s[(rows["hops"] != 0).to_numpy()].sum() / max(held_s.sum(), 1e-9)
        away.append(f"{subject.short(service)} {100 * share:.0f} %")
    if not away:
        return f"No service follows {subject.uav}."
    return f"Share of the time that each service ran elsewhere than beside the serving gNB: {', '.join(away)}."


def closest_look(subject: Subject) -> tuple[Window, str] | None:
    """The window around the hop after whose silence the trajectory error grew most, else around the longest silence.

    Only services that steer the UAV count, if there are any. Returns the window and a sentence about it.
    """
    moved = subject.migrations.filter((pl.col("state") == "completed") & (pl.col("downtime_s") > 0))
    vital = moved.filter(pl.col("service").is_in(subject.critical))
    hops = [(_window_of(row), row) for row in (vital if vital.height else moved).iter_rows(named=True)]
    if not hops:
        return None
    grown_m = [_error_growth_m(subject, (row["down_from_s"], window[1])) for window, row in hops]
    place = max(range(len(hops)), key=lambda hop: (grown_m[hop][1] - grown_m[hop][0], hops[hop][1]["downtime_s"]))
    (window, row), (before_m, after_m) = hops[place], grown_m[place]
    error = ""
    if subject.trajectory.height:
        error = (
            f"; the UAV's distance from where the plan is went from {METRES.show(before_m)} to {METRES.show(after_m)}"
        )
    text = (
        f"The {subject.short(row['service'])} was silent for {SECONDS.show(row['downtime_s'])} from "
        f"{row['down_from_s']:.1f} s on, while it hopped from {row['source']} to {row['destination']} by "
        f"{strategy_words(row['strategy'])} migration{error}."
    )
    return window, text


def _window_of(migration: dict[str, Any]) -> Window:
    pause_s = max(0.3 * migration["duration_s"], 1.0)
    return max(migration["requested_s"] - pause_s, 0.0), migration["ended_s"] + 4 * pause_s


def _error_growth_m(subject: Subject, window: Window) -> tuple[float, float]:
    """The reference error at the start of a window, and the largest within it."""
    first, last = np.searchsorted(subject.trajectory["time_s"].to_numpy(), window)
    errors_m = subject.trajectory["reference_error_m"].to_numpy()[first:last]
    return (float(errors_m[0]), float(np.max(errors_m))) if len(errors_m) else (0.0, 0.0)


def servers_on(axes: Axes, run: Run, subject: Subject, window: Window) -> None:
    """Serving gNB and the server of each service; a service that lags behind shows as a line beside the band."""
    times_s, attached = attached_servers(run, subject)
    level = _levels(run, subject, window)
    heights = np.array([level.get(server, np.nan) for server in attached])
    until_s = np.append(times_s[1:], subject.end_s)
    axes.hlines(heights, times_s, until_s, color=PALE, linewidth=7, label="serving gNB")
    for colour, service in zip(CYCLE, subject.services, strict=False):
        rows = subject.latency.filter(pl.col("service") == service)
        heights = np.array([level.get(server, np.nan) for server in rows["server"]])
        time_s = np.append(rows["time_s"].to_numpy(), subject.end_s)
        axes.step(time_s, np.append(heights, heights[-1:]), where="post", color=colour, label=subject.short(service))
    axes.set_ylim(-0.6, len(level) - 0.4)
    axes.set_yticks(range(len(level)), list(level) if len(level) <= _MOST_SERVERS else [""] * len(level))
    axes.tick_params(axis="y", labelsize=7)
    axes.set_ylabel("server")
    axes.grid(axis="y", visible=False)
    legend_above(axes)


def migrations_on(axes: Axes, run: Run, subject: Subject, window: Window) -> None:
    """Bars of every migration: state sent ahead while the service runs, Stop&Copy, pages fetched afterwards."""
    kind = (
        pl.when(pl.col("phase") == "page-fault")
        .then(pl.lit("pages fetched on demand"))
        .when(pl.col("service_down"))
        .then(pl.lit("Stop&Copy, service silent"))
        .otherwise(pl.lit("sent ahead, service runs"))
    )
    service = subject.migrations.select("migration", "service")
    bars = (
        subject.phases.with_columns(kind=kind)
        .join(service, on="migration", maintain_order="left")
        .group_by("migration", "service", "kind", maintain_order=True)
        .agg(pl.col("started_s").min(), length_s=(pl.col("started_s") + pl.col("duration_s")).max())
        .with_columns(pl.col("length_s") - pl.col("started_s"))
    )
    shades = dict(
        zip(("sent ahead, service runs", "Stop&Copy, service silent", "pages fetched on demand"),
            (SKY, VERMILION, ORANGE), strict=True)
    )  # fmt: skip
    level = {service: place for place, service in enumerate(reversed(subject.services))}
    for name, shade in shades.items():
        own = bars.filter(pl.col("kind") == name)
        for place, (service_name, at) in enumerate(level.items()):
            spans = own.filter(pl.col("service") == service_name).select("started_s", "length_s").rows()
            label = name if place == 0 and own.height else None
            axes.broken_barh(spans, (at - 0.3, 0.6), facecolor=shade, edgecolor=shade, linewidth=0.4, label=label)
    axes.set_yticks(range(len(level)), [subject.short(name) for name in level])
    axes.set_ylim(-0.6, len(level) - 0.4)
    axes.set_ylabel("migrations")
    axes.grid(axis="y", visible=False)
    legend_above(axes)


def latency_on(axes: Axes, run: Run, subject: Subject, window: Window) -> None:
    """End-to-end latency; a gap where no path leads to the service."""
    for colour, service in zip(CYCLE, subject.services, strict=False):
        rows = subject.latency.filter(pl.col("service") == service)
        latency_ms = rows["latency_s"].to_numpy() * 1e3
        latency_ms = np.where(np.isfinite(latency_ms), latency_ms, np.nan)
        if len(latency_ms):
            time_s = np.append(rows["time_s"].to_numpy(), subject.end_s)
            axes.step(time_s, np.append(latency_ms, latency_ms[-1]), where="post", color=colour,
                      label=subject.short(service))  # fmt: skip
    axes.set_ylim(bottom=0)
    axes.set_ylabel("latency (ms)")
    legend_above(axes)


def error_on(axes: Axes, run: Run, subject: Subject, window: Window) -> None:
    """Both trajectory errors, over the silences of what steers the UAV and the interruptions of handovers."""
    steering = subject.migrations.filter(pl.col("service").is_in(subject.critical))
    _shade(axes, outages(steering), VERMILION, 0.25, "autopilot silent")
    gaps = subject.handovers.filter(pl.col("interruption_s") > 0).select("time_s", "interruption_s").to_numpy()
    _shade(axes, gaps, _HANDOVER_TINT, 0.8, "handover interruption")
    rows = subject.trajectory
    for name, colour, label in (
        ("reference_error_m", BLUE, "to where the plan is now"),
        ("radial_error_m", INK, "to the planned path"),
    ):
        axes.plot(rows["time_s"].to_numpy(), rows[name].to_numpy(), color=colour, linewidth=0.9, label=label)
    seen = rows.filter(pl.col("time_s").is_between(*window))
    top = float(np.max(seen["reference_error_m"].to_numpy(), initial=0.1))
    axes.set_ylim(0, 1.05 * max(top, float(np.max(seen["radial_error_m"].to_numpy(), initial=0.1))))
    axes.set_ylabel("error (m)")
    legend_above(axes)


def frames_on(axes: Axes, run: Run, subject: Subject, window: Window) -> None:
    """Frames lost to each outage and frames that waited when it was over."""
    for name, colour, label, shift in (("backlog", SKY, "waiting at its end", 0.5), ("lost", VERMILION, "lost", -0.5)):
        ends_s = pl.col("start_s") + pl.col("outage_s")
        rows = subject.frames.filter((pl.col(name) > 0) & ends_s.is_between(*window))
        time_s = (rows["start_s"] + rows["outage_s"]).to_numpy()
        # Side by side by a pixel or two, whatever the window.
        moved_s = time_s + shift * 0.003 * (window[1] - window[0])
        axes.vlines(moved_s, 0, rows[name].to_numpy(), color=colour, linewidth=2.0, label=label)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("frames per\noutage")
    legend_above(axes)


Panel = Callable[[Axes, Run, Subject, Window], None]


def panels_of(run: Run, subject: Subject, window: Window) -> list[tuple[Panel, float]]:
    """What there is to show of a UAV in a window, with heights in inches."""
    ends_s = pl.col("start_s") + pl.col("outage_s")
    outages_seen = subject.frames.filter(ends_s.is_between(*window) & (pl.col("lost") + pl.col("backlog") > 0))
    servers = min(len(_levels(run, subject, window)), _MOST_SERVERS)
    wanted: Sequence[tuple[bool, Panel, float]] = (
        (True, servers_on, 0.8 + 0.11 * servers),
        (subject.phases.height > 0, migrations_on, 0.7 + 0.3 * len(subject.services)),
        (subject.latency.height > 0, latency_on, 1.5),
        (subject.trajectory.height > 0, error_on, 2.0),
        (outages_seen.height > 0, frames_on, 1.4),
    )
    return [(panel, height) for there, panel, height in wanted if there]


def _levels(run: Run, subject: Subject, window: Window) -> dict[str, int]:
    """Heights of the servers that serve the UAV or run its services within the window, in the order of first use."""
    inside = _held_within(*attached_servers(run, subject), window)
    for service in subject.services:
        rows = subject.latency.filter(pl.col("service") == service)
        inside += _held_within(rows["time_s"].to_numpy(), rows["server"].to_list(), window)
    return {server: place for place, server in enumerate(dict.fromkeys(inside))}


def _held_within(since_s: Floats, values: list[str], window: Window) -> list[str]:
    """The values that hold at some time within the window, each from its time on."""
    first = max(int(np.searchsorted(since_s, window[0], side="right")) - 1, 0)
    return values[first : int(np.searchsorted(since_s, window[1], side="right"))]


def _shade(axes: Axes, spans: Floats, colour: str, alpha: float, label: str) -> None:
    if len(spans):
        axes.broken_barh(
            spans.tolist(), (0, 1), transform=axes.get_xaxis_transform(), facecolor=colour, edgecolor=colour,
            linewidth=0.3, alpha=alpha, label=label, zorder=0.5,
        )  # fmt: skip
