"""`skyhop sweep` as a person and as a machine use it."""

import json
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from skyhop.cli import app
from tests.tiny import TINY


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


def sweep(scenario: Path, *arguments: str) -> Result:
    output = str(scenario.parent / "sweeps")
    return CliRunner().invoke(app, ["sweep", str(scenario), "--output", output, "--workers", "1", *arguments])


def test_a_grid_is_run_and_its_table_named(scenario: Path) -> None:
    result = sweep(scenario, "--over", "policy.name=never,mose-md", "--over", "network.bandwidth_bps=1e8:1e9:2")
    assert result.exit_code == 0, result.output
    table = scenario.parent / "sweeps" / "tiny" / "sweep.parquet"
    assert str(table) in result.stdout
    assert "Sweep of tiny: 4 points" in result.stdout
    assert pl.read_parquet(table).select("policy.name", "network.bandwidth_bps").rows() == [
        ("never", 100_000_000),
        ("never", 1_000_000_000),
        ("mose-md", 100_000_000),
        ("mose-md", 1_000_000_000),
    ]


def test_for_machines_stdout_is_one_json_document(scenario: Path) -> None:
    result = sweep(scenario, "--over", "services[0].state_bytes=1e6:1e9:log", "--sample", "3", "--seeds", "2", "--json")
    document = json.loads(result.stdout)
    assert (document["scenario"], document["points"], document["failed"]) == ("tiny", 6, 0)
    assert [row["point"] for row in document["rows"]] == list(range(6))
    assert len({row["services[0].state_bytes"] for row in document["rows"]}) == 3
    assert len({row["seed"] for row in document["rows"]}) == 2


@pytest.mark.parametrize(
    ("over", "complaint"),
    [
        ("polic.name=never", "polic: unknown field; did you mean policy?"),
        ("policy.name=nevr", 'policy.name: got "nevr"; allowed: one of'),
        ("services[0].state_bytes=-1,5", "services[0].state_bytes: got -1; allowed: a number above 0"),
        ("services[1].state_bytes=1", "services[1]: there is no such entry; the list has 1, counted from 0"),
        ("flight.sample_s=1:2", "give the range a count"),
    ],
)
def test_a_field_or_value_that_does_not_fit_is_named_before_anything_runs(
    scenario: Path, over: str, complaint: str
) -> None:
    result = sweep(scenario, "--over", "policy.options={}", "--over", over)
    assert result.exit_code == 2
    assert f"--over {over}: {complaint}" in result.stderr
    assert not (scenario.parent / "sweeps").exists()


def test_a_point_that_fails_makes_the_exit_code_one_and_is_named(scenario: Path) -> None:
    result = sweep(scenario, "--over", "servers.memory_bytes=1e6,1e9")
    assert result.exit_code == 1
    assert "Point 0 failed:" in result.stdout
    assert "1 of 2 points failed." in result.stdout


def test_a_changed_scenario_is_refused_until_restarted(scenario: Path) -> None:
    arguments = ("--over", "policy.name=never,mose-md")
    assert sweep(scenario, *arguments).exit_code == 0
    scenario.write_text(TINY.replace("5.0e+6", "6.0e+6"), encoding="utf-8")
    refused = sweep(scenario, *arguments)
    assert refused.exit_code == 2
    assert f"{scenario.parent / 'sweeps' / 'tiny'}: holds another sweep" in refused.stderr
    assert sweep(scenario, *arguments, "--restart").exit_code == 0


def test_workers_and_a_scheduler_exclude_each_other(scenario: Path) -> None:
    result = sweep(scenario, "--over", "policy.name=never", "--scheduler", "tcp://127.0.0.1:1")
    assert result.exit_code == 2
    assert "--workers is for this machine" in result.stderr


def test_a_sweep_that_was_killed_goes_on_and_gives_the_same_bytes(scenario: Path) -> None:
    folder = scenario.parent
    over = ["--over", "policy.name=never,mose-md", "--over", "network.bandwidth_bps=1e8:1e9:12", "--workers", "1"]
    command = [sys.executable, "-c", "from skyhop.cli import main; main()", "sweep", str(scenario), *over]
    points = folder / "killed" / "tiny" / "points"
    with subprocess.Popen([*command, "--output", str(folder / "killed")], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not (points / "00002.json").exists():
            time.sleep(0.002)
        process.kill()
    done = {path.name: path.stat().st_mtime_ns for path in points.glob("*.json")}
    assert 3 <= len(done) < 24
    killed, whole = folder / "killed" / "tiny" / "sweep.parquet", folder / "whole" / "tiny" / "sweep.parquet"
    assert not killed.exists()
    for output in ("killed", "whole"):
        subprocess.run([*command, "--output", str(folder / output)], check=True, stdout=subprocess.DEVNULL)
    assert all((points / name).stat().st_mtime_ns == written for name, written in done.items())
    assert killed.read_bytes() == whole.read_bytes()
