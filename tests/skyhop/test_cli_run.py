"""`skyhop run`: results that are whole or not there, and a summary to read."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import skyhop
from skyhop.cli import app
from skyhop.results import write_results
from skyhop.summary import summary_rows

CIRCLE = """version: 1
name: circle
description: Round and round [between two cells].
duration_s: 30
uavs:
- {name: uav, trajectory: {type: circle, radius_m: 50, speed_mps: 10}, services: [autopilot]}
cells: {type: list, sites: [{name: west, east_m: -200, north_m: 0}, {name: east, east_m: 200, north_m: 0}]}
attachment: {type: nearest}
services:
- {name: autopilot, type: autopilot, state_bytes: 20e6, dirty_page_rate: 0.25}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "circle.yaml"
    path.write_text(CIRCLE, encoding="utf-8")
    return str(path)


def test_a_run_prints_a_summary_and_leaves_its_results(tmp_path: Path, file: str) -> None:
    result = CliRunner().invoke(app, ["run", file, "--output", str(tmp_path / "runs"), "--no-report"])
    assert result.exit_code == 0, result.stderr
    folder = tmp_path / "runs" / "circle"
    assert (folder / "manifest.json").is_file()
    for text in ("circle", "[between two cells]", "migrations", "Key figures", f"Results: {folder}"):
        assert text in result.stdout
    for path in folder.iterdir():
        assert path.name in result.stdout
    assert [path.name for path in folder.parent.iterdir()] == ["circle"]


def test_the_report_is_written_and_named(tmp_path: Path, file: str) -> None:
    result = CliRunner().invoke(app, ["run", file, "--output", str(tmp_path / "runs")])
    report = tmp_path / "runs" / "circle" / "report.html"
    assert result.exit_code == 0, result.stderr
    assert report.is_file()
    assert f"Open the report: {report}" in result.stdout


def test_json_is_one_document_with_the_key_figures(tmp_path: Path, file: str) -> None:
    arguments = ["run", file, "--output", str(tmp_path), "--no-report", "--json", "--seed", "7", "--set", "seed=3"]
    document = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert document["seed"] == 7
    assert document["report"] is None
    assert document["summary"]["migrations"]["count"] > 0
    assert all(Path(each).is_file() for each in document["files"])


def test_an_earlier_run_is_replaced_whole(tmp_path: Path, file: str) -> None:
    runner = CliRunner()
    arguments = ["run", file, "--output", str(tmp_path), "--no-report"]
    assert runner.invoke(app, arguments).exit_code == 0
    left_over = tmp_path / "circle" / "left-over.txt"
    left_over.touch()
    assert runner.invoke(app, arguments).exit_code == 0
    assert not left_over.exists()


@pytest.mark.parametrize("manifest", [None, "{}", "[]", "not JSON"])
def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path, file: str, manifest: str | None) -> None:
    folder = tmp_path / "circle"
    folder.mkdir()
    precious = folder / "thesis.txt"
    precious.write_text("precious", encoding="utf-8")
    if manifest is not None:
        (folder / "manifest.json").write_text(manifest, encoding="utf-8")
    result = CliRunner().invoke(app, ["run", file, "--output", str(tmp_path), "--no-report"])
    assert result.exit_code == 2
    assert "is not the result of an earlier run" in result.stderr
    assert precious.read_text(encoding="utf-8") == "precious"


def test_a_failure_while_writing_leaves_the_earlier_results(tmp_path: Path, file: str) -> None:
    run = skyhop.simulate(skyhop.load(file))
    folder = tmp_path / "circle"
    write_results(run, folder, report=False)
    before = sorted(folder.iterdir())
    # Something that cannot be written down: the summary must be JSON.
    run.summary["unspeakable"] = object()
    with pytest.raises(TypeError):
        write_results(run, folder, report=False)
    assert sorted(folder.iterdir()) == before
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["circle"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--executor", "real"], "'simulated'"),
        (["--seed", "-1"], "--seed"),
        (["--set", "policy.name=nevr"], "did you mean never?"),
        (["--output", "circle.yaml"], "circle.yaml"),
    ],
)
def test_bad_input_exits_with_two(
    tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch, arguments: list[str], complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["run", file, "--no-report", *arguments])
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stdout == ""
    assert not (tmp_path / "runs").exists()


def test_figures_are_written_with_units_and_empty_ones_left_out() -> None:
    rows = summary_rows(
        {
            "flight": {"uavs": 1000, "length_m": 6829.0, "mean_error_m": 0.24, "note": None, "met": True},
            "migrations": {
                "downtime_s": {"median": 0.9067, "largest": 2.0},
                "by_state": {"completed": 3},
                "by_cause_m": {},
                "share_feasible": 0.567,
                "transferred_bytes": 26.35e9,
                "mean_hops": 0.644,
            },
        }
    )
    assert rows == [
        ("flight", "uavs", "1,000"),
        ("flight", "length", "6.829 km"),
        ("flight", "mean error", "0.240 m"),
        ("flight", "met", "yes"),
        ("migrations", "downtime", "median 906.7 ms, largest 2 s"),
        ("migrations", "by state", "completed 3"),
        ("migrations", "share feasible", "56.7 %"),
        ("migrations", "transferred", "26.35 GB"),
        ("migrations", "mean hops", "0.644"),
    ]


def test_the_python_api_takes_four_lines(file: str) -> None:
    scenario = skyhop.load(file, ["policy.name=never"])
    run = skyhop.simulate(scenario)
    assert run.migrations.height == 0
    with pytest.raises(ValueError, match=r"circle\.yaml:2: name: got 3"):
        Path(file).write_text(CIRCLE.replace("name: circle", "name: 3", 1), encoding="utf-8")
        skyhop.load(file)


def test_the_picture_of_a_run_is_a_function_again_and_again(file: str) -> None:
    from matplotlib.figure import Figure

    run = skyhop.simulate(skyhop.load(file))
    for _ in range(2):
        assert isinstance(skyhop.plot(run), Figure)
