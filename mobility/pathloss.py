"""Path loss, line-of-sight probability and shadowing spread of 3GPP: TR 36.777 Annex B above roofs, TR 38.901 below.

Arrays broadcast against one another and keep their precision (float32 in, float32 out). Distances and heights are in
metres, `d2d_m` along the ground and `d3d_m` through the air; `height_m` is the UAV's above ground. The models are
defined from 1.5 to 300 m; a height outside is taken as the nearer end.
"""

from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]

SPEED_OF_LIGHT_MPS = 299_792_458.0
LOWEST_M, HIGHEST_M = 1.5, 300.0
# TR 38.901 gives rural houses and streets as inputs with these usual values (table 7.4.1-1, note 6 of RMa).
RURAL_BUILDING_HEIGHT_M, RURAL_STREET_WIDTH_M = 5.0, 20.0


class Scenario(StrEnum):
    """The surroundings: urban macro, urban micro (street canyon) or rural macro."""

    UMA = "UMa"
    UMI = "UMi"
    RMA = "RMa"


AERIAL_ABOVE_M = {Scenario.UMA: 22.5, Scenario.UMI: 22.5, Scenario.RMA: 10.0}


def los_probability(scenario: Scenario, d2d_m: Floats, height_m: Floats) -> Floats:
    """Probability of line of sight (TR 36.777 table B-1; at and below its heights TR 38.901 table 7.4.2-1)."""
    height, aerial = _height(scenario, height_m)
    if aerial.all():
        return _aerial_los_probability(scenario, d2d_m, height)
    ground = _ground_los_probability(scenario, d2d_m, height)
    if not aerial.any():
        return ground
    return np.where(aerial, _aerial_los_probability(scenario, d2d_m, height), ground)


def path_loss_db(
    scenario: Scenario,
    d2d_m: Floats,
    d3d_m: Floats,
    height_m: Floats,
    antenna_height_m: Floats,
    frequency_ghz: float,
) -> tuple[Floats, Floats]:
    """Path loss in dB with and without line of sight (TR 36.777 table B-2; below its heights TR 38.901 table 7.4.1-1).

    The effective environment height of the UMa break point is 1 m, as it is for UMi.
    """
    height, aerial = _height(scenario, height_m)
    log_d = np.log10(np.maximum(d3d_m, 1.0))
    if aerial.all():
        return _aerial_path_loss_db(scenario, log_d, height, frequency_ghz)
    ground = _ground_path_loss_db(scenario, d2d_m, log_d, height, antenna_height_m, frequency_ghz)
    if not aerial.any():
        return ground
    above = _aerial_path_loss_db(scenario, log_d, height, frequency_ghz)
    return np.where(aerial, above[0], ground[0]), np.where(aerial, above[1], ground[1])


def shadowing_sigma_db(scenario: Scenario, height_m: Floats) -> tuple[Floats, Floats]:
    """Standard deviation of shadowing in dB with and without line of sight (TR 36.777 table B-3, TR 38.901 7.4.1-1).

    RMa on the ground is given its value up to the break point, 4 dB.
    """
    height, aerial = _height(scenario, height_m)
    match scenario:
        case Scenario.UMA:
            sigmas = 4.64 * np.exp(-0.0066 * height), 6.0, 4.0, 6.0
        case Scenario.UMI:
            sigmas = np.maximum(5.0 * np.exp(-0.01 * height), 2.0), 8.0, 4.0, 7.82
        case Scenario.RMA:
            sigmas = 4.2 * np.exp(-0.0046 * height), 6.0, 4.0, 8.0
    kind = height.dtype.type
    above_los, above_nlos, ground_los, ground_nlos = sigmas
    return (
        np.where(aerial, above_los, kind(ground_los)),
        np.where(aerial, kind(above_nlos), kind(ground_nlos)),
    )


def _height(scenario: Scenario, height_m: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    height = np.clip(height_m, LOWEST_M, HIGHEST_M)
    return height, np.asarray(height > AERIAL_ABOVE_M[scenario])


def _aerial_los_probability(scenario: Scenario, d2d_m: Floats, height: Floats) -> Floats:
    log_h = np.log10(np.maximum(height, AERIAL_ABOVE_M[scenario]))
    match scenario:
        case Scenario.UMA:
            p1, d1, always_above_m = 4300.0 * log_h - 3800.0, np.maximum(460.0 * log_h - 700.0, 18.0), 100.0
        case Scenario.UMI:
            p1, d1, always_above_m = 233.98 * log_h - 0.95, np.maximum(294.05 * log_h - 432.94, 18.0), np.inf
        case Scenario.RMA:
            p1, d1 = np.maximum(15021.0 * log_h - 16053.0, 1000.0), np.maximum(1350.8 * log_h - 1602.0, 18.0)
            always_above_m = 40.0
    # A nearer d1 than the link is long makes the formula exactly 1; so does an infinite one, above the last height.
    return _decay(d2d_m, np.where(height > always_above_m, height.dtype.type(np.inf), d1), p1)


def _decay(d2d_m: Floats, d1: Floats | float, p1: Floats | float) -> Floats:
    """1 up to d1, then d1/d + exp(-d/p1) (1 - d1/d)."""
    near: Floats = np.minimum(d1 / np.maximum(d2d_m, 1e-3), 1.0)
    beyond: Floats = np.exp(-d2d_m / p1) * (1.0 - near)
    return near + beyond


def _ground_los_probability(scenario: Scenario, d2d_m: Floats, height: Floats) -> Floats:
    match scenario:
        case Scenario.UMA:
            rise = np.clip((height - 13.0) / 10.0, 0.0, 1.0) ** 1.5
            bump = 1.25 * (d2d_m / 100.0) ** 3 * np.exp(-d2d_m / 150.0)
            return np.where(d2d_m <= 18.0, d2d_m.dtype.type(1.0), _decay(d2d_m, 18.0, 63.0) * (1.0 + rise * bump))
        case Scenario.UMI:
            return _decay(d2d_m, 18.0, 36.0) + 0.0 * height
        case Scenario.RMA:
            return np.asarray(np.exp(-np.maximum(d2d_m - 10.0, 0.0) / 1000.0) + 0.0 * height)


def _aerial_path_loss_db(
    scenario: Scenario, log_d: Floats, height: Floats, frequency_ghz: float
) -> tuple[Floats, Floats]:
    log_h = np.log10(np.maximum(height, AERIAL_ABOVE_M[scenario]))
    log_f = 20.0 * float(np.log10(frequency_ghz))
    free_space_1m = 20.0 * float(np.log10(40.0 * np.pi * frequency_ghz / 3.0))
    match scenario:
        case Scenario.UMA:
            los: Floats = 28.0 + log_f + 22.0 * log_d + 0.0 * log_h
            return los, (free_space_1m - 17.5) + (46.0 - 7.0 * log_h) * log_d
        case Scenario.UMI:
            los = np.maximum(free_space_1m + 20.0 * log_d, 30.9 + log_f + (22.25 - 0.5 * log_h) * log_d)
            return los, np.maximum(los, 32.4 + log_f + (43.2 - 7.6 * log_h) * log_d)
        case Scenario.RMA:
            los = free_space_1m + np.maximum(23.9 - 1.8 * log_h, 20.0) * log_d
            return los, np.maximum(los, free_space_1m - 12.0 + (35.0 - 5.3 * log_h) * log_d)


def _ground_path_loss_db(
    scenario: Scenario,
    d2d_m: Floats,
    log_d: Floats,
    height: Floats,
    antenna_height_m: Floats,
    frequency_ghz: float,
) -> tuple[Floats, Floats]:
    if scenario is Scenario.RMA:
        return _rural_ground_path_loss_db(d2d_m, log_d, height, antenna_height_m, frequency_ghz)
    log_f = float(np.log10(frequency_ghz))
    constant, slope, after, nlos_constant, nlos_slope, nlos_log_f, per_metre = (
        (28.0, 22.0, 9.0, 13.54, 39.08, 20.0, 0.6)
        if scenario is Scenario.UMA
        else (32.4, 21.0, 9.5, 22.4, 35.3, 21.3, 0.3)
    )
    wavelength_m = SPEED_OF_LIGHT_MPS / (frequency_ghz * 1e9)
    break_point = 4.0 * np.maximum(antenna_height_m - 1.0, 0.1) * (height - 1.0) / wavelength_m
    drop = after * np.log10(break_point**2 + (antenna_height_m - height) ** 2)
    near = constant + slope * log_d
    far = constant + 40.0 * log_d - drop
    los = np.where(d2d_m <= break_point, near, far) + 20.0 * log_f
    nlos = nlos_constant + nlos_slope * log_d + nlos_log_f * log_f - per_metre * (height - 1.5)
    return los, np.maximum(los, nlos)


def _rural_ground_path_loss_db(
    d2d_m: Floats,
    log_d: Floats,
    height: Floats,
    antenna_height_m: Floats,
    frequency_ghz: float,
) -> tuple[Floats, Floats]:
    house, street = RURAL_BUILDING_HEIGHT_M, RURAL_STREET_WIDTH_M
    log_f = 20.0 * float(np.log10(frequency_ghz))
    free_space_1m = 20.0 * float(np.log10(40.0 * np.pi * frequency_ghz / 3.0))
    slope, fixed = 20.0 + min(0.03 * house**1.72, 10.0), free_space_1m - min(0.044 * house**1.72, 14.77)
    per_metre = 0.002 * float(np.log10(house))
    break_point = 2.0 * np.pi * antenna_height_m * height * (frequency_ghz * 1e9 / SPEED_OF_LIGHT_MPS)
    # The break point is a distance along the ground; the loss there is taken at the distance through the air.
    break_3d = np.sqrt(break_point**2 + (antenna_height_m - height) ** 2)
    log_break = np.log10(break_3d)
    near = fixed + slope * log_d + per_metre * 10.0**log_d
    far = fixed + slope * log_break + per_metre * break_3d + 40.0 * (log_d - log_break)
    los = np.where(d2d_m <= break_point, near, far)
    log_antenna = np.log10(antenna_height_m)
    nlos = (
        161.04
        - 7.1 * float(np.log10(street))
        + 7.5 * float(np.log10(house))
        - (24.37 - 3.7 * (house / antenna_height_m) ** 2) * log_antenna
        + (43.42 - 3.1 * log_antenna) * (log_d - 3.0)
        + log_f
        - (3.2 * np.log10(11.75 * height) ** 2 - 4.97)
    )
    return los, np.maximum(los, nlos)
