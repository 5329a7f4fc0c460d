"""The antenna of a sector: the element of TR 38.901 table 7.3-1 in a vertical column with electrical down-tilt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ELEMENT_BEAMWIDTH_DEG = 65.0
LARGEST_ATTENUATION_DB = 30.0
ELEMENT_GAIN_DBI = 8.0
TABLE_SIZE = 8192


@dataclass(frozen=True, slots=True)
class Antenna:
    """A column of `vertical_elements`, `element_spacing` wavelengths apart, steered `downtilt_deg` below level.

    One element alone is the broad pattern of TR 38.901 table 7.3-1; a column narrows it to the main lobe of a macro
    cell and gives it the side lobes above the horizon by which UAVs are served (TR 36.777 clause 5.1). The
    default is planned for sites 500 m apart: the first null above the main lobe lies just below the horizon, which
    spares the neighbours. Cells without
    an azimuth radiate the same power with the same vertical pattern evenly all round. Raises ValueError for a value
    out of range.
    """

    downtilt_deg: float = 12.0
    vertical_elements: int = 7
    element_spacing: float = 0.8

    def __post_init__(self) -> None:
        if not -90.0 <= self.downtilt_deg <= 90.0:
            raise ValueError(f"downtilt_deg is {self.downtilt_deg}°; it must lie in -90 to 90 (positive is down)")
        if self.vertical_elements < 1:
            raise ValueError(f"vertical_elements is {self.vertical_elements}; it must be 1 or more")
        if not 0.0 < self.element_spacing <= 2.0:
            raise ValueError(f"element_spacing is {self.element_spacing} wavelengths; it must be above 0 and at most 2")


def vertical_gain_db(antenna: Antenna, sine_elevation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gain in dBi in the plane of the azimuth, by the sine of the elevation above level (-1 to 1).

    The element (table 7.3-1, looking level) times the array factor of the column; at least 30 dB below the peak is
    cut off, as no real column has perfect nulls.
    """
    elevation_deg = np.rad2deg(np.arcsin(np.clip(sine_elevation, -1.0, 1.0)))
    element = -np.minimum(12.0 * (elevation_deg / ELEMENT_BEAMWIDTH_DEG) ** 2, LARGEST_ATTENUATION_DB)
    count = antenna.vertical_elements
    half_phase = np.pi * antenna.element_spacing * (sine_elevation + np.sin(np.deg2rad(antenna.downtilt_deg)))
    phases = np.exp(2j * half_phase[..., None] * np.arange(count))
    array = np.abs(phases.sum(axis=-1)) / count
    relative = element + 20.0 * np.log10(np.maximum(array, 1e-6))
    return np.asarray(ELEMENT_GAIN_DBI + 10.0 * np.log10(count) + np.maximum(relative, -LARGEST_ATTENUATION_DB))


def horizontal_gain_db(cosine_offset: NDArray[np.float64]) -> NDArray[np.float64]:
    """Attenuation in dB (0 or below), by the cosine of the angle between azimuth and direction (table 7.3-1)."""
    offset_deg = np.rad2deg(np.arccos(np.clip(cosine_offset, -1.0, 1.0)))
    return -np.minimum(12.0 * (offset_deg / ELEMENT_BEAMWIDTH_DEG) ** 2, LARGEST_ATTENUATION_DB)


def omnidirectional_gain_db() -> float:
    """What an antenna that looks all round has instead of `horizontal_gain_db`: the mean power over all directions."""
    cosine = np.cos(np.deg2rad(np.arange(0.0, 360.0, 0.5)))
    return float(10.0 * np.log10(np.mean(10.0 ** (horizontal_gain_db(cosine) / 10.0))))


class GainTable:
    """The gain of an `Antenna` looked up by sine and cosine, as fast as the radio chain needs it."""

    def __init__(self, antenna: Antenna) -> None:
        grid = np.linspace(-1.0, 1.0, TABLE_SIZE)
        self._vertical = vertical_gain_db(antenna, grid).astype(np.float32)
        self._horizontal = horizontal_gain_db(grid).astype(np.float32)
        self._floor = np.float32(self._vertical.max() - LARGEST_ATTENUATION_DB)
        self._omnidirectional = np.float32(omnidirectional_gain_db())

    def gain_db(self, sine_elevation: NDArray[np.float32], cosine_offset: NDArray[np.float32]) -> NDArray[np.float32]:
        """Gain in dBi; a cosine of NaN stands for an antenna that looks all round."""
        gain = self._vertical[_index(sine_elevation)]
        around = np.isnan(cosine_offset)
        if around.all():
            return gain + self._omnidirectional
        gain += np.where(
            around, self._omnidirectional, self._horizontal[_index(np.where(around, np.float32(0.0), cosine_offset))]
        )
        return np.maximum(gain, self._floor, out=gain)


def _index(value: NDArray[np.float32]) -> NDArray[np.intp]:
    scaled = np.clip(value * np.float32((TABLE_SIZE - 1) / 2) + np.float32(TABLE_SIZE / 2), 0, TABLE_SIZE - 1)
    return np.asarray(scaled, dtype=np.intp)
