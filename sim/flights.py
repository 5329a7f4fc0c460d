"""What latency, handovers and downtime do to the flight: the closed loop, flown once for every cause added."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mobility import Cause, named_generator
from scenarios.fleet import Group
from sim.tables import CONTRIBUTIONS, QUANTITIES, SCHEMA, codes, frame_of, index_of
from sim.world import World
from uav import TESTBEDS, FlightResult, Latencies, LoopLatency, Silence, Testbed, fly, stopping_lines

Floats = NDArray[np.float64]
Columns = dict[str, list[NDArray[Any]]]

# The causes of trajectory error in the order in which they are added; each one's share is what its adding changes.
_STAGES = ("control", "processing", "queueing", "network", "handover", "downtime")
# Lines of a stopping budget that are called otherwise in the tables.
_STOPPING_CAUSE = {"handover_interruption": "handover"}
_CALIBRATED_SPEED_MPS = 5.0
_QUANTITY, _CAUSE = index_of(QUANTITIES), index_of(CONTRIBUTIONS)
# Samples flown at once: the reference of a batch, for all stages, then takes about 120 MB.
_BATCH_SAMPLES = 5_000_000


@dataclass(frozen=True, slots=True)
class _Loop:
    """What the autopilot loop of every UAV meets: latency rows by part, silence by cause; all by index of the UAV."""

    uav: NDArray[np.int64]
    time_s: Floats
    parts_s: dict[str, Floats]
    handover: Silence
    downtime: Silence


def fly_world(world: World, tables: dict[str, pl.DataFrame]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables `trajectory` and `attribution` of a world whose events are played."""
    trajectory: Columns = {column.name: [] for column in SCHEMA["trajectory"]}
    attribution: list[tuple[int, int, int, float]] = []
    if world.scenario.flight.simulate:
        loop = _loop(world, tables)
        for group, uavs in world.groups:
            speed_mps = _top_speed_mps(world, uavs)
            testbed = _testbed(world, group, float(speed_mps.max()))
            for batch in _batches(uavs, world.duration_s / world.scenario.flight.sample_s):
                flown = _fly(world, batch, testbed, loop)
                _sample(world, batch, flown, trajectory)
                attribution += _error_shares(batch, flown)
                at = slice(batch.start - uavs.start, batch.stop - uavs.start)
                attribution += _stopping_shares(world, batch, speed_mps[at], testbed, loop)
    rows = np.array(attribution, dtype=np.float64).reshape(-1, 4)
    shares = {column.name: rows[:, at] for at, column in enumerate(SCHEMA["attribution"])}
    joined = {name: np.concatenate(parts) if parts else np.empty(0) for name, parts in trajectory.items()}
    return (
        frame_of(SCHEMA["trajectory"], joined, world.names),
        frame_of(SCHEMA["attribution"], shares, world.names),
    )


def _testbed(world: World, group: Group, top_speed_mps: float) -> Testbed:
    """The scenario's testbed, with the group's vehicle where it has its own.

    The preset's autopilot is calibrated on the 5 m/s circle; its speed limit keeps the same ratio to a faster path,
    or it could never catch up.
    """
    testbed = TESTBEDS[world.scenario.flight.testbed]
    limit_mps = testbed.autopilot.speed_limit_mps * max(top_speed_mps / _CALIBRATED_SPEED_MPS, 1.0)
    testbed = replace(testbed, autopilot=replace(testbed.autopilot, speed_limit_mps=limit_mps))
    if group.vehicle is None:
        return testbed
    return replace(testbed, vehicle=replace(testbed.vehicle, **group.vehicle.model_dump(exclude_none=True)))


def _top_speed_mps(world: World, uavs: range) -> Floats:
    """Top horizontal speed of the planned path of every UAV, over whole seconds."""
    time_s = np.arange(0.0, world.duration_s + 1.0)
    return np.array(
        [np.hypot(*np.diff(world.fleet.sample(time_s, slice(uav, uav + 1))[0, :, :2], axis=0).T).max() for uav in uavs]
    )


def _batches(uavs: range, samples: float) -> Iterator[range]:
    size = max(1, int(_BATCH_SAMPLES / (len(_STAGES) * (samples + 1))))
    for first in range(uavs.start, uavs.stop, size):
        yield range(first, min(first + size, uavs.stop))


def _loop(world: World, tables: dict[str, pl.DataFrame]) -> _Loop:
    """Gather what the tables say of the autopilot services; UAVs without one fly by an autopilot of their own."""
    settings = {service.name: service for service in world.scenario.services}
    flies = np.zeros(len(world.names.service), dtype=bool)
    for index, name in enumerate(world.names.service):
        flies[index] = settings[name.rsplit("/", 1)[1]].type == "autopilot"

    latency = tables["latency"]
    latency = latency.filter(pl.Series(flies[codes(latency, "service")]))
    network_s = latency["network_s"].to_numpy()
    reachable = np.isfinite(network_s)
    parts = {name: latency[f"{name}_s"].to_numpy() for name in ("processing", "queueing")}
    parts["network"] = np.where(reachable, network_s, 0.0)
    uav, time_s = codes(latency, "uav"), latency["time_s"].to_numpy()

    handovers = tables["handovers"].filter(pl.col("cause") != Cause.INITIAL.name.lower())
    start_s = handovers["time_s"].to_numpy()
    has_service = np.isin(codes(handovers, "uav"), uav)
    handover = Silence.of(
        codes(handovers, "uav")[has_service],
        start_s[has_service],
        (start_s + handovers["interruption_s"].to_numpy())[has_service],
    )
    moved = tables["migrations"]
    moved = moved.filter(pl.Series(flies[codes(moved, "service")]) & pl.col("down_from_s").is_finite())
    start_s = moved["down_from_s"].to_numpy()
    down = Silence.of(codes(moved, "uav"), start_s, start_s + moved["downtime_s"].to_numpy())
    cut_off = _cut_off(uav, time_s, reachable, world.duration_s)
    return _Loop(uav, time_s, parts, handover, Silence.joined([down, cut_off]))


def _cut_off(uav: NDArray[np.int64], time_s: Floats, reachable: NDArray[np.bool_], end_s: float) -> Silence:
    """Silence of the services that no path leads to, until their next row."""
    order = np.lexsort((time_s, uav))
    until_s = np.full(len(uav), end_s)
    same = uav[order][:-1] == uav[order][1:]
    until_s[order[:-1][same]] = time_s[order[1:][same]]
    lost = ~reachable & (until_s > time_s)
    return Silence.of(uav[lost], time_s[lost], until_s[lost])


def _fly(world: World, batch: range, testbed: Testbed, loop: _Loop) -> FlightResult:
    """Fly a batch of UAVs once for every stage; row `stage * len(batch) + number` is one UAV at one stage."""
    settings = world.scenario.flight
    count, stages = len(batch), len(_STAGES)
    step_s = min(settings.sample_s, 0.1)
    time_s = np.arange(int(np.floor(world.duration_s / step_s + 1e-6)) + 1) * step_s
    reference = world.fleet.sample(time_s, slice(batch.start, batch.stop))
    reference = np.broadcast_to(reference, (stages, *reference.shape)).reshape(stages * count, *reference.shape[1:])
    silences, latencies = [], []
    for stage in range(stages):
        shift = stage * count - batch.start
        added = _STAGES[: stage + 1]
        parts_s = [loop.parts_s[name] for name in added if name in loop.parts_s]
        if parts_s:
            inside = (loop.uav >= batch.start) & (loop.uav < batch.stop)
            latencies.append((loop.uav[inside] + shift, loop.time_s[inside], np.sum(parts_s, axis=0)[inside]))
        for silence in (getattr(loop, name) for name in added if name in ("handover", "downtime")):
            inside = (silence.uav >= batch.start) & (silence.uav < batch.stop)
            silences.append(Silence(silence.uav[inside] + shift, silence.start_s[inside], silence.end_s[inside]))
    seed = np.random.SeedSequence(world.scenario.seed)
    generators = [named_generator(seed, f"flight/{world.names.uav[uav]}") for _ in _STAGES for uav in batch]
    return fly(
        reference,
        step_s,
        testbed,
        silence=Silence.joined(silences),
        latency=LoopLatency.of(*(np.concatenate(column) for column in zip(*latencies, strict=True))),
        generators=generators,
        wind_mps=settings.wind_mps,
        sample_step_s=settings.sample_s,
    )


def _sample(world: World, batch: range, flown: FlightResult, trajectory: Columns) -> None:
    """Append the rows of a batch, UAV by UAV, from the stage that has every cause in it."""
    count, samples = len(batch), len(flown.time_s)
    rows = slice((len(_STAGES) - 1) * count, None)
    reference = world.fleet.sample(flown.time_s, slice(batch.start, batch.stop))
    uav = np.repeat(np.arange(batch.start, batch.stop), samples)
    columns: dict[str, NDArray[Any]] = {
        "time_s": np.tile(flown.time_s, count),
        "uav": uav,
        "radial_error_m": flown.error_radial_m[rows].ravel(),
        "reference_error_m": flown.error_reference_m[rows].ravel(),
        "mode": flown.mode[rows].ravel(),
        "cell": world.attachment.cell_at(flown.time_s)[batch.start : batch.stop].ravel(),
    }
    for axis, name in enumerate(("east_m", "north_m", "up_m")):
        columns[name] = flown.position_m[rows, :, axis].ravel()
        columns[f"reference_{name}"] = reference[:, :, axis].ravel()
    for name, values in columns.items():
        trajectory[name].append(values)


def _error_shares(batch: range, flown: FlightResult) -> list[tuple[int, int, int, float]]:
    """How much each cause adds to each UAV's errors; the shares of a quantity add up to it."""
    shape = (len(_STAGES), len(batch), -1)
    reference_m, radial_m = flown.error_reference_m.reshape(shape), flown.error_radial_m.reshape(shape)
    quantities = {
        "mean-reference-error": reference_m.mean(axis=2),
        "largest-reference-error": reference_m.max(axis=2),
        "largest-radial-error": radial_m.max(axis=2),
    }
    return [
        (uav, _QUANTITY[quantity], _CAUSE[cause], float(share))
        for quantity, values in quantities.items()
        for cause, shares in zip(_STAGES, np.diff(values, axis=0, prepend=0.0), strict=True)
        for uav, share in zip(batch, shares, strict=True)
    ]


def _stopping_shares(
    world: World, batch: range, speed_mps: Floats, testbed: Testbed, loop: _Loop
) -> list[tuple[int, int, int, float]]:
    """The longest stopping distance of each UAV line by line: its top speed, and the worst of every latency."""
    shares = []
    for uav, speed in zip(batch, speed_mps, strict=True):
        own = loop.uav == uav
        worst_s = {name: float(values[own].max(initial=0.0)) for name, values in loop.parts_s.items()}
        latencies = Latencies(
            video_s=world.scenario.flight.video_latency_s,
            processing_s=worst_s["processing"],
            downtime_s=_longest_s(loop.downtime, uav),
            handover_interruption_s=_longest_s(loop.handover, uav),
            network_s=worst_s["network"],
            queueing_s=worst_s["queueing"],
        )
        # Planned speeds are over the ground already: no wind is to be added.
        for line in stopping_lines(float(speed), latencies, testbed.vehicle):
            # Actuation is not told apart from braking in a run, so its line is empty.
            if line.name != "actuation":
                cause = _CAUSE[_STOPPING_CAUSE.get(line.name, line.name)]
                shares.append((uav, _QUANTITY["stopping-distance"], cause, line.distance_m))
    return shares


def _longest_s(silence: Silence, uav: int) -> float:
    own = silence.uav == uav
    return float((silence.end_s[own] - silence.start_s[own]).max(initial=0.0))
