"""`skyhop compare` as a person and as a machine use it."""

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from scenarios import Scenario, load
from sim import simulate
from skyhop.cli import app
from skyhop.commands.compare import run_names
from tests.tiny import TINY

SHORT = f"{TINY}duration_s: 20\n"


def write_run(folder: Path, name: str, *overrides: str) -> Path:
    (folder / "tiny.yaml").write_text(SHORT, encoding="utf-8")
    simulate(load(folder / "tiny.yaml", Scenario, overrides)).write(folder / name / "tiny")
    return folder / name / "tiny"


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    return [
        write_run(tmp_path, "mose"),
        write_run(tmp_path, "never", "policy.name=never"),
        write_run(tmp_path, "cold", "policy.name=nearest-cold", "flight.simulate=true"),
    ]


def compare(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_runs_stand_side_by_side_under_names_that_tell_them_apart(folders: list[Path]) -> None:
    result = compare(*folders)
    assert result.exit_code == 0, result.output
    lines = {line.split("│")[1].strip(): line for line in result.stdout.splitlines() if line.startswith("│")}
    assert "% is the difference to mose/tiny" in result.stdout
    cells = [cell.strip() for cell in lines["migrations.count"].split("│")[2:]]
    assert cells[0] == "1"
    assert cells[2:4] == ["0", "-100.0"]
    assert '"nearest-cold"' in lines["policy.name"]
    assert "Predicted and observed" in result.stdout


def test_for_machines_stdout_is_one_json_document(folders: list[Path]) -> None:
    document = json.loads(compare(*folders, "--json").stdout)
    assert [run["name"] for run in document["runs"]] == ["mose/tiny", "never/tiny", "cold/tiny"]
    assert len({run["scenario_sha256"] for run in document["runs"]}) == 3
    figures = {row["figure"]: row for row in document["figures"]}
    assert figures["migrations.count"]["never/tiny"] == 0
    assert figures["flight.duration_s"]["unit"] == "s"
    assert {row["field"] for row in document["scenario_differences"]} == {"policy.name", "flight.simulate"}
    assert {row["run"] for row in document["predictions"]} == {"mose/tiny", "cold/tiny"}


def test_the_same_run_in_two_places_has_no_differing_field(tmp_path: Path) -> None:
    result = compare(write_run(tmp_path, "a"), write_run(tmp_path, "b"))
    assert "The scenarios have the same fields." in result.stdout
    assert "The contents of the files that they name differ." not in result.stdout


def test_scenarios_whose_files_differ_in_content_are_told_apart(tmp_path: Path) -> None:
    folders = []
    for name, at_s in (("a", 5), ("b", 6)):
        (tmp_path / "cells.csv").write_text(f"time_s,uav,cell\n0,uav,west\n{at_s},uav,east\n", encoding="utf-8")
        folders.append(write_run(tmp_path, name, "attachment={type: table, path: cells.csv}"))
    assert "The contents of the files that they name differ." in compare(*folders).stdout


def test_the_figures_go_to_a_csv_and_the_distributions_to_a_picture(folders: list[Path], tmp_path: Path) -> None:
    csv, svg = tmp_path / "compared.csv", tmp_path / "compared.svg"
    result = compare(*folders, "--csv", csv, "--picture", svg)
    assert result.exit_code == 0, result.output
    table = pl.read_csv(csv)
    assert table.columns[:5] == ["figure", "unit", "mose/tiny", "never/tiny", "cold/tiny"]
    assert "<svg" in svg.read_text(encoding="utf-8")


def test_runs_without_migrations_or_flight_still_make_a_picture(tmp_path: Path) -> None:
    folders = [write_run(tmp_path, name, "policy.name=never") for name in ("a", "b")]
    assert compare(*folders, "--picture", tmp_path / "empty.png").exit_code == 0
    assert (tmp_path / "empty.png").stat().st_size > 0


def test_a_folder_without_a_run_is_named(folders: list[Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for bad in (tmp_path / "empty", tmp_path / "nowhere"):
        result = compare(folders[0], bad)
        assert result.exit_code == 2
        assert f"{bad}: not a readable run of Skyhop" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["one"], "compare needs at least two runs, got 1"),
        (["one", "one"], "one: is given twice"),
        (["one", "two", "--picture", "x.gif"], "--picture x.gif: a picture's name ends in one of .svg, .png, .pdf"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(arguments: list[str], complaint: str) -> None:
    result = compare(*arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_names_are_as_short_as_they_can_be_and_never_those_of_other_columns(tmp_path: Path) -> None:
    assert run_names([tmp_path / "a", tmp_path / "b"]) == ["a", "b"]
    assert run_names([tmp_path / "a" / "x", tmp_path / "b" / "x"]) == ["a/x", "b/x"]
    assert run_names([tmp_path / "unit", tmp_path / "b"]) == [f"{tmp_path.name}/unit", f"{tmp_path.name}/b"]
