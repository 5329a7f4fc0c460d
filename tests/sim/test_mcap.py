"""The MCAP file of a run, read back with the reader of the format's own library."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcap.reader import make_reader

from scenarios import Scenario
from sim.engine import simulate
from sim.mcap import FEW_UAVS, write_mcap
from sim.run import Run


def scenario(**changes: Any) -> Scenario:
    document: dict[str, Any] = {
        "version": 1,
        "name": "corridor",
        "origin": {"latitude_deg": -37.815, "longitude_deg": 144.963},
        "uavs": [
            {
                "name": "scout",
                "trajectory": {"type": "waypoints", "points_m": [[-250, 0, 60], [250, 0, 60]]},
                "services": ["autopilot"],
            }
        ],
        "cells": {
            "type": "list",
            "sites": [{"name": "west", "east_m": -200, "north_m": 0}, {"name": "east", "east_m": 200, "north_m": 0}],
        },
        "attachment": {"type": "nearest"},
        "services": [{"name": "autopilot", "type": "autopilot", "state_bytes": 25e6, "dirty_page_rate": 0.03}],
        "policy": {"name": "mose-md"},
        "flight": {"sample_s": 0.5},
    }
    return Scenario.model_validate(document | changes)


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(scenario())


Message = tuple[str, int, dict[str, Any]]


def read(path: Path) -> list[Message]:
    """Topic, time in nanoseconds and body of every message, in the order of the file."""

    with path.open("rb") as file:
        return [
            (channel.topic, message.log_time, json.loads(message.data))
            for _, channel, message in make_reader(file).iter_messages(log_time_order=False)
        ]


def of(messages: list[Message], topic: str) -> list[tuple[int, dict[str, Any]]]:
    return [(time_ns, body) for name, time_ns, body in messages if name == topic]


@pytest.fixture(scope="module")
def messages(run: Run, tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    return read(write_mcap(run, tmp_path_factory.mktemp("mcap") / "flight.mcap"))


def test_time_never_goes_back(messages: list[Message]) -> None:
    times = [time_ns for _, time_ns, _ in messages]
    assert times == sorted(times)
    assert times[0] == 0


def test_schemas_carry_the_names_that_foxglove_knows(run: Run, tmp_path: Path) -> None:
    with write_mcap(run, tmp_path / "flight.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    schemas = {channel.topic: summary.schemas[channel.schema_id].name for channel in summary.channels.values()}
    assert schemas["/tf"] == "foxglove.FrameTransform"
    assert schemas["/events"] == "foxglove.Log"
    assert schemas["/scene/uavs"] == schemas["/scene/cells"] == "foxglove.SceneUpdate"
    assert schemas["/map/cells"] == schemas["/map/path"] == "foxglove.GeoJSON"
    assert schemas["/uav/scout/location"] == "foxglove.LocationFix"


def test_the_first_message_of_every_topic_fits_its_schema(run: Run, tmp_path: Path) -> None:
    checked = set()
    with write_mcap(run, tmp_path / "flight.mcap").open("rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            if channel.topic not in checked:
                assert schema is not None
                assert schema.encoding == "jsonschema"
                Draft202012Validator(json.loads(schema.data)).validate(json.loads(message.data))
                checked.add(channel.topic)
    assert len(checked) == 11


def test_a_single_uav_is_shown_at_every_sample_of_its_trajectory(run: Run, messages: list[Message]) -> None:
    for topic in ("/scene/uavs", "/tf", "/fleet", "/uav/scout/flight", "/uav/scout/location"):
        assert len(of(messages, topic)) == run.trajectory.height
    time_ns, body = of(messages, "/tf")[-1]
    last = run.trajectory.row(-1, named=True)
    assert time_ns == round(last["time_s"] * 1e9)
    assert body["translation"]["x"] == pytest.approx(last["east_m"], abs=1e-3)
    assert of(messages, "/uav/scout/flight")[-1][1]["reference_error_m"] == pytest.approx(
        last["reference_error_m"], abs=1e-6
    )


def test_east_of_the_origin_is_east_on_the_map(messages: list[Message]) -> None:
    fixes = [body for _, body in of(messages, "/uav/scout/location")]
    assert fixes[0]["longitude"] < 144.963 < fixes[-1]["longitude"]
    assert fixes[0]["latitude"] == pytest.approx(-37.815, abs=1e-4)
    cells = json.loads(of(messages, "/map/cells")[0][1]["geojson"])
    assert [feature["properties"]["name"] for feature in cells["features"]] == ["west", "east"]


def test_every_handover_and_both_ends_of_every_migration_are_logged(run: Run, messages: list[Message]) -> None:
    lines = [body["message"] for _, body in of(messages, "/events")]
    assert run.migrations.height > 0
    assert len(lines) == run.handovers.height + 2 * run.migrations.height
    row = run.migrations.row(0, named=True)
    ended = next(line for line in lines if "completed" in line)
    assert f"{row['downtime_s']:.3f} s down" in ended
    assert "west → east" in ended


def test_the_service_is_drawn_on_the_server_where_it_runs_and_turns_red_while_down(
    run: Run, messages: list[Message]
) -> None:
    cubes = {time_ns: body["entities"][0]["cubes"][0] for time_ns, body in of(messages, "/scene/uavs")}
    assert cubes[0]["pose"]["position"]["x"] == -200
    assert cubes[max(cubes)]["pose"]["position"]["x"] == 200
    row = run.migrations.row(0, named=True)
    start_ns, end_ns = row["down_from_s"] * 1e9, (row["down_from_s"] + row["downtime_s"]) * 1e9
    red = {time_ns for time_ns, cube in cubes.items() if cube["color"] != cubes[0]["color"]}
    assert red == {time_ns for time_ns in cubes if start_ns <= time_ns < end_ns}
    assert red


def test_downtime_of_a_service_is_a_step_up_and_a_step_down(run: Run, messages: list[Message]) -> None:
    steps = of(messages, "/service/scout/autopilot/downtime")
    row = run.migrations.row(0, named=True)
    assert [body["down"] for _, body in steps] == [0, 1, 0]
    assert (steps[2][0] - steps[1][0]) / 1e9 == pytest.approx(row["downtime_s"], abs=1e-8)


def test_the_same_run_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    first, second = (write_mcap(run, tmp_path / name).read_bytes() for name in ("first.mcap", "second.mcap"))
    assert first == second


def test_a_swarm_has_one_thinned_scene_and_no_topics_for_each_uav(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.mcap.MOST_POSITIONS", 500)
    swarm = dict(scenario().model_dump(mode="json")["uavs"][0], name="swarm", count=FEW_UAVS + 1, spread_m=50.0)
    flown = simulate(scenario(uavs=[swarm]))
    messages = read(write_mcap(flown, tmp_path / "swarm.mcap"))
    assert {topic for topic, _, _ in messages} == {
        "/scene/cells",
        "/scene/uavs",
        "/events",
        "/fleet",
        "/map/cells",
        "/map/path",
    }
    scenes = of(messages, "/scene/uavs")
    assert all(len(body["entities"]) == FEW_UAVS + 1 for _, body in scenes)
    assert 200 < len(scenes) * (FEW_UAVS + 1) <= 500 < flown.trajectory.height


def test_a_run_without_flight_or_origin_still_shows_cells_and_events(tmp_path: Path) -> None:
    grounded = simulate(
        scenario(
            flight={"simulate": False},
            origin=None,
            services=[],
            uavs=[scenario().model_dump(mode="json")["uavs"][0] | {"services": []}],
        )
    )
    messages = read(write_mcap(grounded, tmp_path / "grounded.mcap"))
    assert {topic for topic, _, _ in messages} == {"/scene/cells", "/events"}


def test_an_unreachable_service_has_no_latency_rather_than_an_infinite_one(tmp_path: Path) -> None:
    failures = [{"between": ["west", "east"], "at_s": 20, "for_s": 10}]
    cut = simulate(scenario(policy={"name": "never"}, network={"failures": failures}))
    assert cut.latency["latency_s"].is_infinite().any()
    messages = read(write_mcap(cut, tmp_path / "cut.mcap"))
    assert None in [body["latency_s"] for _, body in of(messages, "/service/scout/autopilot/latency")]
