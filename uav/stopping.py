"""Stopping distance: what each latency and the braking cost in metres, and what a limit D_s* leaves.

Speeds are air speeds along the track; a tail wind adds to them (a head wind, negative, subtracts), because a vehicle
that brakes against the ground starts from its speed over the ground. Never negative: a head wind stronger than
the air speed counts as standing still.
"""

from dataclasses import astuple, dataclass, fields
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from uav.vehicle import Vehicle

Floats = NDArray[np.float64]

STANDARD_GRAVITY_MPS2 = 9.80665


class Braking(StrEnum):
    """How braking is modelled: with the constant force of eq. 36, or with the jerk limited besides."""

    FORCE = "force"
    JERK_LIMITED = "jerk-limited"


@dataclass(frozen=True, slots=True)
class Latencies:
    """Every latency between an obstacle that appears and a vehicle that brakes, each in seconds.

    `video_s` is T^v, `processing_s` T^proc and `downtime_s` T^down of eq. 35. Beyond the paper: the interruption of a
    handover, the network from edge to UAV, queueing for the service and the actuation in the flight controller.

    Raises ValueError if one is negative or not a number.
    """

    video_s: float = 0.0
    processing_s: float = 0.0
    downtime_s: float = 0.0
    handover_interruption_s: float = 0.0
    network_s: float = 0.0
    queueing_s: float = 0.0
    actuation_s: float = 0.0

    def __post_init__(self) -> None:
        for name, value in self.items_s():
            if not value >= 0:
                raise ValueError(f"latencies {name}_s = {value} s: must be at least 0 s")

    @property
    def total_s(self) -> float:
        """The sum of all, in seconds."""
        return float(sum(astuple(self)))

    def items_s(self) -> tuple[tuple[str, float], ...]:
        """Pairs of name (without the unit) and seconds, in the order of the fields."""
        return tuple((field.name.removesuffix("_s"), float(getattr(self, field.name))) for field in fields(self))


TABLE_IV_LATENCIES = Latencies(video_s=0.030, processing_s=0.010)
"""The latencies of the PAM paper's Table IV; the downtime comes from the migration."""

TABLE_IV_LIMIT_M = 30.0
"""D_s* of the PAM paper's Table IV, in metres."""


@dataclass(frozen=True, slots=True)
class StoppingLine:
    """One line of a stopping budget: `name`, `duration_s` (NaN for the braking) and `distance_m`."""

    name: str
    duration_s: float
    distance_m: float


def ground_speed_mps(speed_mps: ArrayLike, tail_wind_mps: ArrayLike = 0.0) -> Floats:
    """Speed over the ground of a vehicle with an air speed along the track, at least 0, in m/s."""
    return np.maximum(np.asarray(speed_mps, dtype=np.float64) + np.asarray(tail_wind_mps, dtype=np.float64), 0.0)


def reaction_distance_m(speed_mps: ArrayLike, latency_s: ArrayLike) -> Floats:
    """D_r(v) = v (T^down + T^v + T^proc), eq. 35 of the PAM paper; `latency_s` is the sum of all latencies."""
    return np.asarray(speed_mps, dtype=np.float64) * np.asarray(latency_s, dtype=np.float64)


def braking_distance_m(speed_mps: ArrayLike, mass_kg: ArrayLike, brake_force_n: ArrayLike) -> Floats:
    """D_b(v) = v² m_UAV / (2 F_b), eq. 36 of the PAM paper."""
    speed = np.asarray(speed_mps, dtype=np.float64)
    return speed**2 * np.asarray(mass_kg, dtype=np.float64) / (2.0 * np.asarray(brake_force_n, dtype=np.float64))


def jerk_limited_braking_distance_m(speed_mps: ArrayLike, deceleration_mps2: ArrayLike, jerk_mps3: ArrayLike) -> Floats:
    """Braking distance x = v² / (2 a) + 2 a v / j of a vehicle that may be accelerating with a.

    It takes 2 a / j to go from +a to -a, during which PX4's planner counts the full speed. This is the inverse of the
    speed that PX4 allows at a distance x from a stop.
    """
    speed = np.asarray(speed_mps, dtype=np.float64)
    deceleration = np.asarray(deceleration_mps2, dtype=np.float64)
    return speed**2 / (2.0 * deceleration) + 2.0 * deceleration * speed / np.asarray(jerk_mps3, dtype=np.float64)


def jerk_delay_s(vehicle: Vehicle, braking: Braking) -> float:
    """Seconds at full speed that the limited jerk costs: 2 a / j with a = F_b / m_UAV, or 0 under eq. 36."""
    return 2.0 * vehicle.deceleration_mps2 / vehicle.jerk_mps3 if braking is Braking.JERK_LIMITED else 0.0


def stopping_distance_m(
    speed_mps: ArrayLike,
    latency_s: ArrayLike,
    vehicle: Vehicle,
    *,
    tail_wind_mps: ArrayLike = 0.0,
    braking: Braking = Braking.FORCE,
) -> Floats:
    """D_s(v) = D_r(v) + D_b(v) of eqs. 35 and 36 over the ground, in metres; arguments broadcast.

    `latency_s` is the sum of all latencies (`Latencies.total_s`).
    """
    speed = ground_speed_mps(speed_mps, tail_wind_mps)
    reaction = reaction_distance_m(speed, np.asarray(latency_s, dtype=np.float64) + jerk_delay_s(vehicle, braking))
    return reaction + braking_distance_m(speed, vehicle.mass_kg, vehicle.brake_force_n)


def stopping_lines(
    speed_mps: float,
    latencies: Latencies,
    vehicle: Vehicle,
    *,
    tail_wind_mps: float = 0.0,
    braking: Braking = Braking.FORCE,
) -> tuple[StoppingLine, ...]:
    """The stopping distance line by line: one line for each latency, then the braking. Their metres sum up to it."""
    speed = ground_speed_mps(speed_mps, tail_wind_mps)
    lines = [StoppingLine(name, item, float(reaction_distance_m(speed, item))) for name, item in latencies.items_s()]
    brake = stopping_distance_m(speed_mps, 0.0, vehicle, tail_wind_mps=tail_wind_mps, braking=braking)
    return (*lines, StoppingLine("braking", float("nan"), float(brake)))


def largest_safe_speed_mps(
    limit_m: ArrayLike,
    latency_s: ArrayLike,
    vehicle: Vehicle,
    *,
    tail_wind_mps: ArrayLike = 0.0,
    braking: Braking = Braking.FORCE,
) -> Floats:
    """The largest air speed whose stopping distance stays within `limit_m` (D_s*), in m/s.

    The positive root of v² / (2 a) + v T = D_s*, less the tail wind; NaN where no air speed will do, because the
    limit is negative or the tail wind alone is too fast. The vehicle's own maximum speed is not applied.
    """
    limit = np.asarray(limit_m, dtype=np.float64)
    delay = np.asarray(latency_s, dtype=np.float64) + jerk_delay_s(vehicle, braking)
    deceleration = vehicle.deceleration_mps2
    root = np.sqrt(delay**2 + 2.0 * np.maximum(limit, 0.0) / deceleration)
    # 2 D / (T + root) instead of a (root - T): nothing cancels when the latency dominates.
    speed = 2.0 * limit / np.where(root + delay > 0, root + delay, 1.0) - np.asarray(tail_wind_mps, dtype=np.float64)
    return np.where((limit >= 0) & (speed >= 0), speed, np.nan)


def largest_downtime_s(
    limit_m: ArrayLike,
    speed_mps: ArrayLike,
    other_latency_s: ArrayLike,
    vehicle: Vehicle,
    *,
    tail_wind_mps: ArrayLike = 0.0,
    braking: Braking = Braking.FORCE,
) -> Floats:
    """The largest downtime for which the stopping distance stays within `limit_m` (D_s*), in seconds.

    `other_latency_s` is the sum of all latencies but the downtime. This is eqs. 35 and 36 solved for T^down, the
    step before eq. 37, which finds the bandwidth whose downtime (eq. 33) is this one. Infinite for a vehicle at
    rest; NaN where not even a downtime of zero will do.
    """
    speed = ground_speed_mps(speed_mps, tail_wind_mps)
    known = stopping_distance_m(speed_mps, other_latency_s, vehicle, tail_wind_mps=tail_wind_mps, braking=braking)
    margin = np.asarray(limit_m, dtype=np.float64) - known
    downtime = np.where(speed > 0, margin / np.where(speed > 0, speed, 1.0), np.inf)
    return np.where(margin >= 0, downtime, np.nan)


def contingency_distance_m(
    speed_mps: ArrayLike,
    reaction_s: ArrayLike,
    pitch_limit_rad: ArrayLike,
    *,
    position_error_m: float = 3.0,
    holding_error_m: float = 3.0,
    map_error_m: float = 1.0,
) -> Floats:
    """Horizontal extent of the contingency volume as SORA ground-risk tools compute it, in metres.

    Reaction v t plus the braking manoeuvre v² / (2 g tan(pitch limit)) plus the errors of position, of holding the
    position and of the map (the tools' usual 3, 3 and 1 m).
    """
    speed = np.asarray(speed_mps, dtype=np.float64)
    manoeuvre = speed**2 / (2.0 * STANDARD_GRAVITY_MPS2 * np.tan(np.asarray(pitch_limit_rad, dtype=np.float64)))
    return reaction_distance_m(speed, reaction_s) + manoeuvre + position_error_m + holding_error_m + map_error_m
