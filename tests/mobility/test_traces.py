"""Recorded flights and missions, good and hostile."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mobility import LocalFrame, read_csv, read_gpx, read_plan, read_ulog

FLIGHT = Path(__file__).parents[2] / "scenarios" / "data" / "melbourne-cbd-flight.ulg"
CSV_COLUMNS = {"time_s": "t", "latitude_deg": "lat", "longitude_deg": "lon", "altitude_m": "alt"}
HOME = [-37.815, 144.9631, 30.0]


def test_the_shipped_flight_is_798_s_and_6_6_km_at_60_m() -> None:
    trace = read_ulog(FLIGHT)
    flight = trace.trajectory
    along = np.linalg.norm(np.diff(flight.position_m[:, :2], axis=0), axis=1)
    assert flight.duration_s == pytest.approx(797.7)
    assert along.sum() == pytest.approx(6600.0, rel=0.02)
    assert np.median(flight.position_m[:, 2]) == pytest.approx(60.0, abs=2.5)
    assert flight.position_m[0].tolist() == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert (trace.frame.latitude_deg, trace.frame.longitude_deg) == pytest.approx((-37.8150, 144.9631), abs=1e-4)


def test_a_flight_can_be_put_into_another_frame() -> None:
    frame = LocalFrame(-37.82, 144.96, 0.0)
    moved = read_ulog(FLIGHT, frame)
    assert moved.frame is frame
    assert moved.trajectory.position_m[0] == pytest.approx([273.0, 555.0, 0.0], abs=3.0)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"not a log at all",
        lambda data: data[:16],
        lambda data: data[:200],
        lambda data: data[:16] + bytes(range(256)) * 40,
        lambda data: data[:3000] + b"\xff" * 5000,
    ],
)
def test_a_damaged_log_is_refused_by_name(tmp_path: Path, damage: Any) -> None:
    path = tmp_path / "flight.ulg"
    path.write_bytes(damage(FLIGHT.read_bytes()))
    with pytest.raises(ValueError, match=r"flight\.ulg"):
        read_ulog(path)


def gpx(points: str, head: str = "") -> str:
    return f'<?xml version="1.0"?>{head}<gpx version="1.1" creator="x"><trk><trkseg>{points}</trkseg></trk></gpx>'


def point(lat: float, lon: float, ele: float | None, time: str | None) -> str:
    inside = ("" if ele is None else f"<ele>{ele}</ele>") + ("" if time is None else f"<time>{time}</time>")
    return f'<trkpt lat="{lat}" lon="{lon}">{inside}</trkpt>'


FIRST, SECOND = (
    point(-37.815, 144.9631, 30, "2026-01-01T00:00:00Z"),
    point(-37.814, 144.9631, 90, "2026-01-01T00:00:20.5Z"),
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_gpx_track_becomes_a_flight_above_its_first_point(tmp_path: Path) -> None:
    flight = read_gpx(write(tmp_path / "track.gpx", gpx(FIRST + SECOND))).trajectory
    assert flight.time_s.tolist() == [0.0, 20.5]
    assert flight.position_m[1] == pytest.approx([0.0, 111.0, 60.0], abs=0.1)


def test_the_altitude_of_home_can_be_given(tmp_path: Path) -> None:
    flight = read_gpx(write(tmp_path / "track.gpx", gpx(FIRST + SECOND)), home_altitude_m=10.0).trajectory
    assert flight.position_m[:, 2].tolist() == [20.0, 80.0]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (gpx(FIRST, BOMB), "DOCTYPE or entities"),
        ("<gpx", "not a GPX file"),
        ("{}", "not a GPX file"),
        (gpx(""), "no track points"),
        (gpx(FIRST + point(0, 0, 30, None)), "track point 2: no <time>"),
        (gpx(point(0, 0, None, "2026-01-01T00:00:00Z")), "track point 1: no <ele>"),
        (gpx(FIRST + FIRST), "track point 2: its time is not after"),
        (gpx(point(123, 0, 0, "2026-01-01T00:00:00Z")), "track point 1"),
        (gpx(FIRST.replace("-37.815", "south")), "not a GPX file"),
        (gpx(FIRST.replace("2026-01-01T00:00:00Z", "noon")), "track point 1: no <time>"),
    ],
)
def test_a_bad_gpx_file_is_refused_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=r"track\.gpx") as error:
        read_gpx(write(tmp_path / "track.gpx", text))
    assert complaint in str(error.value)


def test_a_csv_of_fixes_and_one_of_positions_are_read(tmp_path: Path) -> None:
    fixes = write(tmp_path / "fixes.csv", "t,lat,lon,alt\n100,-37.815,144.9631,30\n101,-37.814,144.9631,90\n")
    flight = read_csv(fixes, CSV_COLUMNS).trajectory
    assert flight.time_s.tolist() == [0.0, 1.0]
    assert flight.position_m[1] == pytest.approx([0.0, 111.0, 60.0], abs=0.1)
    local = write(tmp_path / "local.csv", "t;x\n".replace(";", ",e,n,") + "5,1,2,3\n6,4,5,6\n")
    columns = {"time_s": "t", "x_m": "e", "y_m": "n", "z_m": "x"}
    assert read_csv(local, columns).trajectory.position_m.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("t,lat,lon\n", "line 1: no column 'alt'"),
        ("t,lat,lon,alt\n", "no lines below the header"),
        ("t,lat,lon,alt\n0,1,1,1\n0,1,1,1\n", "line 3: column 't' is 0, after 0; times must increase"),
        ("t,lat,lon,alt\n0,1,200,1\n", "line 2: column 'lon' is 200; it must be a number from -180 to 180"),
        ("t,lat,lon,alt\n0,1,1,inf\n", "line 2: column 'alt' is inf"),
    ],
)
def test_a_bad_csv_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=r"track\.csv") as error:
        read_csv(write(tmp_path / "track.csv", text), CSV_COLUMNS)
    assert complaint in str(error.value)


def test_columns_must_map_one_of_the_two_sets(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="it must map time_s, latitude_deg"):
        read_csv(tmp_path / "any.csv", {"time_s": "t"})


def item(command: int, *params: float | None, frame: int = 3) -> dict[str, Any]:
    return {"type": "SimpleItem", "command": command, "frame": frame, "params": list(params)}


TAKEOFF = item(22, 0, 0, 0, None, *HOME[:2], 50)
WAYPOINT = item(16, 3, 0, 0, None, -37.814, 144.9631, 50)
RETURN = item(20, 0, 0, 0, 0, 0, 0, 0)


def plan(*items: Any, **mission: Any) -> str:
    whole = {"plannedHomePosition": HOME, "hoverSpeed": 5, "cruiseSpeed": 15, "vehicleType": 2, "items": list(items)}
    return json.dumps({"fileType": "Plan", "mission": {**whole, **mission}})


def test_a_plan_is_flown_from_home_and_back(tmp_path: Path) -> None:
    trace = read_plan(write(tmp_path / "survey.plan", plan(TAKEOFF, WAYPOINT, item(2000, 0), RETURN)))
    flight = trace.trajectory
    assert flight.position_m[0].tolist() == pytest.approx([0, 0, 0], abs=1e-6)
    assert flight.position_m[-1].tolist() == pytest.approx([0, 0, 0], abs=1e-6)
    assert flight.position_m.max(axis=0) == pytest.approx([0.0, 111.0, 50.0], abs=0.1)
    assert flight.length_m == pytest.approx(2 * 50.0 + 2 * 111.0, abs=0.2)
    assert np.linalg.norm(flight.velocity(flight.time_s), axis=1).max() == pytest.approx(5.0, rel=1e-3)


def test_a_plan_may_change_speed_and_use_altitudes_above_the_sea(tmp_path: Path) -> None:
    high = item(16, 0, 0, 0, None, -37.813, 144.9631, 80, frame=0)
    flight = read_plan(write(tmp_path / "fast.plan", plan(TAKEOFF, item(178, 1, 12, -1, 0, 0, 0, 0), high))).trajectory
    assert flight.position_m[-1, 2] == pytest.approx(50.0)
    assert np.linalg.norm(flight.velocity(flight.time_s), axis=1).max() == pytest.approx(12.0, rel=1e-3)


def test_the_items_inside_a_survey_are_flown_too(tmp_path: Path) -> None:
    survey = {"type": "ComplexItem", "complexItemType": "survey", "TransectStyleComplexItem": {"Items": [WAYPOINT]}}
    flight = read_plan(write(tmp_path / "survey.plan", plan(TAKEOFF, survey))).trajectory
    assert flight.position_m[-1] == pytest.approx([0.0, 111.0, 50.0], abs=0.1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[1, 2", "not a JSON file"),
        ("[" * 100_000, "not a JSON file"),
        ("[]", 'needs fileType "Plan"'),
        (plan(TAKEOFF, plannedHomePosition=[1, "x", 3]), "mission.plannedHomePosition: [1, 'x', 3]"),
        (plan(TAKEOFF, hoverSpeed=0), "mission.hoverSpeed: 0.0 m/s; it must be above 0"),
        (plan(TAKEOFF, items=3), "mission.items: it must be a list"),
        (plan(), "nothing to fly to"),
        (plan(TAKEOFF, item(31000, *[0] * 7)), "mission.items[2]: command 31000 is not supported"),
        (plan({"type": "ComplexItem", "complexItemType": "fwLandingPattern"}), "item type 'fwLandingPattern'"),
        (plan(item(16, 0, 0)), "mission.items[1].params: it must be a list of 7"),
        (plan(item(16, 0, 0, 0, 0, "north", 0, 50)), "mission.items[1].params"),  # type: ignore[arg-type]
        (plan(item(16, 0, 0, 0, 0, 99, 0, 50)), "no place on Earth"),
        (plan(item(16, 0, 0, 0, 0, 1, 1, 50, frame=10)), "mission.items[1].frame: 10 is not supported"),
        (plan(item(16, -5, 0, 0, 0, 1, 1, 50)), "hold_s 0 s or more"),
    ],
)
def test_a_bad_plan_is_refused_with_its_item(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=r"bad\.plan") as error:
        read_plan(write(tmp_path / "bad.plan", text))
    assert complaint in str(error.value)


@pytest.mark.parametrize("read", [read_ulog, read_gpx, read_plan])
def test_a_missing_or_empty_file_is_refused(tmp_path: Path, read: Any) -> None:
    with pytest.raises(ValueError, match="no such file"):
        read(tmp_path / "none")
    with pytest.raises(ValueError, match="the file is empty"):
        read(write(tmp_path / "empty", ""))
