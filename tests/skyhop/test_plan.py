"""`skyhop plan`: one migration, costed and decided."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pam import MigrationTask, Objective, plan
from skyhop.cli import app

AUTOPILOT = ["plan", "--state", "25MB", "--dirty-rate", "0.03"]


def flat(text: str) -> str:
    """The words of a table or panel as one line, wherever it broke them."""
    return re.sub(r"[\s│]+", " ", text)


def test_the_plan_says_what_and_why_and_what_else_there_is() -> None:
    result = CliRunner().invoke(app, [*AUTOPILOT, "--objective", "md", "--target", "5s", "--bandwidth", "1Gbit/s"])
    assert result.exit_code == 0
    shown = flat(result.stdout)
    for text in ("iterative-pre-copy", "1 Gbit/s", "at most 4.754 s", "which meets the target of 5 s"):
        assert text in shown
    for text in (
        "pre-dump",
        "namespace-configure",
        "1 to 12, each",
        "Stop&Copy",
        "post-copy",
        "hybrid",
        "network only",
    ):
        assert text in shown


def test_json_holds_the_plan_of_pam_with_every_step() -> None:
    result = CliRunner().invoke(app, [*AUTOPILOT, "--json"])
    document = json.loads(result.stdout)
    task = MigrationTask("service", "source", "destination", Objective.MINIMIZE_DOWNTIME, 5.0, 25e6, 0.03, 1e9)
    expected = plan(task)
    assert document["plan"]["strategy"] == expected.strategy
    assert document["plan"]["iterations"] == expected.iterations
    assert document["plan"]["predicted_downtime_s"] == expected.predicted_downtime_s
    assert len(document["plan"]["steps"]) == len(expected.steps)
    assert [each["strategy"] for each in document["strategies"]] == [
        "cold",
        "pre-copy",
        "iterative-pre-copy",
        "post-copy",
        "hybrid",
    ]
    assert document["network_only"]["downtime_s"] == pytest.approx(0.2)


def test_bare_numbers_are_si() -> None:
    runner = CliRunner()
    with_units = runner.invoke(app, [*AUTOPILOT, "--bandwidth", "500Mbit/s", "--target", "4000ms", "--json"])
    bare = ["plan", "--state", "25e6", "--dirty-rate", "0.03", "--bandwidth", "5e8", "--target", "4", "--json"]
    assert runner.invoke(app, bare).stdout == with_units.stdout


def test_to_minimise_resources_the_least_bandwidth_is_chosen() -> None:
    result = CliRunner().invoke(app, [*AUTOPILOT, "--objective", "mr", "--target", "2s", "--json"])
    chosen = json.loads(result.stdout)["plan"]
    assert result.exit_code == 0
    assert chosen["strategy"] == "cold"
    assert chosen["bandwidth_bps"] < 1e9
    assert chosen["predicted_downtime_s"] == pytest.approx(2.0)


def test_a_target_that_cannot_be_met_exits_with_one() -> None:
    result = CliRunner().invoke(app, [*AUTOPILOT, "--target", "500ms"])
    assert result.exit_code == 1
    assert "The target cannot be met" in result.stdout
    assert "which misses the target of 0.5 s" in flat(result.stdout)


def test_without_coat_its_steps_are_left_out() -> None:
    result = CliRunner().invoke(app, [*AUTOPILOT, "--no-coat"])
    assert "namespace" not in result.stdout


def test_one_iteration_is_round_one() -> None:
    document = json.loads(CliRunner().invoke(app, [*AUTOPILOT, "--target", "1.9s", "--json"]).stdout)
    assert document["plan"]["iterations"] == 1
    assert "1 to" not in CliRunner().invoke(app, [*AUTOPILOT, "--target", "1.9s"]).stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--state", "25mb"], "did you mean MB?"),
        (["--bandwidth", "fast"], "a bandwidth is a number and a unit"),
        (["--target", "-1s"], "it must be a number of s above 0"),
        (["--dirty-rate", "3"], "it is normalised, from 0"),
        (["--objective", "max"], "'max' is not one of"),
        (["--parameters", "none.toml"], "none.toml: No such file or directory"),
    ],
)
def test_bad_input_exits_with_two_and_says_what_would_be_right(arguments: list[str], complaint: str) -> None:
    result = CliRunner().invoke(app, [*AUTOPILOT, *arguments])
    assert result.exit_code == 2
    assert complaint in flat(result.stderr)
    assert result.stdout == ""


def test_parameters_of_another_machine_are_used_and_named(tmp_path: Path) -> None:
    from dataclasses import replace

    from pam import CONSTANTS, TABLE_III

    slower = replace(TABLE_III, origin="a slower machine", restore_s=2.0)
    lines = [f"{name} = {list(v) if isinstance(v := getattr(slower, name), tuple) else v}" for name in CONSTANTS]
    file = tmp_path / "slower.toml"
    file.write_text("\n".join(['origin = "a slower machine"', *lines]), encoding="utf-8")
    runner = CliRunner()
    document = json.loads(runner.invoke(app, [*AUTOPILOT, "--parameters", str(file), "--json"]).stdout)
    before = json.loads(runner.invoke(app, [*AUTOPILOT, "--json"]).stdout)
    assert document["parameters"] == "a slower machine"
    assert document["strategies"][0]["downtime_s"] > before["strategies"][0]["downtime_s"] + 1.0
