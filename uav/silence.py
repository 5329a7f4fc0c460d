"""Silence: when no set-points reach which UAV."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Silence:
    """Intervals [start, end) without set-points, as three columns of equal length, in any order.

    `uav` is the UAV's index, `start_s` and `end_s` are in the time of the flight. Intervals may overlap: a UAV is
    silent while at least one of its intervals lasts.

    Raises ValueError if the columns differ in length, an index is negative, or an interval ends before it starts.
    """

    uav: NDArray[np.int64]
    start_s: NDArray[np.float64]
    end_s: NDArray[np.float64]

    def __post_init__(self) -> None:
        if not self.uav.shape == self.start_s.shape == self.end_s.shape or self.uav.ndim != 1:
            raise ValueError(
                f"silence columns uav {self.uav.shape}, start_s {self.start_s.shape}, end_s {self.end_s.shape}: "
                "must be one-dimensional and of equal length"
            )
        if np.any(self.uav < 0):
            raise ValueError(f"silence uav = {self.uav.min()}: an index must be at least 0")
        wrong = np.flatnonzero(~(self.end_s >= self.start_s))
        if wrong.size:
            row = wrong[0]
            raise ValueError(
                f"silence row {row}: end_s = {self.end_s[row]} s is before start_s = {self.start_s[row]} s"
            )

    @classmethod
    def of(cls, uav: ArrayLike, start_s: ArrayLike, end_s: ArrayLike) -> "Silence":
        """Columns from anything array-like; they broadcast against each other."""
        columns = np.broadcast_arrays(np.atleast_1d(np.asarray(uav, dtype=np.int64)), start_s, end_s)
        return cls(columns[0].astype(np.int64), columns[1].astype(np.float64), columns[2].astype(np.float64))

    @classmethod
    def none(cls) -> "Silence":
        """No silence at all."""
        return cls.of(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))

    @classmethod
    def joined(cls, parts: Sequence["Silence"]) -> "Silence":
        """The rows of several causes (downtime, handover interruption ...) in one table."""
        parts = parts or [cls.none()]
        return cls(
            np.concatenate([part.uav for part in parts]),
            np.concatenate([part.start_s for part in parts]),
            np.concatenate([part.end_s for part in parts]),
        )

    def union(self) -> "Silence":
        """The same silence in disjoint intervals, sorted by UAV and time; those that touch become one."""
        count = self.uav.size
        uav = np.concatenate([self.uav, self.uav])
        time = np.concatenate([self.start_s, self.end_s])
        change = np.repeat([1, -1], count)
        # At equal times starts come first, so that touching intervals join.
        order = np.lexsort((-change, time, uav))
        uav, time, change = uav[order], time[order], change[order]
        depth = np.cumsum(change)
        opens, closes = (depth == 1) & (change == 1), depth == 0
        lasting = time[opens] < time[closes]
        return Silence(uav[opens][lasting], time[opens][lasting], time[closes][lasting])


class SilentRows:
    """Follows a `Silence` through a flight of `count` UAVs, step after step."""

    def __init__(self, silence: Silence, count: int, step_s: float) -> None:
        union = silence.union()
        edges_s = np.concatenate([union.start_s, union.end_s])
        # The tolerance keeps 1.2 s from becoming the step after 1.2 s.
        steps = np.ceil(edges_s / step_s - 1e-6)
        order = np.argsort(steps, kind="stable")
        self._step = steps[order]
        self._uav = np.concatenate([union.uav, union.uav])[order]
        self._change = np.repeat([1, -1], union.uav.size)[order]
        self._depth = np.zeros(count, dtype=np.int64)
        self._next = 0

    def at(self, step: int) -> NDArray[np.bool_]:
        """The rows (N,) that are silent in this step; steps must not go back."""
        until = int(np.searchsorted(self._step, step, side="right"))
        if until > self._next:
            np.add.at(self._depth, self._uav[self._next : until], self._change[self._next : until])
            self._next = until
        return self._depth > 0
