"""What handovers and downtime do to the video: frames lost and queued, identities kept."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mobility import Cause
from mot import COASTING, NOT_COASTING, ReadingPolicy, frame_flow
from scenarios.edge import TrackerService
from sim.tables import SCHEMA, codes, frame_of
from sim.world import World
from uav import Silence

Floats = NDArray[np.float64]


def count_frames(world: World, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """The table `frames`: a row for every outage of every tracker, by its downtime, a handover of its UAV, or both."""
    rows: dict[str, list[NDArray[np.generic]]] = {column.name: [] for column in SCHEMA["frames"]}
    place = {name: index for index, name in enumerate(world.names.service)}
    for settings in world.scenario.services:
        if isinstance(settings, TrackerService):
            owners = {
                place[f"{world.names.uav[uav]}/{settings.name}"]: uav
                for group, uavs in world.groups
                if settings.name in group.services
                for uav in uavs
            }
            if owners:
                _append(rows, world, tables, settings, np.array(list(owners)), np.array(list(owners.values())))
    joined = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in rows.items()}
    return frame_of(SCHEMA["frames"], joined, world.names)


def _append(
    rows: dict[str, list[NDArray[np.generic]]],
    world: World,
    tables: dict[str, pl.DataFrame],
    settings: TrackerService,
    services: NDArray[np.int64],
    uavs: NDArray[np.int64],
) -> None:
    """Rows of all trackers of one kind; `services` (S,) with their UAVs `uavs` (S,)."""
    starts_s, ends_s = _outages(world, tables, services, uavs)
    flow = frame_flow(
        starts_s,
        ends_s,
        duration_s=world.duration_s,
        frame_rate_hz=settings.frame_rate_hz,
        inference_s=settings.inference_s,
        policy=ReadingPolicy(settings.reading),
        capacity=settings.queue_frames,
    )
    there = np.isfinite(starts_s) & (starts_s < world.duration_s)
    service, _ = np.nonzero(there)
    gap_s = flow.outage_lost[there] / settings.frame_rate_hz
    survival = COASTING if settings.coasting else NOT_COASTING
    columns = {
        "uav": uavs[service],
        "service": services[service],
        "start_s": starts_s[there],
        "outage_s": (ends_s - starts_s)[there],
        "arrived": flow.outage_arrived[there],
        "lost": (flow.outage_lost + flow.lost_after)[there],
        "backlog": flow.maximum_backlog[there],
        "catch_up_s": flow.catch_up_s[there],
        "identities_kept": survival.probability(gap_s),
    }
    for name, values in columns.items():
        rows[name].append(values)


def _outages(
    world: World, tables: dict[str, pl.DataFrame], services: NDArray[np.int64], uavs: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """Starts and ends (S, O) of every tracker's outages in time order, padded with NaN; two that meet are one."""
    moved = tables["migrations"].filter(pl.col("down_from_s").is_finite())
    handovers = tables["handovers"].filter(pl.col("cause") != Cause.INITIAL.name.lower())
    row_of_service = np.full(len(world.names.service), -1)
    row_of_service[services] = np.arange(len(services))
    row_of_uav = np.full(len(world.names.uav), -1)
    row_of_uav[uavs] = np.arange(len(uavs))
    row = np.concatenate([row_of_service[codes(moved, "service")], row_of_uav[codes(handovers, "uav")]])
    start_s = np.concatenate([moved["down_from_s"].to_numpy(), handovers["time_s"].to_numpy()])
    length_s = np.concatenate([moved["downtime_s"].to_numpy(), handovers["interruption_s"].to_numpy()])
    ours = row >= 0
    # To the nanosecond, so that one that begins where another ends does meet it.
    edges_s = np.round([start_s[ours], (start_s + length_s)[ours]], 9)
    silence = Silence.of(row[ours], *edges_s).union()
    counts = np.bincount(silence.uav, minlength=len(services))
    column = np.arange(len(silence.uav)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts_s = np.full((len(services), max(int(counts.max(initial=0)), 1)), np.nan)
    ends_s = starts_s.copy()
    starts_s[silence.uav, column] = silence.start_s
    ends_s[silence.uav, column] = silence.end_s
    return starts_s, ends_s
