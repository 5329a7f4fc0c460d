"""The schema of a scenario: documented field by field, one with the models behind it, and checked across fields."""

import re
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import mobility
from mobility.antenna import Antenna as AntennaModel
from scenarios import InputError, Scenario, json_schema, load
from scenarios.coverage import Antenna, Handover, Radio
from scenarios.document import read
from scenarios.fields import Schema
from scenarios.quantity import Model

SHIPPED = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))
SCHEMA = json_schema()


def properties() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field of every part of a scenario, as part.field."""
    for part, node in [("Scenario", SCHEMA), *SCHEMA["$defs"].items()]:
        for name, field in node.get("properties", {}).items():
            yield f"{part}.{name}", field


def numeric(field: dict[str, Any]) -> bool:
    """Whether a field holds one number that is not one of a few."""
    options = field.get("anyOf", [field])
    return any(option.get("type") in ("number", "integer") for option in options) and not {"enum", "const"} & set(field)


def test_every_field_says_what_it_means() -> None:
    resolve = Schema(SCHEMA).resolve
    # The kind of a part is explained by the part itself.
    silent = [name for name, field in properties() if "description" not in resolve(field) and "const" not in field]
    assert silent == []
    assert [part for part, node in SCHEMA["$defs"].items() if "description" not in node and "enum" not in node] == []


def test_every_number_has_a_unit() -> None:
    assert [name for name, field in properties() if numeric(field) and "unit" not in field] == []


def test_the_suffix_of_a_name_is_its_unit() -> None:
    units = {"s": "s", "m": "m", "bytes": "B", "bps": "bit/s", "mps": "m/s", "hz": "1/s", "db": "dB", "dbm": "dBm"} | {
        "deg": "deg",
        "kg": "kg",
        "n": "N",
        "ghz": "GHz",
        "khz": "kHz",
        "mps2": "m/s²",
        "px": "px",
    }
    for name, field in properties():
        suffix = name.rsplit("_", 1)[-1]
        if "unit" in field and "_" in name and suffix in units:
            assert field["unit"] == units[suffix], name
        elif numeric(field):
            assert field["unit"] == "1", name


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.stem))
def test_the_exported_schema_accepts_what_is_shipped(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(read(path).data)


def test_the_exported_schema_refuses_what_the_loader_refuses() -> None:
    document = read(SHIPPED[0]).data
    mistakes: list[dict[str, Any]] = [{"seed": -1}, {"sede": 1}, {"uavs": []}, {"attachment": {"type": "a4"}}]
    for wrong in mistakes:
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(document | wrong)


@pytest.mark.parametrize(
    ("part", "model", "renamed"),
    [
        (Radio, mobility.RadioParameters, {}),
        (Antenna, AntennaModel, {}),
        (Handover, mobility.HandoverParameters, {"interruption_s": "interruption_range_s"}),
    ],
)
def test_defaults_are_those_of_the_models_behind(part: type[Model], model: Any, renamed: dict[str, str]) -> None:
    behind = {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields(model)
    }
    for name, value in part().model_dump().items():
        expected = behind[renamed.get(name, name)]
        if name == "scenario":
            value = mobility.Scenario(value.removesuffix("-AV"))
        if isinstance(expected, AntennaModel):
            value, expected = value["downtilt_deg"], expected.downtilt_deg
        assert value == expected, name


@pytest.fixture
def complaint(tmp_path: Path) -> Callable[..., str]:
    """What a person reads who puts `new` in place of `old` into a good scenario, the folder left out."""

    def tell(old: str, new: str) -> str:
        assert old in GOOD
        path = tmp_path / "good.yaml"
        path.write_text(GOOD, encoding="utf-8")
        load(path, Scenario)
        path.write_text(GOOD.replace(old, new), encoding="utf-8")
        with pytest.raises(InputError) as caught:
            load(path, Scenario)
        return str(caught.value).replace(str(path), "good.yaml")

    return tell


GOOD = """version: 1
name: good
uavs:
  - name: one
    trajectory: {type: circle}
    services: [autopilot]
  - name: two
    trajectory: {type: survey, area: {west_m: 0, south_m: 0, east_m: 9, north_m: 9}}
cells:
  type: hexagonal
services:
  - {name: autopilot, type: autopilot, state_bytes: 25e6, dirty_page_rate: 0.03}
  - {name: tracker, type: tracker}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "told"),
    [
        ("west_m: 0", "west_m: 9", 8, "uavs[1].trajectory.area: west_m must lie below east_m"),
        ("{type: circle}", "{type: gpx, path: none.gpx}", 5, 'uavs[0].trajectory.path: got "none.gpx"; no such file'),
        ("cells:\n", "cels:\n", 9, "cels: unknown field; did you mean cells?"),
        ("hexagonal", "hexagonal\n  rows: 0", 11, "cells.rows: got 0; allowed: a whole number from 1 to 200 (Rows"),
        ("cells:", "attachment: {type: a3, handover: {interruption_s: [2, 1]}}\ncells:", 9, "attachment.handover"),
    ],
)
def test_what_does_not_fit_is_named_with_file_line_and_field(
    complaint: Callable[..., str], old: str, new: str, line: int, told: str
) -> None:
    assert complaint(old, new).startswith(f"good.yaml:{line}: {told}")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("name: two", "name: one", "the name 'one' is used twice"),
        ("name: tracker", "name: autopilot", "the name 'autopilot' is used twice"),
        (
            "[autopilot]",
            "[autopilto]",
            "there is no service 'autopilto'; services has autopilot, tracker; did you mean autopilot?",
        ),
    ],
)
def test_names_that_do_not_meet_are_told(complaint: Callable[..., str], old: str, new: str, told: str) -> None:
    message = complaint(old, new)
    assert re.match(r"good\.yaml:\d+: ", message)
    assert told in message


def test_a_service_that_is_not_there_is_told_at_the_line_of_its_group(complaint: Callable[..., str]) -> None:
    line = 1 + GOOD[: GOOD.index("[autopilot]")].count("\n")
    assert complaint("[autopilot]", "[autopilto]").startswith(f"good.yaml:{line}: uavs[")


def test_what_is_given_in_latitude_and_longitude_needs_an_origin(complaint: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "track.gpx").touch()
    told = complaint("{type: circle}", "{type: gpx, path: track.gpx}")
    assert told.endswith("origin: is missing, but one is given in latitude and longitude")


def test_a_tracker_takes_what_is_left_out_from_the_measured_service(tmp_path: Path) -> None:
    path = tmp_path / "good.yaml"
    path.write_text(GOOD, encoding="utf-8")
    small, large = (load(path, Scenario, [f"services[1].model={size}"]).services[1] for size in "nx")
    assert small.state_bytes < large.state_bytes
    given = load(path, Scenario, ["services[1].state_bytes=1e6", "services[1].frame_rate_hz=25"]).services[1]
    assert (given.state_bytes, given.request_rate_hz) == (1e6, 25.0)
    assert given.processing_s == small.processing_s
