"""Ways to attach a fleet to cells: to the nearest one, or by measured reports (A3 events)."""

import numpy as np
from numpy.typing import NDArray

from mobility.a3 import A3Machine, HandoverParameters
from mobility.attachment import Attachment, AttachmentLog, Cause
from mobility.cells import Cells
from mobility.radio import Channel, RadioParameters, sinr_db, to_mw
from mobility.streams import UavStreams
from mobility.trajectory import Fleet

CHUNK_SAMPLES = 1 << 17
BLOCK_UAVS = 1024
ANCHOR_PERIOD_S = 1.0


def attach_nearest(
    fleet: Fleet,
    cells: Cells,
    duration_s: float,
    step_s: float,
    seed: np.random.SeedSequence,
    hysteresis_m: float = 0.0,
    interruption_range_s: tuple[float, float] = (0.05, 0.15),
) -> Attachment:
    """Attach every UAV to the nearest cell (see `Cells.nearest`), looked at every `step_s` seconds.

    A UAV changes to another site when that is nearer than its own by at least `hysteresis_m` metres of horizontal
    distance, and at once between sectors of one site. Each change interrupts the link for a time uniform in
    `interruption_range_s`, from the UAV's own stream of `seed`. Raises ValueError for a step or duration not above 0.
    """
    check_clock(duration_s, step_s)
    steps = int(np.floor(duration_s / step_s + 1e-9)) + 1
    chunk = max(1, CHUNK_SAMPLES // len(fleet))
    streams = UavStreams(seed, fleet.names)
    log = AttachmentLog()
    everyone = np.arange(len(fleet))
    serving = cells.nearest(fleet.sample(np.zeros(1)))[:, 0]
    log.add(0.0, everyone, -1, serving, Cause.INITIAL, 0.0)
    for start in range(1, steps, chunk):
        time = np.arange(start, min(start + chunk, steps)) * step_s
        position = fleet.sample(time)
        nearest = cells.nearest(position)
        for at in range(time.size):
            candidate = nearest[:, at]
            moving = np.flatnonzero(candidate != serving)
            if moving.size == 0:
                continue
            here = position[moving, at, :2]
            own, other = cells.position_m[serving[moving], :2], cells.position_m[candidate[moving], :2]
            gain = np.linalg.norm(here - own, axis=-1) - np.linalg.norm(here - other, axis=-1)
            same_site = cells.site[serving[moving]] == cells.site[candidate[moving]]
            moving = moving[same_site | (gain >= hysteresis_m)]
            gaps = [streams.uniform(int(uav), interruption_range_s) for uav in moving]
            log.add(time[at], moving, serving[moving], candidate[moving], Cause.NEAREST, gaps)
            serving[moving] = candidate[moving]
    return log.finish()


def attach_a3(
    fleet: Fleet,
    cells: Cells,
    radio: RadioParameters,
    handover: HandoverParameters,
    duration_s: float,
    step_s: float,
    seed: np.random.SeedSequence,
    candidates: int = 8,
) -> Attachment:
    """Attach every UAV by A3 events and radio-link failure over the radio channel, measured every `step_s` seconds.

    Every second all cells are measured; in between, only each UAV's serving cell and those that are strongest at
    either end of the second, `candidates` in all. The others are taken to run straight from end to end, in the filter
    and in the interference. With 8 candidates the A3 handovers are those found with every cell measured at every step
    (`candidates` >= the number of cells); radio-link failures, which hang on the interference, may shift by a step.
    The result depends on `seed` and names, not on the number of UAVs. Raises ValueError for a duration, step or
    number of candidates out of range.
    """
    check_clock(duration_s, step_s)
    if candidates < 2:
        raise ValueError(f"candidates is {candidates}; it must be at least 2, the serving cell and one to go to")
    channel = Channel(cells, radio, seed)
    streams = UavStreams(seed, fleet.names)
    log = AttachmentLog()
    for first in range(0, len(fleet), BLOCK_UAVS):
        uavs = slice(first, min(first + BLOCK_UAVS, len(fleet)))
        start = channel.rsrp_dbm(fleet.sample(np.zeros(1), uavs))[:, 0]
        machine = A3Machine(handover, step_s, start, log, streams, first)
        _fly(machine, channel, fleet, uavs, start, duration_s, step_s, min(candidates, len(cells)))
    return log.finish()


def _fly(
    machine: A3Machine,
    channel: Channel,
    fleet: Fleet,
    uavs: slice,
    start_dbm: NDArray[np.float32],
    duration_s: float,
    step_s: float,
    candidates: int,
) -> None:
    """Take a block of UAVs from step 0, where RSRP is `start_dbm` (C, U), to the end."""
    steps = int(np.floor(duration_s / step_s + 1e-9))
    stride = max(1, round(ANCHOR_PERIOD_S / step_s))
    for before in range(0, steps, stride):
        count = min(stride, steps - before)
        position = fleet.sample((before + np.arange(1, count + 1)) * step_s, uavs)
        end_dbm = channel.rsrp_dbm(position[:, -1:])[:, 0]
        cell = _candidates(start_dbm, end_dbm, machine.serving, candidates)
        rsrp = channel.rsrp_dbm(position, cell)
        power = to_mw(rsrp)
        rest = [
            np.maximum(to_mw(edge).sum(axis=0) - to_mw(np.take_along_axis(edge, cell, axis=0)).sum(axis=0), 0.0)
            for edge in (start_dbm, end_dbm)
        ]
        part = (np.arange(1, count + 1, dtype=np.float32) / np.float32(count))[:, None]
        total = power.sum(axis=0) + rest[0] + part * (rest[1] - rest[0])
        machine.coast(cell, start_dbm, end_dbm, count)
        machine.advance(cell, rsrp, sinr_db(power, total, channel.radio))
        start_dbm = end_dbm


def _candidates(
    start_dbm: NDArray[np.float32], end_dbm: NDArray[np.float32], serving: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """The cells (count, U) to measure at every step: the serving one and the strongest at either end."""
    strength = np.maximum(start_dbm, end_dbm)
    strength[serving, np.arange(serving.size)] = np.inf
    return np.sort(np.argpartition(-strength, count - 1, axis=0)[:count], axis=0).astype(np.int64)


def check_clock(duration_s: float, step_s: float) -> None:
    """Raise ValueError unless duration and step are above 0 s."""
    for name, value in (("duration_s", duration_s), ("step_s", step_s)):
        if not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} is {value} s; it must be above 0")
