"""Where UAVs are at what time: one trajectory, or many as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A path in time: straight lines between knots, held before the first and after the last.

    `time_s` (K,) strictly increasing, `position_m` (K, 3) east, north, height in metres. Raises ValueError if the
    shapes do not match, a number is not finite, or time does not increase.
    """

    time_s: NDArray[np.float64]
    position_m: NDArray[np.float64]

    def __post_init__(self) -> None:
        time = np.array(self.time_s, dtype=np.float64)
        position = np.array(self.position_m, dtype=np.float64)
        if time.ndim != 1 or time.size == 0:
            raise ValueError(f"time_s has shape {time.shape}; it must be one row of at least one time in seconds")
        if position.shape != (time.size, 3):
            raise ValueError(f"position_m has shape {position.shape}; it must be ({time.size}, 3), as time_s is")
        if not (np.isfinite(time).all() and np.isfinite(position).all()):
            raise ValueError("a trajectory has a time or position that is not a finite number")
        backward = np.flatnonzero(np.diff(time) <= 0.0)
        if backward.size:
            k = int(backward[0])
            raise ValueError(
                f"time_s must increase strictly, but knot {k + 1} at {time[k + 1]} s follows knot {k} at {time[k]} s"
            )
        time.setflags(write=False)
        position.setflags(write=False)
        object.__setattr__(self, "time_s", time)
        object.__setattr__(self, "position_m", position)

    @property
    def duration_s(self) -> float:
        """Seconds from the first knot to the last."""
        return float(self.time_s[-1] - self.time_s[0])

    @property
    def length_m(self) -> float:
        """Length of the path in metres, in three dimensions."""
        return float(np.linalg.norm(np.diff(self.position_m, axis=0), axis=1).sum())

    def sample(self, time_s: ArrayLike) -> NDArray[np.float64]:
        """Positions (T, 3) in metres at the times (T,) in seconds."""
        time = np.atleast_1d(np.asarray(time_s, np.float64))
        return np.stack([np.interp(time, self.time_s, self.position_m[:, axis]) for axis in range(3)], axis=-1)

    def velocity(self, time_s: ArrayLike) -> NDArray[np.float64]:
        """Velocities (T, 3) in m/s at the times (T,): that of the segment that begins there; zero outside."""
        time = np.atleast_1d(np.asarray(time_s, np.float64))
        segment = np.searchsorted(self.time_s, time, side="right") - 1
        flying = (segment >= 0) & (segment < self.time_s.size - 1)
        velocity = np.zeros((time.size, 3))
        at = segment[flying]
        step = self.time_s[at + 1] - self.time_s[at]
        velocity[flying] = (self.position_m[at + 1] - self.position_m[at]) / step[:, None]
        return velocity


class Fleet:
    """Many UAVs as arrays: the knots of all trajectories end to end, sampled for all UAVs at once.

    `names` are the UAVs' names, unique; their order is the index used everywhere. Raises ValueError if names and
    trajectories do not pair up.
    """

    def __init__(self, names: Sequence[str], trajectories: Sequence[Trajectory]) -> None:
        if not names or len(names) != len(trajectories):
            raise ValueError(f"a fleet needs one trajectory a name; got {len(names)} names, {len(trajectories)} paths")
        if len(set(names)) != len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise ValueError(f"UAV name {twice!r} occurs twice; names must be unique")
        self.names = tuple(names)
        counts = np.array([trajectory.time_s.size for trajectory in trajectories], dtype=np.int64)
        self._last = np.cumsum(counts) - 1
        self._first = self._last - counts + 1
        self._time_s = np.concatenate([trajectory.time_s for trajectory in trajectories])
        self._position_m = np.concatenate([trajectory.position_m for trajectory in trajectories])

    def __len__(self) -> int:
        return len(self.names)

    def trajectory(self, uav: int) -> Trajectory:
        """The trajectory of one UAV, by index."""
        knots = slice(int(self._first[uav]), int(self._last[uav]) + 1)
        return Trajectory(self._time_s[knots], self._position_m[knots])

    @property
    def end_s(self) -> float:
        """The time in seconds at which the last UAV reaches its last knot."""
        return float(self._time_s[self._last].max())

    def sample(self, time_s: ArrayLike, uavs: slice = slice(None)) -> NDArray[np.float64]:
        """Positions (U, T, 3) in metres of all UAVs, or a slice of them, at the times (T,) in seconds."""
        time = np.atleast_1d(np.asarray(time_s, np.float64))[None, :]
        first, last = self._first[uavs, None], self._last[uavs, None]
        low = np.repeat(first, time.shape[1], axis=1)
        high = np.repeat(last, time.shape[1], axis=1)
        # Binary search in every UAV's own stretch at once: `low` ends as the last knot not after the time.
        for _ in range(int(np.max(last - first)).bit_length()):
            middle = (low + high + 1) // 2
            not_after = self._time_s[middle] <= time
            low = np.where(not_after, middle, low)
            high = np.where(not_after, high, middle - 1)
        following = np.minimum(low + 1, last)
        start = self._time_s[low]
        span = self._time_s[following] - start
        part = np.clip((time - start) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)[..., None]
        origin = self._position_m[low]
        return np.asarray(origin + part * (self._position_m[following] - origin))
