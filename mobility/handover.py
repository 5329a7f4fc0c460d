"""Ways to attach a fleet to cells: to the nearest one, or by measured reports (A3 events)."""

import numpy as np

from mobility.attachment import Attachment, AttachmentLog, Cause
from mobility.cells import Cells
from mobility.streams import UavStreams
from mobility.trajectory import Fleet

CHUNK_SAMPLES = 1 << 17


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


def check_clock(duration_s: float, step_s: float) -> None:
    """Raise ValueError unless duration and step are above 0 s."""
    for name, value in (("duration_s", duration_s), ("step_s", step_s)):
        if not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} is {value} s; it must be above 0")
