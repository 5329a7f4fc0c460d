"""The latency of the control loop as it changes along the flight."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class LoopLatency:
    """Piecewise-constant latency of each UAV's loop, as three columns of equal length, in any order.

    From `time_s` on, the set-points that reach UAV `uav` are `latency_s` old: that long ago the position they answer
    was measured. Before its first row a UAV has no latency beyond its testbed's.

    Raises ValueError if the columns differ in length, an index is negative, or a latency is negative or infinite.
    """

    uav: NDArray[np.int64]
    time_s: NDArray[np.float64]
    latency_s: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not self.uav.shape == self.time_s.shape == self.latency_s.shape or self.uav.ndim != 1:
            raise ValueError(
                f"latency columns uav {self.uav.shape}, time_s {self.time_s.shape}, latency_s {self.latency_s.shape}: "
                "must be one-dimensional and of equal length"
            )
        if np.any(self.uav < 0):
            raise ValueError(f"latency uav = {self.uav.min()}: an index must be at least 0")
        wrong = np.flatnonzero(~(np.isfinite(self.latency_s) & (self.latency_s >= 0)))
        if wrong.size:
            raise ValueError(
                f"latency row {wrong[0]}: latency_s = {self.latency_s[wrong[0]]} s must be finite and at least 0 s"
            )

    @classmethod
    def of(cls, uav: ArrayLike, time_s: ArrayLike, latency_s: ArrayLike) -> "LoopLatency":
        """Columns from anything array-like; they broadcast against each other."""
        columns = np.broadcast_arrays(np.atleast_1d(np.asarray(uav, dtype=np.int64)), time_s, latency_s)
        return cls(columns[0].astype(np.int64), columns[1].astype(np.float64), columns[2].astype(np.float64))

    @classmethod
    def none(cls) -> "LoopLatency":
        """No latency beyond the testbed's."""
        return cls.of(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))

    @classmethod
    def constant(cls, count: int, latency_s: float) -> "LoopLatency":
        """The same latency for all of `count` UAVs, all the time."""
        return cls.of(np.arange(count), 0.0, latency_s)


class DelayedRows:
    """Follows a `LoopLatency` through a flight of `count` UAVs, step after step; `base_s` is added to all."""

    def __init__(self, latency: LoopLatency, count: int, base_s: float, step_s: float) -> None:
        order = np.argsort(latency.time_s, kind="stable")
        self._step = np.ceil(latency.time_s[order] / step_s - 1e-6)
        self._uav = latency.uav[order]
        self._steps = np.rint((base_s + latency.latency_s[order]) / step_s).astype(np.int64)
        self._now = np.full(count, round(base_s / step_s), dtype=np.int64)
        self._next = 0

    @property
    def longest(self) -> int:
        """The largest latency of all, in steps."""
        return int(max(self._now.max(initial=0), self._steps.max(initial=0)))

    def at(self, step: int) -> NDArray[np.int64]:
        """The latencies (N,) in this step, in steps; steps must not go back."""
        until = int(np.searchsorted(self._step, step, side="right"))
        # Row by row, because the last of several rows for one UAV must win.
        for row in range(self._next, until):
            self._now[self._uav[row]] = self._steps[row]
        self._next = until
        return self._now
