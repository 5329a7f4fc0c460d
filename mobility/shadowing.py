"""Spatially consistent random fields: what a UAV meets depends on where it is, never on when or how often it asks."""

import numpy as np
from numpy.typing import NDArray

GRID_PER_UNIT = 8
TILE_SIZE = 1024


class CorrelatedField:
    """A Gaussian field of unit variance over the plane with autocorrelation exp(-distance^power).

    Power 1 is that of shadowing (TR 38.901 eq. 7.4-5), 2 is smooth. Distances are in correlation lengths. The field is
    one tile of 128 by 128 of them, repeated, made from white noise by the FFT and read with bilinear interpolation
    (which smooths it over less than an eighth of a length). `read` at far-apart places gives independent values, so
    that one tile serves many links: each reads at an offset and rotation of its own.
    """

    def __init__(self, generator: np.random.Generator, power: float = 1.0) -> None:
        steps = np.minimum(np.arange(TILE_SIZE), TILE_SIZE - np.arange(TILE_SIZE)) / GRID_PER_UNIT
        autocorrelation = np.exp(-(np.hypot(steps[:, None], steps[None, :]) ** power))
        spectrum = np.maximum(np.fft.rfft2(autocorrelation).real, 0.0)
        white = np.fft.rfft2(generator.standard_normal((TILE_SIZE, TILE_SIZE)))
        tile = np.fft.irfft2(np.sqrt(spectrum) * white, s=(TILE_SIZE, TILE_SIZE))
        tile = (tile - tile.mean()) / tile.std()
        # Interpolation averages neighbours and so takes away variance: the mean over a grid square of the sum of the
        # products of corner weights and correlations is what is left, and is given back here.
        side, diagonal = autocorrelation[0, 1], autocorrelation[1, 1]
        tile /= np.sqrt((4.0 + 4.0 * side + diagonal) / 9.0)
        # One row and column more than the period spares the wrap of the right and upper neighbours.
        self._flat = np.pad(tile, ((0, 1), (0, 1)), mode="wrap").astype(np.float32).ravel()

    def read(self, u: NDArray[np.float32], v: NDArray[np.float32]) -> NDArray[np.float32]:
        """Values at the points (u, v), arrays of one shape, in correlation lengths."""
        column, row = u * np.float32(GRID_PER_UNIT), v * np.float32(GRID_PER_UNIT)
        left, low = np.floor(column), np.floor(row)
        column -= left
        row -= low
        index = (low.astype(np.int32) & (TILE_SIZE - 1)).astype(np.intp)
        index *= TILE_SIZE + 1
        index += left.astype(np.int32) & (TILE_SIZE - 1)
        flat = self._flat
        lower = flat[index]
        index += 1
        lower += column * (flat[index] - lower)
        index += TILE_SIZE
        upper = flat[index]
        index += 1
        upper += column * (flat[index] - upper)
        upper -= lower
        upper *= row
        lower += upper
        return np.asarray(lower, np.float32)
