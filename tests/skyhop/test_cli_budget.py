"""`skyhop budget`: what it prints, draws and answers to scripts."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skyhop.cli import app

TABLE_IV = str(Path(__file__).parents[2] / "scenarios" / "budgets" / "table-iv.yaml")


def test_table_iv_is_met_and_said_line_by_line() -> None:
    result = CliRunner().invoke(app, ["budget", TABLE_IV])
    assert result.exit_code == 0
    for text in ("downtime: restore", "braking", "13.29", "30.00", "16.71", "D* is met.", "8.25 m/s", "38.61 Mbit/s"):
        assert text in result.stdout


def test_a_faster_uav_misses_it_and_exits_with_one() -> None:
    result = CliRunner().invoke(app, ["budget", TABLE_IV, "--set", "vehicle.speed_mps=9"])
    assert result.exit_code == 1
    assert "D* is not met." in result.stdout


def test_what_is_printed_as_largest_safe_speed_is_safe() -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["budget", TABLE_IV, "--set", "vehicle.speed_mps=8.25"]).exit_code == 0
    assert runner.invoke(app, ["budget", TABLE_IV, "--set", "vehicle.speed_mps=8.26"]).exit_code == 1


@pytest.mark.parametrize(
    ("speed", "words"),
    [("0", "Largest tolerable downtime: any"), ("12", "Least bandwidth: none is enough")],
)
def test_limits_that_are_no_numbers_are_said_in_words(speed: str, words: str) -> None:
    assert words in CliRunner().invoke(app, ["budget", TABLE_IV, "--set", f"vehicle.speed_mps={speed}"]).stdout


def test_json_is_one_document_with_null_for_what_is_no_number() -> None:
    result = CliRunner().invoke(app, ["budget", TABLE_IV, "--json", "--set", "vehicle.speed_mps=12"])
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["met"] is False
    assert document["largest_downtime_s"] is None
    assert sum(line["distance_m"] for line in document["lines"]) == pytest.approx(document["stopping_distance_m"])


@pytest.mark.parametrize(("suffix", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")])
def test_a_picture_is_drawn_in_the_format_of_its_name(tmp_path: Path, suffix: str, begins: bytes) -> None:
    picture = tmp_path / f"budget.{suffix}"
    overrides = ["--set", "vehicle.tail_wind_mps=2", "--set", "link.handover_interruption_s=0.1"]
    result = CliRunner().invoke(app, ["budget", TABLE_IV, "--picture", str(picture), *overrides])
    assert result.exit_code == 0
    assert picture.read_bytes().startswith(begins)


def test_the_picture_has_units_and_marks_what_matters() -> None:
    from scenarios.budget import Budget
    from scenarios.load import load
    from skyhop.budget import assess
    from skyhop.budget_picture import draw

    budget = load(Path(TABLE_IV), Budget)
    figure = draw(budget, assess(budget))
    (axes,) = figure.axes
    assert axes.get_xlabel() == "air speed (m/s)"
    assert axes.get_ylabel() == "stopping distance (m)"
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    assert {"D* = 30 m", "chosen: 5 m/s, 13.3 m", "largest safe speed: 8.25 m/s", "downtime: transfer"} <= labels


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--set", "vehicle.speed_mps=fast"], 'vehicle.speed_mps: got "fast"; allowed: a number from 0 to 200, in m/s'),
        (["--set", "vehicle.sped_mps=1"], "vehicle.sped_mps: unknown field; did you mean speed_mps?"),
        (["--set", "service.parameters=none.toml"], "no such file: none.toml"),
        (["--picture", "budget.gif"], "--picture budget.gif: a picture's name ends in one of .svg, .png, .pdf"),
        (["--picture", "no-such-folder/budget.svg"], "No such file or directory"),
    ],
)
def test_bad_input_exits_with_two_and_says_what_would_be_right(arguments: list[str], complaint: str) -> None:
    result = CliRunner().invoke(app, ["budget", TABLE_IV, *arguments])
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stdout == ""


def test_a_file_that_is_not_there_is_bad_input() -> None:
    result = CliRunner().invoke(app, ["budget", TABLE_IV.replace("table-iv", "table-vi")])
    assert result.exit_code == 2
    assert "did you mean table-iv.yaml?" in result.stderr
