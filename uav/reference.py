"""The reference: where a vehicle should be, at what time."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Reference:
    """Positions (N, T, 3) every `step_s`, joined by straight lines; it rests after its last sample.

    Raises ValueError if the shape is not (N, T, 3) with T at least 2, a position is not finite or the step not
    more than 0.
    """

    def __init__(self, position_m: NDArray[np.floating], step_s: float) -> None:
        if position_m.ndim != 3 or position_m.shape[1] < 2 or position_m.shape[2] != 3:
            raise ValueError(f"reference of shape {position_m.shape}: must be (UAVs, samples, 3), 2 samples at least")
        if not step_s > 0:
            raise ValueError(f"reference step = {step_s} s: must be more than 0 s")
        if not np.isfinite(position_m).all():
            raise ValueError("reference: every position must be finite")
        self.position_m = position_m
        self.step_s = float(step_s)
        self._every = np.arange(position_m.shape[0])
        self._last = int(position_m.shape[1]) - 1

    @property
    def count(self) -> int:
        """N, the number of references."""
        return self._every.size

    @property
    def duration_s(self) -> float:
        """Time from the first to the last sample, in seconds."""
        return self._last * self.step_s

    def at(self, time_s: NDArray[np.floating]) -> tuple[Floats, Floats]:
        """Position in m and velocity in m/s, each (3, N), at one time for each row (N,)."""
        place = np.clip(time_s / self.step_s, 0.0, self._last)
        index = np.minimum(place.astype(np.int64), self._last - 1)
        start = self.position_m[self._every, index].T
        along = self.position_m[self._every, index + 1].T - start
        return start + (place - index) * along, along * ((time_s < self.duration_s) / self.step_s)
