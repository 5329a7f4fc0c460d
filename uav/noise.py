"""The wandering error of the position that an autopilot sees."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BLOCK = 256


class PositionNoise:
    """First-order Gauss-Markov error of each row: standard deviation and correlation time on each horizontal axis.

    Each row draws from its own generator, in blocks of fixed length: its error does not depend on the other rows.
    """

    def __init__(
        self, generators: Sequence[np.random.Generator], deviation_m: float, correlation_s: float, period_s: float
    ) -> None:
        self._generators = generators
        self._keep = math.exp(-period_s / correlation_s)
        self._scale = deviation_m * math.sqrt(1.0 - self._keep**2)
        self._error_m = deviation_m * np.stack([one.standard_normal(2) for one in generators], axis=-1)
        self._block = np.empty((BLOCK, 2, len(generators)))
        self._used = BLOCK

    def next_m(self) -> NDArray[np.float64]:
        """The error (2, N) one period on, in metres."""
        if self._used == BLOCK:
            for row, one in enumerate(self._generators):
                self._block[:, :, row] = one.standard_normal((BLOCK, 2))
            self._used = 0
        self._error_m = self._keep * self._error_m + self._scale * self._block[self._used]
        self._used += 1
        return self._error_m
