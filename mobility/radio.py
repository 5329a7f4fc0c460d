"""The radio channel from every cell to every UAV: RSRP, and SINR under a given load."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mobility.antenna import Antenna, GainTable
from mobility.cells import Cells
from mobility.pathloss import Scenario, los_probability, path_loss_db, shadowing_sigma_db
from mobility.shadowing import CorrelatedField
from mobility.streams import named_generator

THERMAL_NOISE_DBM_PER_HZ = -174.0
# Correlation distances in metres of shadowing with and without line of sight (TR 38.901 table 7.5-6) and of the state
# itself (table 7.6.3.1-2).
CORRELATION_M = {
    Scenario.UMA: (37.0, 50.0, 50.0),
    Scenario.UMI: (10.0, 13.0, 50.0),
    Scenario.RMA: (37.0, 120.0, 60.0),
}


@dataclass(frozen=True, slots=True)
class RadioParameters:
    """What the channel needs to know; the defaults are an urban macro gNB of 100 MHz at 3.5 GHz.

    `transmit_power_dbm` is that of a cell over its whole carrier of `resource_blocks` (12 subcarriers each).
    `antenna` None is isotropic. `interference_load` is the share of time that every other cell transmits, 1 at full
    load. `site_correlation` is the correlation of shadowing between sites (TR 36.814 table A.2.1.1-2: 0.5). Fast
    fading is left out: the layer-3 filter of the handover averages it away. Raises ValueError for a value
    out of range.
    """

    scenario: Scenario = Scenario.UMA
    frequency_ghz: float = 3.5
    transmit_power_dbm: float = 49.0
    resource_blocks: int = 273
    subcarrier_spacing_khz: float = 30.0
    noise_figure_db: float = 9.0
    interference_load: float = 0.3
    site_correlation: float = 0.5
    antenna: Antenna | None = field(default_factory=Antenna)

    def __post_init__(self) -> None:
        ranges = {
            "frequency_ghz": (0.5, 100.0, "GHz"),
            "transmit_power_dbm": (-50.0, 100.0, "dBm"),
            "resource_blocks": (1, 3300, ""),
            "subcarrier_spacing_khz": (1.0, 1000.0, "kHz"),
            "noise_figure_db": (0.0, 50.0, "dB"),
            "interference_load": (0.0, 1.0, ""),
            "site_correlation": (0.0, 1.0, ""),
        }
        for name, (low, high, unit) in ranges.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(
                    f"{name} is {value} {unit}".rstrip() + f"; it must lie in {low:g} to {high:g} {unit}".rstrip()
                )
        object.__setattr__(self, "scenario", Scenario(self.scenario))

    @property
    def element_power_dbm(self) -> float:
        """Transmit power of one resource element in dBm."""
        return self.transmit_power_dbm - 10.0 * float(np.log10(12 * self.resource_blocks))

    @property
    def noise_mw(self) -> float:
        """Thermal noise in a resource element with the UAV's noise figure, in milliwatts."""
        bandwidth_db = 10.0 * float(np.log10(self.subcarrier_spacing_khz * 1e3))
        return float(10.0 ** ((THERMAL_NOISE_DBM_PER_HZ + bandwidth_db + self.noise_figure_db) / 10.0))


class Channel:
    """The channel between `cells` and any place, drawn once from `seed`.

    Shadowing and the line-of-sight state are fields over the ground plane (TR 38.901 clause 7.6.3), one a site: cells
    of one site share them, a UAV that stands still keeps them, and neither the number of UAVs nor the order of asking
    changes them. The share `site_correlation` of the variance of shadowing belongs to the place alone and so to all
    sites. The state is line of sight where its field, made uniform, lies below the probability. That field is smooth
    (autocorrelation exp(-(d/D)^2)): an exponential one crosses any level without end, and would turn the edge of a
    building into dust. Arrays are laid out (cells, times, UAVs) in float32.
    """

    def __init__(self, cells: Cells, radio: RadioParameters, seed: np.random.SeedSequence) -> None:
        self.radio = radio
        self.cell_count = len(cells)
        self._field = CorrelatedField(named_generator(seed, "shadowing"))
        self._state = CorrelatedField(named_generator(seed, "line of sight"), power=2.0)
        self._common = CorrelatedField(named_generator(seed, "surroundings"))
        draws = named_generator(seed, "sites").random((len(cells.site_position_m), 7))[cells.site]
        self._position = cells.position_m.astype(np.float32)
        azimuth = np.deg2rad(cells.sector_azimuth_deg)
        self._look = np.stack([np.sin(azimuth), np.cos(azimuth)], axis=-1).astype(np.float32)
        turn = 2.0 * np.pi * draws[:, 6]
        self._turn = np.stack([np.cos(turn), np.sin(turn)], axis=-1).astype(np.float32)
        # Offsets of up to 128 correlation lengths, the size of the field's tile.
        self._offset = (128.0 * draws[:, :6]).astype(np.float32)
        self._gain = GainTable(radio.antenna) if radio.antenna is not None else None

    def rsrp_dbm(self, position_m: NDArray[np.float64], cell: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """RSRP in dBm per resource element (K, T, U) of the cells (K, U) at the places (U, T, 3); of all if None."""
        x, y, z = np.ascontiguousarray(position_m.transpose(2, 1, 0), dtype=np.float32)[:, None]
        if cell is None:
            cell = np.arange(self.cell_count)[:, None]
        east = x - self._position[cell, 0][:, None]
        north = y - self._position[cell, 1][:, None]
        antenna_height = self._position[cell, 2][:, None]
        rise = z - antenna_height
        squared = east * east + north * north
        d2d = np.sqrt(squared)
        d3d = np.sqrt(squared + rise * rise)
        radio = self.radio
        loss_los, loss_nlos = path_loss_db(radio.scenario, d2d, d3d, z, antenna_height, radio.frequency_ghz)
        sigma_los, sigma_nlos = shadowing_sigma_db(radio.scenario, z)
        los, shadow = self._fields(cell, x, y, los_probability(radio.scenario, d2d, z))
        rsrp = np.where(los, sigma_los, sigma_nlos) * shadow
        rsrp -= np.where(los, loss_los, loss_nlos)
        rsrp += np.float32(radio.element_power_dbm)
        if self._gain is not None:
            look = self._look[cell]
            along = (east * look[:, None, ..., 0] + north * look[:, None, ..., 1]) / np.maximum(d2d, np.float32(1e-3))
            rsrp += self._gain.gain_db(rise / np.maximum(d3d, np.float32(1e-3)), along)
        return np.asarray(rsrp, np.float32)

    def line_of_sight(self, position_m: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each cell (C, T, U) has line of sight to the places (U, T, 3)."""
        x, y, z = np.ascontiguousarray(position_m.transpose(2, 1, 0), dtype=np.float32)[:, None]
        cell = np.arange(self.cell_count)[:, None]
        d2d = np.hypot(x - self._position[cell, 0][:, None], y - self._position[cell, 1][:, None])
        return self._fields(cell, x, y, los_probability(self.radio.scenario, d2d, z))[0]

    def _fields(
        self, cell: NDArray[np.int64], x: NDArray[np.float32], y: NDArray[np.float32], probability: NDArray[np.floating]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """The state of line of sight and the unit-variance shadowing that goes with it."""
        # SciPy takes 40 MiB: imported where it is used, a run without a radio channel goes without.
        from scipy.special import ndtr

        turn, offset = self._turn[cell][:, None], self._offset[cell][:, None]
        u = turn[..., 0] * x - turn[..., 1] * y
        v = turn[..., 1] * x + turn[..., 0] * y
        d_los, d_nlos, d_state = (np.float32(1.0 / length) for length in CORRELATION_M[self.radio.scenario])
        state = self._state.read(u * d_state + offset[..., 0], v * d_state + offset[..., 1])
        los = ndtr(state) < probability
        scale = np.where(los, d_los, d_nlos)
        u *= scale
        v *= scale
        u += np.where(los, offset[..., 2], offset[..., 4])
        v += np.where(los, offset[..., 3], offset[..., 5])
        shared = self.radio.site_correlation
        around = [self._common.read(x * scale, y * scale) * np.float32(np.sqrt(shared)) for scale in (d_los, d_nlos)]
        return los, np.where(los, *around) + np.float32(np.sqrt(1.0 - shared)) * self._field.read(u, v)


def sinr_db(signal_mw: ArrayLike, total_mw: ArrayLike, radio: RadioParameters) -> NDArray[np.floating]:
    """SINR in dB of a signal, given the power of all cells together (signal included), both in mW per element."""
    signal = np.asarray(signal_mw)
    others = np.maximum(np.asarray(total_mw) - signal, 0.0)
    return np.asarray(10.0 * np.log10(signal / (radio.interference_load * others + radio.noise_mw)))


def to_mw(power_dbm: NDArray[np.floating]) -> NDArray[np.floating]:
    """Milliwatts of dBm."""
    return np.exp(power_dbm * power_dbm.dtype.type(np.log(10.0) / 10.0))
