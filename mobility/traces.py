"""Recorded flights: PX4 ULog, GPX and CSV, read as trajectories in a local frame.

Files come from outside: whatever is wrong with one is told as a ValueError that names the file, the place in it and
what would be right. Heights are above home, the altitude of the first fix unless another is given, and times start at
the first fix.
"""

import math
import struct
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC
from io import StringIO
from pathlib import Path

import gpxpy
import gpxpy.gpx
import numpy as np
from numpy.typing import NDArray
from pyulog.core import ULog
from pyulog.exceptions import ULogException

from mobility.frame import LocalFrame
from mobility.table import check_size, read_table
from mobility.trajectory import Trajectory

LARGEST_ULOG_BYTES = 2 * 1024**3
LARGEST_GPX_BYTES = 64 * 1024**2
GEODETIC = ("time_s", "latitude_deg", "longitude_deg", "altitude_m")
LOCAL = ("time_s", "x_m", "y_m", "z_m")


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded flight and the frame that its positions are in."""

    frame: LocalFrame
    trajectory: Trajectory


def read_ulog(path: str | Path, frame: LocalFrame | None = None, home_altitude_m: float | None = None) -> Trace:
    """The flight in a PX4 ULog file, from its topic `vehicle_global_position`.

    Without a `frame` its origin is the first valid fix. Raises ValueError if the file is no readable ULog, or has no
    valid position in that topic.
    """
    path = Path(path)
    check_size(path, LARGEST_ULOG_BYTES)
    try:
        # pyulog prints its warnings about damaged logs; the output belongs to the caller.
        with path.open("rb") as file, redirect_stdout(StringIO()):
            log = ULog(file, ["vehicle_global_position"])  # type: ignore[no-untyped-call]
    except (ULogException, struct.error, ValueError, LookupError, TypeError, AttributeError, OSError) as error:
        raise ValueError(f"{path}: not a readable PX4 ULog file ({error or type(error).__name__})") from None
    topics = [topic for topic in log.data_list if topic.name == "vehicle_global_position" and topic.multi_id == 0]
    if not topics:
        raise ValueError(f"{path}: no topic vehicle_global_position; log it in PX4 (SDLOG_PROFILE default has it)")
    data = topics[0].data
    missing = [name for name in ("timestamp", "lat", "lon", "alt") if name not in data]
    if missing:
        raise ValueError(f"{path}: topic vehicle_global_position has no field {missing[0]!r}")
    fixes = np.column_stack([np.asarray(data[name], np.float64) for name in ("timestamp", "lat", "lon", "alt")])
    fixes[:, 0] *= 1e-6
    # PX4 before v1.16 has no validity flags and publishes the topic only while it is valid.
    valid = np.isfinite(fixes).all(axis=1)
    for flag in ("lat_lon_valid", "alt_valid"):
        if flag in data:
            valid &= np.asarray(data[flag]) != 0
    if not valid.any():
        raise ValueError(f"{path}: topic vehicle_global_position has no valid fix")
    return _trace(path, fixes[valid], frame, home_altitude_m, "vehicle_global_position")


def read_gpx(path: str | Path, frame: LocalFrame | None = None, home_altitude_m: float | None = None) -> Trace:
    """The flight in a GPX file: the points of its tracks, in order; each needs a time and an elevation.

    Raises ValueError if the file is not GPX, declares entities, or a point lacks something.
    """
    path = Path(path)
    check_size(path, LARGEST_GPX_BYTES)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not a UTF-8 text file") from None
    # gpxpy hands the text to the platform's XML parser, which would expand entities nested without end.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError(f"{path}: a GPX file must not have a DOCTYPE or entities")
    try:
        document = gpxpy.parse(text)
    except (gpxpy.gpx.GPXException, ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: not a GPX file ({error})") from None
    points = [point for track in document.tracks for segment in track.segments for point in segment.points]
    if not points:
        raise ValueError(f"{path}: no track points (<trkpt>)")
    rows = []
    for number, point in enumerate(points, start=1):
        if point.time is None:
            raise ValueError(f"{path}, track point {number}: no <time>; a flight needs the time of every point")
        if point.elevation is None:
            raise ValueError(f"{path}, track point {number}: no <ele>; a flight needs the elevation of every point")
        # GPX times are UTC; a point that does not name its zone means it too.
        time = point.time if point.time.tzinfo is not None else point.time.replace(tzinfo=UTC)
        rows.append([time.timestamp(), point.latitude, point.longitude, point.elevation])
    fixes = np.array(rows)
    return _trace(path, fixes, frame, home_altitude_m, "track point")


def read_csv(
    path: str | Path,
    columns: Mapping[str, str],
    frame: LocalFrame | None = None,
    home_altitude_m: float | None = None,
) -> Trace:
    """The flight in a CSV file with a header line.

    `columns` maps either `time_s`, `latitude_deg`, `longitude_deg`, `altitude_m`, or `time_s`, `x_m`, `y_m`, `z_m` to
    the file's column names. The latter are taken as they are, in `frame` (without one, a frame at latitude and
    longitude 0), with z above ground. Raises ValueError naming file, line and column.
    """
    path = Path(path)
    geodetic = set(columns) == set(GEODETIC)
    if not geodetic and set(columns) != set(LOCAL):
        raise ValueError(
            f"columns maps {', '.join(sorted(columns))}; it must map {', '.join(GEODETIC)} or {', '.join(LOCAL)}"
        )
    names = [columns[key] for key in (GEODETIC if geodetic else LOCAL)]
    limits = [math.inf, 90.0, 180.0, math.inf] if geodetic else [math.inf] * 4
    rows: list[list[float]] = []
    for row in read_table(path, names):
        values = [row.number(name, -limit, limit) for name, limit in zip(names, limits, strict=True)]
        if rows and values[0] <= rows[-1][0]:
            raise row.error(f"column {names[0]!r} is {values[0]:g}, after {rows[-1][0]:g}; times must increase")
        rows.append(values)
    if not rows:
        raise ValueError(f"{path}: no lines below the header")
    table = np.array(rows)
    if geodetic:
        return _trace(path, table, frame, home_altitude_m, "line")
    return Trace(frame or LocalFrame(0.0, 0.0), Trajectory(table[:, 0] - table[0, 0], table[:, 1:]))


def _trace(
    path: Path, fixes: NDArray[np.float64], frame: LocalFrame | None, home_altitude_m: float | None, what: str
) -> Trace:
    """The trace of fixes (N, 4): time in s, latitude and longitude in degrees, altitude in m."""
    time, latitude, longitude, altitude = fixes.T
    wrong = ~(np.isfinite(fixes).all(axis=1) & (np.abs(latitude) < 90.0) & (np.abs(longitude) <= 180.0))
    if wrong.any():
        k = int(np.argmax(wrong))
        raise ValueError(
            f"{path}, {what} {k + 1}: ({latitude[k]}, {longitude[k]}, {altitude[k]} m) is no place on Earth"
        )
    backward = np.diff(time) <= 0.0
    if backward.any():
        k = int(np.argmax(backward)) + 1
        raise ValueError(f"{path}, {what} {k + 1}: its time is not after that of the one before; times must increase")
    home = float(altitude[0]) if home_altitude_m is None else home_altitude_m
    frame = frame or LocalFrame(float(latitude[0]), float(longitude[0]), home)
    position = frame.to_local(latitude, longitude, altitude)
    position[:, 2] = altitude - home
    return Trace(frame, Trajectory(time - time[0], position))
