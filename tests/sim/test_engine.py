"""A run depends on its scenario and seed alone, and its files hold all of it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from scenarios import Scenario, load
from sim import SCHEMA, Run, read_run, scenario_hash, simulate

Stage = Callable[..., Scenario]

# Everything that is drawn at random: paths, channel, interruptions, flight; and a tracker beside the autopilot.
RANDOM = """
version: 1
name: random
duration_s: 30
uavs:
  - name: uav
    count: 4
    trajectory:
      type: gauss-markov
      area: {west_m: -400, south_m: -400, east_m: 400, north_m: 400}
      speed_mps: 15
    services: [autopilot, tracker]
cells: {type: hexagonal, rows: 3, columns: 3, inter_site_distance_m: 200}
services:
  - {name: autopilot, type: autopilot, state_bytes: 5.0e+6, dirty_page_rate: 0.03}
  - {name: tracker, type: tracker, state_bytes: 5.0e+6, objective: mr, target_s: 6}
flight: {wind_mps: [2, 1]}
"""

WRITE = """
import sys
from pathlib import Path
from scenarios import Scenario, load
from sim import simulate
simulate(load(Path(sys.argv[1]), Scenario)).write(Path(sys.argv[2]))
"""


def random_scenario(folder: Path, *overrides: str) -> Scenario:
    path = folder / "random.yaml"
    path.write_text(RANDOM, encoding="utf-8")
    return load(path, Scenario, overrides)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    random_scenario(tmp_path)
    processes = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WRITE, str(tmp_path / "random.yaml"), str(tmp_path / f"run-{seed}")],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
        )
        for seed in (1, 2)
    ]
    assert [process.wait() for process in processes] == [0, 0]
    first, second = (files(tmp_path / f"run-{seed}") for seed in (1, 2))
    assert first.keys() == {f"{name}.parquet" for name in SCHEMA} | {
        "manifest.json",
        "summary.json",
        "scenario.json",
        "flight.mcap",
    }
    assert first == second


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return simulate(random_scenario(tmp_path_factory.mktemp("random")))


def test_another_seed_gives_other_paths_and_handovers(run: Run, tmp_path: Path) -> None:
    other = simulate(random_scenario(tmp_path, "seed=2"))
    assert run.handovers.height > 4
    assert not run.handovers.equals(other.handovers)
    assert not run.trajectory["reference_east_m"].equals(other.trajectory["reference_east_m"])
    assert run.scenario_sha256 != other.scenario_sha256


def test_another_policy_meets_the_same_paths_channel_and_handovers(run: Run, tmp_path: Path) -> None:
    other = simulate(random_scenario(tmp_path, "policy.name=never"))
    assert run.handovers.equals(other.handovers)
    reference = ["time_s", "uav", "reference_east_m", "reference_north_m", "reference_up_m", "cell"]
    assert run.trajectory.select(reference).equals(other.trajectory.select(reference))


def test_a_run_read_back_equals_the_one_written(run: Run, tmp_path: Path) -> None:
    run.write(tmp_path)
    again = read_run(tmp_path)
    assert again.tables.keys() == run.tables.keys()
    for name, table in run.tables.items():
        assert table.height > 0, name
        assert again.tables[name].schema == table.schema
        assert again.tables[name].equals(table)
    assert again.manifest() == run.manifest()
    assert again.summary == run.summary
    assert again.scenario == run.scenario


def test_tables_have_the_columns_of_the_schema_in_order_and_carry_their_units(run: Run, tmp_path: Path) -> None:
    run.write(tmp_path)
    for name, columns in SCHEMA.items():
        assert run.tables[name].columns == [column.name for column in columns]
        metadata = pl.read_parquet_metadata(tmp_path / f"{name}.parquet")
        assert json.loads(metadata["units"]) == {column.name: column.unit for column in columns}
        assert metadata["scenario_sha256"] == run.scenario_sha256


def test_the_manifest_traces_the_run_to_scenario_seed_and_versions(run: Run) -> None:
    manifest = run.manifest()
    assert (manifest["scenario"], manifest["seed"]) == ("random", 1)
    assert manifest["scenario_sha256"] == scenario_hash(run.scenario)
    assert {"skyhop", "python", "numpy", "simpy", "polars"} <= manifest["versions"].keys()
    assert manifest["tables"] == {name: {"rows": table.height} for name, table in run.tables.items()}


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("manifest.json", '{"skyhop_run": 2}', "written by another version of Skyhop: 2"),
        ("manifest.json", "{", "not a readable run"),
        ("migrations.parquet", "no table", "not a readable run"),
    ],
)
def test_a_damaged_run_is_told_by_its_folder(run: Run, tmp_path: Path, name: str, text: str, complaint: str) -> None:
    run.write(tmp_path)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint) as caught:
        read_run(tmp_path)
    assert str(caught.value).startswith(str(tmp_path))


def test_a_folder_without_a_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a readable run of Skyhop"):
        read_run(tmp_path)


def test_the_hash_covers_the_contents_of_named_files_but_not_their_folder(stage: Stage, tmp_path: Path) -> None:
    scenario = stage(["a@0 b@10"])
    before = scenario_hash(scenario)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("stage.yaml", "table.csv"):
        (elsewhere / name).write_bytes((tmp_path / name).read_bytes())
    moved = load(elsewhere / "stage.yaml", Scenario, ["uavs[0].count=1"])
    assert scenario_hash(moved) == before
    table = (elsewhere / "table.csv").read_bytes()
    (elsewhere / "table.csv").write_bytes(table.replace(b"10,uav,b", b"11,uav,b"))
    assert scenario_hash(moved) != before
    assert scenario_hash(stage(["a@0 b@10"], "migration.resume_s=0.4")) != before


def test_an_option_of_a_policy_is_no_file_whatever_its_name(stage: Stage) -> None:
    option = "policy={name: mine, options: {path: %s/maps, parameters: fast}}"
    assert scenario_hash(stage(["a@0"], option % "north")) != scenario_hash(stage(["a@0"], option % "south"))


def test_what_is_left_out_hashes_as_its_default(stage: Stage) -> None:
    assert scenario_hash(stage(["a@0"])) == scenario_hash(stage(["a@0"], "seed=1", "servers.cores=16"))


def test_progress_only_rises_and_stays_within_one(stage: Stage) -> None:
    itinerary = " ".join(f"{'ab'[number % 2]}@{number * 0.5}" for number in range(120))
    shares: list[float] = []
    simulate(stage([itinerary, itinerary]), shares.append)
    assert len(shares) > 2
    assert shares[0] == 0.0
    assert all(0.0 <= before < after <= 1.0 for before, after in pairwise(shares))


def test_a_migration_that_has_begun_when_the_last_uav_stops_is_still_finished(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@59"]))
    assert run.migrations["state"].to_list() == ["completed"]
    assert run.migrations["ended_s"].item() > 60.0


def test_a_failure_of_a_link_that_is_not_there_is_told(stage: Stage) -> None:
    with pytest.raises(ValueError, match=r"network.failures: no link between 'a' and 'c'"):
        simulate(stage(["a@0"], "network.failures=[{between: [a, c], at_s: 1, for_s: 1}]"))
