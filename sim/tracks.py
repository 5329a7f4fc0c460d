"""The trajectory of one UAV, from what its group says."""

from math import pi

import numpy as np

from mobility import (
    Area,
    LocalFrame,
    Trajectory,
    circle,
    gauss_markov,
    random_waypoint,
    read_csv,
    read_gpx,
    read_plan,
    read_ulog,
    survey,
    waypoints,
)
from scenarios.fleet import Group

_CSV_COLUMNS = {
    True: {name: name for name in ("time_s", "latitude_deg", "longitude_deg", "altitude_m")},
    False: {"time_s": "time_s", "x_m": "east_m", "y_m": "north_m", "z_m": "up_m"},
}
_LOCAL_NAMES = {"east_m": "x_m", "north_m": "y_m", "up_m": "z_m"}


def build_trajectory(
    group: Group, number: int, frame: LocalFrame | None, duration_s: float | None, generator: np.random.Generator
) -> Trajectory:
    """Trajectory of UAV `number` of `group`, shifted and delayed as the group says; random kinds draw from `generator`.

    Raises:
        ValueError: a file does not fit, or a random kind has no duration to fill.
    """
    base = _base(group, frame, duration_s, generator)
    angle, radius = generator.uniform(0.0, 2.0 * pi), group.spread_m * np.sqrt(generator.uniform())
    shift_m = np.array([radius * np.cos(angle), radius * np.sin(angle), 0.0])
    return Trajectory(base.time_s - base.time_s[0] + number * group.stagger_s, base.position_m + shift_m)


def _base(
    group: Group, frame: LocalFrame | None, duration_s: float | None, generator: np.random.Generator
) -> Trajectory:
    path = group.trajectory
    match path.type:
        case "ulog":
            return read_ulog(path.path, frame).trajectory
        case "gpx":
            return read_gpx(path.path, frame).trajectory
        case "plan":
            return read_plan(path.path, frame).trajectory
        case "csv":
            given = {_LOCAL_NAMES.get(name, name): column for name, column in path.columns.items()}
            return read_csv(path.path, _CSV_COLUMNS["latitude_deg" in given] | given, frame).trajectory
        case "circle":
            lap_s = 2.0 * pi * path.radius_m / path.speed_mps
            east_m, north_m, up_m = path.centre_m
            return circle(path.radius_m, path.speed_mps, up_m, path.laps * lap_s, (east_m, north_m))
        case "waypoints":
            return waypoints(path.points_m, path.speed_mps, path.corner_speed_mps, path.acceleration_mps2)
        case "survey":
            return survey(
                Area(**path.area.model_dump()),
                path.spacing_m,
                path.speed_mps,
                path.height_m,
                path.corner_speed_mps,
                path.acceleration_mps2,
            )
    if duration_s is None:
        raise ValueError(f"duration_s is missing: uavs {group.name!r} move at random and have no end of their own")
    area = Area(**path.area.model_dump())
    if path.type == "random-waypoint":
        return random_waypoint(area, path.height_m, path.speed_mps, path.pause_s, duration_s, generator)
    return gauss_markov(
        area,
        path.height_m,
        path.speed_mps,
        duration_s,
        generator,
        memory=path.memory,
        speed_deviation_mps=path.speed_deviation_mps,
    )
