"""Missions of QGroundControl: a `.plan` file flown as its autopilot would, read as a trajectory."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mobility.frame import LocalFrame
from mobility.generators import waypoints
from mobility.table import check_size
from mobility.traces import Trace

LARGEST_PLAN_BYTES = 64 * 1024**2
LARGEST_ITEMS = 100_000
# MAV_CMD numbers (MAVLink common message set).
WAYPOINT, LOITER_TIME, RETURN_TO_LAUNCH, LAND, TAKEOFF, CHANGE_SPEED = 16, 19, 20, 21, 22, 178
# Commands for cameras, mounts and regions of interest: they do not move the UAV.
WITHOUT_MOTION = {195, 196, 197, 201, 205, 206, 214, 530, 531, 532, 1000, 2000, 2001, 2500, 2501}
# MAV_FRAME: altitude above mean sea level, and relative to home; the last two are their integer twins.
ABOVE_SEA, ABOVE_HOME = {0, 5}, {3, 6}
MAV_TYPE_FIXED_WING = 1


@dataclass(slots=True)
class _Route:
    """The waypoints gathered so far: places, holds and the speed of the leg that leads to each."""

    places: list[tuple[float, float, float]]
    holds_s: list[float]
    speeds_mps: list[float]
    speed_mps: float

    def go(self, place: tuple[float, float, float], hold_s: float = 0.0) -> None:
        self.places.append(place)
        self.holds_s.append(hold_s)
        self.speeds_mps.append(self.speed_mps)


def read_plan(
    path: str | Path,
    frame: LocalFrame | None = None,
    corner_speed_mps: float = 2.0,
    acceleration_mps2: float = 2.0,
) -> Trace:
    """The flight of a QGroundControl `.plan` file, from home to its last item.

    Understood are take-off, waypoint, loiter for a time, change of speed, return to launch and land, plain or inside
    a survey; commands for cameras and mounts are passed over. The UAV cruises at the plan's hover speed (fixed wings:
    its cruise speed), slows down to `corner_speed_mps` at each waypoint, and keeps to `acceleration_mps2`. Heights
    are above the plan's home. Without a `frame` its origin is that home. Raises ValueError naming file and item for
    anything else.
    """
    path = Path(path)
    check_size(path, LARGEST_PLAN_BYTES)
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: not a JSON file ({error})") from None
    mission = plan.get("mission") if isinstance(plan, dict) else None
    if not isinstance(mission, dict) or plan.get("fileType") != "Plan":
        raise ValueError(f'{path}: not a QGroundControl plan; it needs fileType "Plan" and a mission')
    home = _numbers(mission.get("plannedHomePosition"), 3, f"{path}, mission.plannedHomePosition")
    speed_field = "cruiseSpeed" if mission.get("vehicleType") == MAV_TYPE_FIXED_WING else "hoverSpeed"
    speed = _numbers([mission.get(speed_field)], 1, f"{path}, mission.{speed_field}")[0]
    if not speed > 0.0:
        raise ValueError(f"{path}, mission.{speed_field}: {speed} m/s; it must be above 0")
    frame = frame or LocalFrame(home[0], home[1], home[2])
    route = _Route([(home[0], home[1], 0.0)], [0.0], [], speed)
    for where, item in _simple_items(mission.get("items"), f"{path}, mission.items"):
        _fly(item, where, route, home)
    if len(route.places) < 2:
        raise ValueError(f"{path}, mission.items: nothing to fly to; a take-off or waypoint is needed")
    latitude, longitude, height = np.array(route.places).T
    position = frame.to_local(latitude, longitude, height)
    position[:, 2] = height
    try:
        flight = waypoints(position, route.speeds_mps, corner_speed_mps, acceleration_mps2, route.holds_s)
    except ValueError as error:
        raise ValueError(f"{path}, mission.items: {error}") from None
    return Trace(frame, flight)


def _simple_items(items: Any, where: str) -> list[tuple[str, dict[str, Any]]]:
    """The plain items with where they stand, those of surveys included."""
    if not isinstance(items, list) or len(items) > LARGEST_ITEMS:
        raise ValueError(f"{where}: it must be a list of at most {LARGEST_ITEMS} items")
    simple = []
    for number, item in enumerate(items, start=1):
        here = f"{where}[{number}]"
        if not isinstance(item, dict):
            raise ValueError(f"{here}: an item must be an object")
        survey = item.get("TransectStyleComplexItem")
        if item.get("type") == "SimpleItem":
            simple.append((here, item))
        elif isinstance(survey, dict) and isinstance(survey.get("Items"), list):
            inner = survey["Items"]
            simple += [(f"{here}.Items[{n}]", part) for n, part in enumerate(inner, 1) if isinstance(part, dict)]
        else:
            kind = item.get("complexItemType", item.get("type"))
            raise ValueError(f"{here}: item type {kind!r} is not supported; simple items and surveys are")
    return simple


def _fly(item: dict[str, Any], where: str, route: _Route, home: list[float]) -> None:
    command = item.get("command")
    if command in WITHOUT_MOTION:
        return
    last = route.places[-1]
    if command == RETURN_TO_LAUNCH:
        route.go((home[0], home[1], last[2]))
        route.go((home[0], home[1], 0.0))
        return
    if command not in (WAYPOINT, LOITER_TIME, LAND, TAKEOFF, CHANGE_SPEED):
        raise ValueError(
            f"{where}: command {command!r} is not supported; 16 (waypoint), 19 (loiter for a time), 20 (return), "
            "21 (land), 22 (take-off) and 178 (change speed) are"
        )
    raw = item.get("params")
    if not isinstance(raw, list) or len(raw) != 7:
        raise ValueError(f"{where}.params: it must be a list of 7 numbers")
    # QGroundControl writes null for what a command leaves open, such as the yaw.
    params = _numbers([0.0 if value is None else value for value in raw], 7, f"{where}.params")
    if command == CHANGE_SPEED:
        # -1 keeps the speed and -2 goes back to the default, which for a mission is the one it is flown at.
        if params[1] > 0.0:
            route.speed_mps = params[1]
        return
    at_home_place = command in (TAKEOFF, LAND) and params[4] == 0.0 and params[5] == 0.0
    place = last[:2] if at_home_place else (params[4], params[5])
    if not (abs(place[0]) < 90.0 and abs(place[1]) <= 180.0):
        raise ValueError(f"{where}.params: latitude {place[0]}, longitude {place[1]} is no place on Earth")
    height = _height(params[6], item.get("frame"), where, home[2])
    if command == LAND:
        route.go((*place, last[2]))
        route.go((*place, 0.0))
        return
    if command == TAKEOFF:
        route.go((last[0], last[1], height))
    route.go((*place, height), params[0] if command in (WAYPOINT, LOITER_TIME) else 0.0)


def _height(altitude: float, frame: Any, where: str, home_altitude_m: float) -> float:
    if frame in ABOVE_HOME:
        return altitude
    if frame in ABOVE_SEA:
        return altitude - home_altitude_m
    raise ValueError(f"{where}.frame: {frame!r} is not supported; 3 (relative to home) and 0 (above sea level) are")


def _numbers(values: Any, count: int, where: str) -> list[float]:
    good = isinstance(values, list) and len(values) == count
    if not good or not all(isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) for v in values):
        raise ValueError(f"{where}: {values!r}; it must be {count} finite number{'s' if count > 1 else ''}")
    return [float(value) for value in values]
