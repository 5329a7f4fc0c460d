"""Trajectories made from a few numbers: circle, waypoints, survey, random waypoint, Gauss-Markov."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mobility.trajectory import Trajectory

CHORD_ERROR_M = 0.01
RAMP_STEP_S = 0.1


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle over the ground: its corners in metres east and north. Raises ValueError if it is empty."""

    west_m: float
    south_m: float
    east_m: float
    north_m: float

    def __post_init__(self) -> None:
        if not (self.west_m < self.east_m and self.south_m < self.north_m):
            raise ValueError(
                f"the area from ({self.west_m}, {self.south_m}) to ({self.east_m}, {self.north_m}) m is empty"
            )


def circle(
    radius_m: float,
    speed_mps: float,
    height_m: float,
    duration_s: float,
    centre_m: tuple[float, float] = (0.0, 0.0),
    start_angle_deg: float = 0.0,
) -> Trajectory:
    """A circle around `centre_m` (east, north), counter-clockwise from `start_angle_deg` (0 is east).

    It is flown along chords that leave the circle by at most 1 cm. Raises ValueError for a value not above 0.
    """
    _require_positive(radius_m=radius_m, speed_mps=speed_mps, duration_s=duration_s)
    largest_turn = np.sqrt(8.0 * CHORD_ERROR_M / radius_m)
    turn = duration_s * speed_mps / radius_m
    share = np.linspace(0.0, 1.0, int(np.ceil(turn / largest_turn)) + 1)
    angle = np.deg2rad(start_angle_deg) + turn * share
    east, north = centre_m[0] + radius_m * np.cos(angle), centre_m[1] + radius_m * np.sin(angle)
    return Trajectory(duration_s * share, np.column_stack([east, north, np.full(share.size, height_m)]))


def waypoints(
    position_m: ArrayLike,
    speed_mps: ArrayLike,
    corner_speed_mps: float = 2.0,
    acceleration_mps2: float = 2.0,
    hold_s: ArrayLike = 0.0,
    start_s: float = 0.0,
) -> Trajectory:
    """A flight along straight legs through waypoints (N, 3), from rest to rest.

    `speed_mps` is the cruise speed, one or one a leg (N - 1,). At each waypoint the UAV has slowed down to
    `corner_speed_mps`, or to rest where it holds for `hold_s` seconds (one or one a waypoint). It speeds up and slows
    down by `acceleration_mps2`; a leg too short for that is flown slower. Waypoints at one place are one. Raises
    ValueError for values not above 0 or fewer than two places.
    """
    points = np.asarray(position_m, np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise ValueError(f"waypoints have shape {points.shape}; they must be finite numbers in the shape (N, 3)")
    count = len(points)
    speed = np.broadcast_to(np.asarray(speed_mps, np.float64), (max(count - 1, 0),))
    hold = np.array(np.broadcast_to(np.asarray(hold_s, np.float64), (count,)))
    _require_positive(corner_speed_mps=corner_speed_mps, acceleration_mps2=acceleration_mps2)
    if not (speed > 0.0).all() or not (hold >= 0.0).all():
        raise ValueError("speed_mps must be above 0 m/s on every leg and hold_s 0 s or more at every waypoint")
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    moving = lengths > 0.0
    if not moving.any():
        raise ValueError("a flight needs at least two waypoints at different places")
    for leg in np.flatnonzero(~moving)[::-1]:
        hold[leg] += hold[leg + 1]
        hold = np.delete(hold, leg + 1)
    points = points[np.append(True, moving)]
    speed, lengths = speed[moving], lengths[moving]
    corner = _corner_speeds(speed, lengths, hold, corner_speed_mps, acceleration_mps2)
    times, places = [np.zeros(1)], [points[:1]]
    clock = start_s
    times[0] += clock
    for leg, length in enumerate(lengths):
        if hold[leg] > 0.0:
            clock += hold[leg]
            times.append(np.array([clock]))
            places.append(points[leg : leg + 1])
        time, distance = _leg(length, corner[leg], corner[leg + 1], speed[leg], acceleration_mps2)
        places.append(points[leg] + (distance / length)[:, None] * (points[leg + 1] - points[leg]))
        times.append(clock + time)
        clock += time[-1]
    if hold[-1] > 0.0:
        times.append(np.array([clock + hold[-1]]))
        places.append(points[-1:])
    return Trajectory(np.concatenate(times), np.concatenate(places))


def survey(
    area: Area,
    spacing_m: float,
    speed_mps: float,
    height_m: float,
    corner_speed_mps: float = 2.0,
    acceleration_mps2: float = 2.0,
) -> Trajectory:
    """A lawn-mower pattern: tracks from south to north and back, `spacing_m` apart, from the western edge eastward.

    Raises ValueError for a value not above 0.
    """
    _require_positive(spacing_m=spacing_m)
    tracks = int(np.floor((area.east_m - area.west_m) / spacing_m + 1e-9)) + 1
    east = np.repeat(area.west_m + spacing_m * np.arange(tracks), 2)
    north = np.resize([area.south_m, area.north_m, area.north_m, area.south_m], 2 * tracks)
    points = np.column_stack([east, north, np.full(2 * tracks, height_m)])
    return waypoints(points, speed_mps, corner_speed_mps, acceleration_mps2)


def random_waypoint(
    area: Area,
    height_range_m: tuple[float, float],
    speed_range_mps: tuple[float, float],
    pause_range_s: tuple[float, float],
    duration_s: float,
    generator: np.random.Generator,
) -> Trajectory:
    """Random waypoint mobility: again and again a place, a height, a speed and a pause, each uniform in its range.

    Legs are straight and flown at constant speed; the last one ends at or after `duration_s`. Raises ValueError for a
    range that falls, or a speed not above 0.
    """
    _require_positive(duration_s=duration_s)
    _require_range("height_range_m", height_range_m)
    _require_range("speed_range_mps", speed_range_mps)
    _require_range("pause_range_s", pause_range_s)
    _require_positive(speed_range_mps=speed_range_mps[0])
    low = (area.west_m, area.south_m, height_range_m[0])
    high = (area.east_m, area.north_m, height_range_m[1])
    here: NDArray[np.float64] = generator.uniform(low, high)
    clock = 0.0
    times, places = [clock], [here]
    while clock < duration_s:
        target = generator.uniform(low, high)
        clock += max(float(np.linalg.norm(target - here)), 1e-3) / generator.uniform(*speed_range_mps)
        times.append(clock)
        places.append(target)
        pause = generator.uniform(*pause_range_s)
        if pause > 0.0:
            clock += pause
            times.append(clock)
            places.append(target)
        here = target
    return Trajectory(np.array(times), np.array(places))


def gauss_markov(
    area: Area,
    height_m: float,
    mean_speed_mps: float,
    duration_s: float,
    generator: np.random.Generator,
    memory: float = 0.9,
    speed_deviation_mps: float = 1.0,
    heading_deviation_rad: float = 0.5,
    step_s: float = 1.0,
) -> Trajectory:
    """Gauss-Markov mobility (Liang and Haas 1999) at one height: speed and heading drift about their means.

    Every `step_s` seconds each becomes `memory` times itself plus the rest of its mean plus Gaussian noise, so that
    its standard deviation is the one given. At the edge of the area the UAV and its mean heading are mirrored.
    `memory` lies in [0, 1). Raises ValueError for a value out of range.
    """
    _require_positive(mean_speed_mps=mean_speed_mps, duration_s=duration_s, step_s=step_s)
    if not 0.0 <= memory < 1.0:
        raise ValueError(f"memory is {memory}; it must lie in [0, 1)")
    steps = int(np.ceil(duration_s / step_s - 1e-9))
    noise = generator.standard_normal((steps, 2)) * np.sqrt(1.0 - memory**2)
    low, high = np.array([area.west_m, area.south_m]), np.array([area.east_m, area.north_m])
    here: NDArray[np.float64] = generator.uniform(low, high)
    mean_heading = generator.uniform(-np.pi, np.pi)
    speed, heading = mean_speed_mps, mean_heading
    places = np.empty((steps + 1, 2))
    places[0] = here
    for step in range(steps):
        speed = memory * speed + (1.0 - memory) * mean_speed_mps + speed_deviation_mps * noise[step, 0]
        heading = memory * heading + (1.0 - memory) * mean_heading + heading_deviation_rad * noise[step, 1]
        move = max(speed, 0.0) * step_s
        here = here + np.array([move * np.cos(heading), move * np.sin(heading)])
        beyond = (here < low) | (here > high)
        if beyond.any():
            here = np.clip(
                np.where(here < low, 2.0 * low - here, np.where(here > high, 2.0 * high - here, here)), low, high
            )
            if beyond[0]:
                heading, mean_heading = np.pi - heading, np.pi - mean_heading
            if beyond[1]:
                heading, mean_heading = -heading, -mean_heading
        places[step + 1] = here
    time = np.arange(steps + 1) * np.float64(step_s)
    return Trajectory(time, np.column_stack([places, np.full(steps + 1, height_m)]))


def _corner_speeds(
    speed: NDArray[np.float64],
    lengths: NDArray[np.float64],
    hold: NDArray[np.float64],
    corner_speed_mps: float,
    acceleration_mps2: float,
) -> NDArray[np.float64]:
    """The speed at each waypoint: what is asked for, as far as the legs beside it are long enough to reach it."""
    corner = np.full(lengths.size + 1, corner_speed_mps)
    corner[1:-1] = np.minimum(corner[1:-1], np.minimum(speed[:-1], speed[1:]))
    corner[[0, -1]] = 0.0
    corner[hold > 0.0] = 0.0
    gain = 2.0 * acceleration_mps2 * lengths
    for leg in range(lengths.size):
        corner[leg + 1] = min(corner[leg + 1], np.sqrt(corner[leg] ** 2 + gain[leg]))
    for leg in reversed(range(lengths.size)):
        corner[leg] = min(corner[leg], np.sqrt(corner[leg + 1] ** 2 + gain[leg]))
    return corner


def _leg(
    length: float, start_mps: float, end_mps: float, cruise_mps: float, acceleration_mps2: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times and distances along one leg after its start: speeding up, cruising, slowing down."""
    top = min(cruise_mps, np.sqrt(acceleration_mps2 * length + (start_mps**2 + end_mps**2) / 2.0))
    times, distances = [], []
    clock, along = 0.0, 0.0
    ramp_up, ramp_down = (top - start_mps) / acceleration_mps2, (top - end_mps) / acceleration_mps2
    if ramp_up > 1e-9:
        time = np.linspace(0.0, ramp_up, int(np.ceil(ramp_up / RAMP_STEP_S)) + 1)[1:]
        times.append(time)
        distances.append(start_mps * time + acceleration_mps2 * time**2 / 2.0)
        clock, along = ramp_up, float(distances[-1][-1])
    braking_m = (top**2 - end_mps**2) / (2.0 * acceleration_mps2)
    cruise_m = length - along - braking_m
    if cruise_m > 1e-6:
        clock += cruise_m / top
        along += cruise_m
        times.append(np.array([clock]))
        distances.append(np.array([along]))
    if ramp_down > 1e-9:
        time = np.linspace(0.0, ramp_down, int(np.ceil(ramp_down / RAMP_STEP_S)) + 1)[1:]
        times.append(clock + time)
        distances.append(along + top * time - acceleration_mps2 * time**2 / 2.0)
    distance = np.concatenate(distances)
    distance[-1] = length
    return np.concatenate(times), distance


def _require_positive(**values: float) -> None:
    for name, value in values.items():
        if not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} is {value}; it must be above 0")


def _require_range(name: str, bounds: tuple[float, float]) -> None:
    if not 0.0 <= bounds[0] <= bounds[1]:
        raise ValueError(f"{name} is {bounds[0]} to {bounds[1]}; it must rise from 0 or more")
