"""`skyhop validate`, `schema` and `info`, and the command line as a whole."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from skyhop.cli import app

CIRCLE = """version: 1
name: circle
uavs:
- {name: uav, trajectory: {type: circle, radius_m: 50, speed_mps: 5}, services: [autopilot]}
cells: {type: list, sites: [{name: west, east_m: -200, north_m: 0}, {name: east, east_m: 200, north_m: 0}]}
services:
- {name: autopilot, type: autopilot, state_bytes: 20e6, dirty_page_rate: 0.25}
policy: {name: mose-md}
"""


def scenario(folder: Path, text: str = CIRCLE) -> str:
    file = folder / "circle.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_scenario_that_can_be_run_is_ok(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["validate", scenario(tmp_path)])
    assert result.exit_code == 0
    assert "ok: circle, UAVs: 1, cells: 2, services: 1, SHA-256: " in result.stdout


def test_every_problem_is_told_with_file_and_line(tmp_path: Path) -> None:
    text = CIRCLE.replace("state_bytes: 20e6", "state_bytes: -1").replace("radius_m", "radus_m")
    result = CliRunner().invoke(app, ["validate", scenario(tmp_path, text)])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "circle.yaml:4: uavs[0].trajectory.radus_m: unknown field; did you mean radius_m?" in result.stderr
    assert "circle.yaml:7: services[0].state_bytes: got -1; allowed: a number above 0" in result.stderr


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        ([], 'circle.yaml:8: policy.name: got "path-awre"; allowed: one of fixed, latency-threshold, mose,'),
        ([], "did you mean path-aware?"),
        (["policy.name=nevr"], '--set policy.name=nevr: policy.name: got "nevr"; '),
        (["policy={name: never, options: {a: 1}}"], "policy.options: never does not take {'a': 1}"),
        (["policy.name=never", "policy.options={a: 1}"], "--set policy.options={a: 1}: policy.options: never does not"),
        (["policy.name=never", "migration.parameters=circle.yaml"], "circle.yaml: not a TOML file"),
        (["uavs[0].services=[autopilt]"], "there is no service 'autopilt'; services has autopilot"),
    ],
)
def test_what_the_schema_cannot_know_is_checked_too(tmp_path: Path, overrides: list[str], complaint: str) -> None:
    file = scenario(tmp_path, CIRCLE.replace("mose-md", "path-awre"))
    result = CliRunner().invoke(app, ["validate", file, *(part for each in overrides for part in ("--set", each))])
    assert result.exit_code == 2
    assert complaint in result.stderr


def test_json_tells_machines_what_is_wrong(tmp_path: Path) -> None:
    runner = CliRunner()
    good = json.loads(runner.invoke(app, ["validate", scenario(tmp_path), "--json"]).stdout)
    assert (good["valid"], good["uavs"], good["cells"]) == (True, 1, 2)
    result = runner.invoke(app, ["validate", scenario(tmp_path, CIRCLE + "wind: 3\n"), "--json"])
    assert result.exit_code == 2
    (problem,) = json.loads(result.stdout)["problems"]
    assert (problem["line"], problem["field"]) == (9, "wind")


def test_sectors_are_cells(tmp_path: Path) -> None:
    hexagonal = "cells={type: hexagonal, rows: 2, columns: 3, sectors: 3}"
    result = CliRunner().invoke(app, ["validate", scenario(tmp_path), "--set", hexagonal])
    assert "cells: 18" in result.stdout


@pytest.mark.parametrize("kind", ["scenario", "budget"])
def test_the_schema_is_one_and_goes_to_a_file_as_well(tmp_path: Path, kind: str) -> None:
    runner = CliRunner()
    printed = runner.invoke(app, ["schema", "--kind", kind])
    assert printed.exit_code == 0
    Draft202012Validator.check_schema(json.loads(printed.stdout))
    file = tmp_path / "schema.json"
    assert runner.invoke(app, ["schema", "--kind", kind, "--output", str(file)]).exit_code == 0
    assert json.loads(file.read_text(encoding="utf-8")) == json.loads(printed.stdout)


def test_every_quantity_of_a_budget_has_unit_and_description() -> None:
    document = json.loads(CliRunner().invoke(app, ["schema", "--kind", "budget"]).stdout)
    for part in (document, *document["$defs"].values()):
        for name, field in part.get("properties", {}).items():
            assert "description" in field or "$ref" in field, name
            assert field.get("type") != "number" or "unit" in field, name


def test_info_tells_versions_policies_and_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    binary = tmp_path / "px4"
    binary.touch()
    monkeypatch.setenv("PX4_SITL_BIN", str(binary))
    monkeypatch.setenv("MEDIAMTX_BIN", str(tmp_path / "none"))
    document = json.loads(CliRunner().invoke(app, ["info", "--json"]).stdout)
    assert document["skyhop"] == version("skyhop")
    assert document["dependencies"]["numpy"] == version("numpy")
    assert "pytest" not in document["dependencies"]
    assert document["policies"]["never"] == "built in"
    assert "table-iv.yaml" in document["budgets"]
    assert document["tools"]["px4"] == str(binary)
    assert document["tools"]["mediamtx"] is None
    shown = CliRunner().invoke(app, ["info"]).stdout
    assert "mediamtx not found" in shown
    assert f"numpy {version('numpy')}" in shown


def test_version_and_help_of_every_command() -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).stdout == f"skyhop {version('skyhop')}\n"
    overview = runner.invoke(app, ["--help"]).stdout
    for command in ("run", "validate", "schema", "plan", "budget", "info"):
        assert command in overview
        text = runner.invoke(app, [command, "--help"]).stdout
        assert f"skyhop {command}" in text.split("Examples:")[1]


def test_an_unknown_command_or_option_is_bad_input() -> None:
    assert CliRunner().invoke(app, ["rnu"]).exit_code == 2
    assert CliRunner().invoke(app, ["info", "--jsn"]).exit_code == 2


def test_the_installed_program_answers_with_codes_and_streams(tmp_path: Path) -> None:
    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        program = [sys.executable, "-c", "from skyhop.cli import main; main()"]
        return subprocess.run([*program, *arguments], capture_output=True, text=True, check=False, encoding="utf-8")

    good = call("validate", scenario(tmp_path), "--json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["valid"] is True
    bad = call("validate", str(tmp_path / "none.yaml"))
    assert (bad.returncode, bad.stdout) == (2, "")
    assert "there is no such file" in bad.stderr
    assert "Traceback" not in bad.stderr


def test_help_does_not_wait_for_heavy_libraries() -> None:
    heavy = {"matplotlib", "polars", "distributed", "scipy", "simpy", "sim"}
    code = f"import sys, skyhop.cli; print(sorted({heavy} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"


def test_a_fault_of_ours_keeps_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import skyhop.scenario

    def broken(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(skyhop.scenario, "read_scenario", broken)
    result = CliRunner().invoke(app, ["validate", scenario(tmp_path)])
    assert isinstance(result.exception, RuntimeError)
