"""The flown path as a polyline, and the distance of a vehicle from it."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEARCH_POINTS = 3
RELOCATE_PERIOD_S = 1.0
RELOCATE_STRIDE_S = 0.5
RELOCATE_BEHIND_S = 30.0
RELOCATE_AHEAD_S = 5.0


def circle_m(
    radius_m: float, speed_mps: float, duration_s: float, *, height_m: float = 20.0, step_s: float = 0.1
) -> Floats:
    """Reference (1, T, 3) on a level circle around the origin, counter-clockwise from the east, at constant speed."""
    time = np.arange(round(duration_s / step_s) + 1) * step_s
    angle = speed_mps / radius_m * time
    columns = (radius_m * np.cos(angle), radius_m * np.sin(angle), np.full_like(angle, height_m))
    return np.stack(columns, axis=-1)[np.newaxis]


def cross_track_error_m(
    position_m: Floats, sample_s: Floats, reference_m: NDArray[np.floating], reference_step_s: float
) -> Floats:
    """Horizontal distance (N, S) of positions (N, S, 3) at times `sample_s` (S,) from the path `reference_m` (N, T, 3).

    The distance is to the nearest point of the polyline, searched where the vehicle can be: from sample to sample
    around the last nearest point, and once a second, or at every sample where they are far apart, in the stretch
    from 30 s behind the reference to 5 s ahead of it. So on a survey the neighbouring lane does not count while the
    vehicle is still far behind on this one.
    """
    count, samples, _ = position_m.shape
    last = reference_m.shape[1] - 1
    every = np.arange(count)
    near = np.arange(-SEARCH_POINTS, SEARCH_POINTS + 1)[:, np.newaxis]
    stride = max(1, round(RELOCATE_STRIDE_S / reference_step_s))
    far = np.arange(-round(RELOCATE_BEHIND_S / reference_step_s), round(RELOCATE_AHEAD_S / reference_step_s), stride)
    index = np.zeros(count, dtype=np.int64)
    error = np.empty((count, samples))
    # Between samples farther apart than this, a vehicle can leave the reach of the search.
    followed = np.diff(sample_s).max(initial=0.0) <= 0.5 * SEARCH_POINTS * reference_step_s
    relocation_period_s = RELOCATE_PERIOD_S if followed else 0.0
    next_relocation_s = 0.0
    for sample, time_s in enumerate(sample_s):
        east, north = position_m[:, sample, 0], position_m[:, sample, 1]
        if time_s >= next_relocation_s:
            next_relocation_s = time_s + relocation_period_s
            stretch = np.unique(np.clip(round(time_s / reference_step_s) + far, 0, last))
            candidates = np.concatenate(
                [index[np.newaxis], np.broadcast_to(stretch[:, np.newaxis], (stretch.size, count))]
            )
            index = _nearest(candidates, east, north, reference_m, every)
        index = _nearest(np.clip(index + near, 0, last), east, north, reference_m, every)
        before, after = np.maximum(index - 1, 0), np.minimum(index + 1, last)
        error[:, sample] = np.sqrt(
            np.minimum(
                _segment_distance2(east, north, reference_m, every, before, index),
                _segment_distance2(east, north, reference_m, every, index, after),
            )
        )
    return error


def _nearest(
    candidates: NDArray[np.int64], east: Floats, north: Floats, path: NDArray[np.floating], every: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Of the candidate points (C, N) of each path the index (N,) of the nearest."""
    distance2 = (path[every, candidates, 0] - east) ** 2 + (path[every, candidates, 1] - north) ** 2
    nearest: NDArray[np.int64] = candidates[np.argmin(distance2, axis=0), every]
    return nearest


def _segment_distance2(
    east: Floats,
    north: Floats,
    path: NDArray[np.floating],
    every: NDArray[np.int64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> Floats:
    """Squared horizontal distance (N,) to the segments from path point `start` to `end`."""
    from_east, from_north = path[every, start, 0], path[every, start, 1]
    along_east, along_north = path[every, end, 0] - from_east, path[every, end, 1] - from_north
    off_east, off_north = east - from_east, north - from_north
    length2 = along_east**2 + along_north**2
    share = np.clip((off_east * along_east + off_north * along_north) / np.where(length2 > 0, length2, 1.0), 0.0, 1.0)
    squared: Floats = (off_east - share * along_east) ** 2 + (off_north - share * along_north) ** 2
    return squared
