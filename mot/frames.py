"""What becomes of video frames when the tracking service pauses: lost, queued, caught up with.

Frames arrive at k / frame rate, k = 0, 1, ..., and each takes the same time to work on. A paused service keeps its
place: a frame in work is frozen with it and finished afterwards, as after a restore. Two reading policies:

- a bounded queue: up to `capacity` frames wait, whatever comes on top of that is lost;
- newest frame only: a frame that waits is replaced by the next one. For the counts that is a queue of one frame.

MOSE (section VI-B) counts rho * T_down frames lost, at the inference rate rho; here it is the camera that sends frames.

Nothing here steps through frames. Between two outages the queue is D/D/1/K and its state at the end follows from the
state at the beginning in closed form, so the cost grows with the number of outages, not of frames.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Frame counts come from products such as 1.1 * 10: ties closer than this part of a frame are ties.
_TIE = 1e-9


class ReadingPolicy(StrEnum):
    """Which frames the service reads: the newest only, or all of them from a bounded queue."""

    NEWEST = "newest"
    QUEUE = "queue"


@dataclass(frozen=True, slots=True)
class FrameFlow:
    """Frames of S services through their outages; arrays of shape (S,), those per outage (S, O).

    `arrived` = `processed` + `lost` + `backlog`; `backlog` is what waits or is in work at the end.
    Per outage: `outage_arrived` and `outage_lost` count frames while the service was down, `lost_after` those lost
    from then to the next outage, `maximum_backlog` is the largest number of frames that waited in both spans
    together, `catch_up_s` the time from the end of the outage until the service has nothing left to do for the first
    time, infinite if the next outage or the end comes first. Absent outages (NaN) have zeros.
    """

    arrived: Counts
    processed: Counts
    lost: Counts
    backlog: Counts
    outage_arrived: Counts
    outage_lost: Counts
    lost_after: Counts
    maximum_backlog: Counts
    catch_up_s: Floats


def catch_up_time(downtime_s: ArrayLike, frame_rate_hz: ArrayLike, inference_s: ArrayLike) -> Floats:
    """Return T_down * fps / (rho - fps) in s: how long a queue takes to drain, frames seen as a fluid.

    rho = 1 / inference_s is the inference rate; the backlog it drains is T_down * fps. Infinite for rho <= fps.
    """
    down, rate, spare = np.broadcast_arrays(
        np.asarray(downtime_s, dtype=np.float64),
        np.asarray(frame_rate_hz, dtype=np.float64),
        1.0 / np.asarray(inference_s, dtype=np.float64) - np.asarray(frame_rate_hz, dtype=np.float64),
    )
    never = np.where(down > 0, np.inf, 0.0)
    caught: Floats = np.divide(down * rate, spare, out=never, where=spare > 0)
    return caught


def frame_flow(
    starts_s: ArrayLike,
    ends_s: ArrayLike,
    *,
    duration_s: float,
    frame_rate_hz: ArrayLike,
    inference_s: ArrayLike,
    policy: ReadingPolicy,
    capacity: int = 64,
) -> FrameFlow:
    """Follow the frames of S services from 0 to `duration_s` through O outages each.

    `starts_s` and `ends_s` have the shape (S, O), each row in order of its starts and padded with NaN; one that
    overlaps an earlier one counts from where that ends. `frame_rate_hz` and `inference_s` are single numbers or of
    shape (S,). `capacity` is the number of waiting frames the queue holds; the newest-frame policy has no use for it.
    Raises ValueError for shapes that do not fit, times out of order, rates and times that are not positive.
    """
    starts, ends = _outages(starts_s, ends_s, duration_s)
    services, outages = starts.shape
    rate = _positive("frame_rate_hz", frame_rate_hz, services)
    work = _positive("inference_s", inference_s, services)
    if capacity < 1:
        raise ValueError(f"capacity must be at least 1 frame; got {capacity}")
    slots = 1 if policy is ReadingPolicy.NEWEST else capacity

    queue = _Queue(rate, work, slots)
    zeros = np.zeros((services, outages), dtype=np.int64)
    arrived_down, lost_down, lost_after, peak = zeros, zeros.copy(), zeros.copy(), zeros.copy()
    caught_up = np.zeros((services, outages))
    edge = np.zeros(services)
    for column in range(outages + 1):
        start = starts[:, column] if column < outages else np.full(services, duration_s)
        lost, waiting, empty_s = queue.run(edge, start)
        if column:
            lost_after[:, column - 1] = lost
            peak[:, column - 1] = np.maximum(peak[:, column - 1], waiting)
            caught_up[:, column - 1] = empty_s
        else:
            lost_before = lost
        if column < outages:
            edge = ends[:, column]
            arrived_down[:, column], lost_down[:, column], peak[:, column] = queue.freeze(start, edge)

    absent = ~(ends > starts)
    peak[absent], caught_up[absent] = 0, 0.0
    arrived = _count(np.full(services, duration_s), rate)
    all_lost = lost_before + lost_down.sum(axis=1) + lost_after.sum(axis=1)
    return FrameFlow(
        arrived=arrived,
        processed=arrived - all_lost - queue.held,
        lost=all_lost,
        backlog=queue.held,
        outage_arrived=arrived_down,
        outage_lost=lost_down,
        lost_after=lost_after,
        maximum_backlog=peak,
        catch_up_s=caught_up,
    )


class _Queue:
    """S queues with one worker each; `held` frames are inside, the one in work needs `residual` more seconds.

    A `residual` of zero with frames inside means that the worker has been frozen idle.
    """

    def __init__(self, rate: Floats, work: Floats, slots: int) -> None:
        self.rate, self.work, self.slots = rate, work, slots
        self.held = np.zeros(rate.shape, dtype=np.int64)
        self.residual = np.zeros(rate.shape)

    def freeze(self, start: Floats, end: Floats) -> tuple[Counts, Counts, Counts]:
        """Pause the workers from `start` to `end`; return frames arrived, lost, and waiting at the end."""
        arrived = _count(end, self.rate) - _count(start, self.rate)
        in_work = self.residual > 0
        room = self.slots + in_work - self.held
        admitted = np.minimum(arrived, room)
        self.held = self.held + admitted
        return arrived, arrived - admitted, self.held - in_work

    def run(self, start: Floats, end: Floats) -> tuple[Counts, Counts, Floats]:
        """Work from `start` to `end`; return frames lost, most frames waiting, and when the queue was first empty."""
        period, work, span = 1.0 / self.rate, self.work, end - start
        running = span > 0
        held = self.held
        residual = np.where((held > 0) & (self.residual == 0), work, self.residual)
        load = np.maximum(held - 1, 0) * work + residual
        arrivals = _count(end, self.rate) - _count(start, self.rate)
        first = np.maximum(_count(start, self.rate) * period - start, 0.0)
        keeps_pace = work <= period

        # Keeping pace, at most the first arrival finds the queue full: a period later a place is free.
        full = held - _finished(first, residual, work) > self.slots
        refused = (keeps_pace & full & (held > 0) & (arrivals > 0)).astype(np.int64)
        next_arrival = first + refused * period
        slack = np.where(keeps_pace, period - work, 0.0)
        rounds = np.divide(load - next_arrival, slack, out=np.full(load.shape, np.inf), where=slack > 0)
        rounds = np.where(load - next_arrival <= _TIE * period, 0.0, np.ceil(rounds - _TIE))
        empty_s = load + np.where(np.isfinite(rounds), rounds, 0.0) * work
        empty_s = np.where(np.isfinite(rounds), empty_s, np.inf)

        # Falling behind, an idle worker starts with the first arrival and then never rests.
        idle_first = ~keeps_pace & (empty_s <= first + _TIE * period) & (arrivals > 0)
        inside = np.where(idle_first, 0, held)
        done_first = np.where(idle_first, first + work, np.where(inside > 0, residual, np.inf))
        last = first + (arrivals - 1) * period
        at_last = inside + arrivals - _finished(last, done_first, work)
        overflow = np.where(~keeps_pace & (arrivals > 0), np.maximum(at_last - self.slots - 1, 0), 0)
        lost: Counts = np.where(keeps_pace, refused, overflow)

        finished = _finished(span, done_first, work)
        busy_held = inside + arrivals - lost - finished
        busy_residual = np.where(busy_held > 0, _next(done_first, finished, work) - span, 0.0)
        since_last = span - last
        rested = keeps_pace & (empty_s < span) | ((arrivals == 0) & (empty_s <= span))
        working = (arrivals > refused) & (since_last < work * (1 - _TIE))
        rested_residual = np.where(working, work - since_last, 0.0)
        peak_behind = np.where(arrivals > 0, np.minimum(at_last, self.slots + 1), held)
        joins = (arrivals > refused) & (next_arrival < residual * (1 - _TIE))
        peak = np.where(keeps_pace, held + joins, np.maximum(peak_behind, held))

        self.held = np.where(running, np.where(rested, working, busy_held), self.held).astype(np.int64)
        self.residual = np.where(running, np.where(rested, rested_residual, busy_residual), self.residual)
        lost = np.where(running, lost, 0)
        waiting: Counts = np.where(running, np.maximum(peak - 1, 0), 0)
        caught = np.where(empty_s <= span, empty_s, np.where(held > 0, np.inf, 0.0))
        return lost, waiting, caught


def _count(until: Floats, rate: Floats) -> Counts:
    """Return the number of frames that arrived before `until`."""
    counted: Counts = np.ceil(until * rate - _TIE).astype(np.int64)
    return counted


def _finished(after: Floats, first: Floats, work: Floats) -> Counts:
    """Return how many frames a worker finishes within `after` if it finishes one at `first` and never rests."""
    with np.errstate(invalid="ignore"):
        number = np.where(np.isfinite(first), np.floor((after - first) / work + _TIE) + 1, 0)
    counted: Counts = np.maximum(number, 0).astype(np.int64)
    return counted


def _next(first: Floats, finished: Counts, work: Floats) -> Floats:
    later: Floats = np.where(np.isfinite(first), first, 0.0) + finished * work
    return later


def _outages(starts_s: ArrayLike, ends_s: ArrayLike, duration_s: float) -> tuple[Floats, Floats]:
    """Check the outages, clip them to the run and to each other, and turn padding into nothing at the end."""
    starts, ends = np.asarray(starts_s, dtype=np.float64), np.asarray(ends_s, dtype=np.float64)
    if starts.ndim != 2 or starts.shape != ends.shape:
        raise ValueError(
            f"starts_s and ends_s must have one shape (services, outages); got {starts.shape} and {ends.shape}"
        )
    if not (np.isfinite(duration_s) and duration_s > 0):
        raise ValueError(f"duration_s must be above 0 s; got {duration_s}")
    absent = np.isnan(starts) | np.isnan(ends)
    starts = np.where(absent, np.inf, starts)
    ends = np.where(absent, np.inf, ends)
    if np.any(ends < starts) or np.any(starts[:, 1:] < starts[:, :-1]):
        raise ValueError(
            "outages must end after they start, be in order of their starts in each row, and be padded last"
        )
    starts, ends = np.clip(starts, 0.0, duration_s), np.clip(ends, 0.0, duration_s)
    until = np.maximum.accumulate(ends, axis=1)
    starts[:, 1:] = np.maximum(starts[:, 1:], until[:, :-1])
    return starts, np.maximum(starts, ends)


def _positive(name: str, value: ArrayLike, services: int) -> Floats:
    given = np.asarray(value, dtype=np.float64)
    if given.shape not in ((), (services,)):
        raise ValueError(f"{name} must be one number or one per service ({services}); got the shape {given.shape}")
    if not np.all(np.isfinite(given) & (given > 0)):
        raise ValueError(f"{name} must be above 0; got {given}")
    return np.broadcast_to(given, (services,)).copy()
