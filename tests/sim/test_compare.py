"""What two runs are compared by, from their tables and figures alone."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from scenarios import Scenario, load
from sim import Run, simulate
from sim.compare import TRUTH, compare_figures, compare_predictions, compare_scenarios, largest_error

TINY = """
version: 1
name: tiny
duration_s: 30
uavs:
  - {name: uav, count: 2, trajectory: {type: circle, radius_m: 50, speed_mps: 10}, services: [autopilot]}
cells:
  type: list
  sites: [{name: west, east_m: -100, north_m: 0}, {name: east, east_m: 100, north_m: 0}]
attachment: {type: nearest}
services:
  - {name: autopilot, type: autopilot, state_bytes: 5.0e+6, dirty_page_rate: 0.03}
flight: {simulate: false}
"""


def run(folder: Path, *overrides: str) -> Run:
    path = folder / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return simulate(load(path, Scenario, overrides))


def with_summary(run: Run, **figures: object) -> Run:
    return replace(run, summary={"part": figures})


def test_figures_stand_side_by_side_with_unit_and_difference_to_the_first_in_percent(tmp_path: Path) -> None:
    simulated = run(tmp_path)
    table = compare_figures(
        {
            "before": with_summary(simulated, error_m=2.0, count=4, lost=0, met=False, uav="uav-0"),
            "after": with_summary(simulated, error_m=3.0, count=3, lost=7, met=True, uav="uav-1", late_s=1.5),
            "last": with_summary(simulated, error_m=-2.0, count=4, lost=0, met=True, uav="uav-1"),
        }
    )
    assert table.columns == ["figure", "unit", "before", "after", "last", "after - before (%)", "last - before (%)"]
    assert table.rows() == [
        ("part.error_m", "m", 2.0, 3.0, -2.0, 50.0, -200.0),
        ("part.count", "1", 4.0, 3.0, 4.0, -25.0, 0.0),
        ("part.lost", "1", 0.0, 7.0, 0.0, None, None),
        ("part.met", TRUTH, 0.0, 1.0, 1.0, None, None),
        ("part.late_s", "s", None, 1.5, None, None, None),
    ]


def test_the_percentage_keeps_the_sense_of_the_change_below_zero(tmp_path: Path) -> None:
    simulated = run(tmp_path)
    table = compare_figures({"a": with_summary(simulated, x=-2.0), "b": with_summary(simulated, x=-1.0)})
    assert table["b - a (%)"].to_list() == [50.0]


def test_scenarios_are_told_apart_field_by_field(tmp_path: Path) -> None:
    runs = {
        "a": run(tmp_path),
        "b": run(tmp_path, "services[0].state_bytes=6e6", "uavs[0].trajectory.speed_mps=5", "policy.options={}"),
        "c": run(tmp_path, "policy={name: latency-threshold, options: {}}"),
    }
    assert compare_scenarios(runs).rows() == [
        ("uavs[0].trajectory.speed_mps", "10.0", "5.0", "10.0"),
        ("services[0].state_bytes", "5000000.0", "6000000.0", "5000000.0"),
        ("policy.name", '"mose-md"', '"mose-md"', '"latency-threshold"'),
    ]
    assert compare_scenarios({"a": runs["a"], "again": runs["a"]}).is_empty()


def test_predictions_are_held_against_what_happened_by_strategy(tmp_path: Path) -> None:
    simulated = run(tmp_path)
    done = simulated.migrations.head(1)
    completed = pl.lit("completed").cast(done["state"].dtype)
    cold = pl.lit("cold").cast(done["strategy"].dtype)
    pairs = [(1.0, 2.0, 4.0, 5.0), (3.0, 2.0, 4.0, 5.0), (1.0, 4.0, 9.0, 10.0)]
    rows = [
        done.with_columns(
            state=completed,
            strategy=cold,
            downtime_s=pl.lit(downtime),
            predicted_downtime_s=pl.lit(predicted_downtime),
            duration_s=pl.lit(duration),
            predicted_duration_s=pl.lit(predicted_duration),
        )
        for downtime, predicted_downtime, duration, predicted_duration in pairs
    ]
    failed = rows[0].with_columns(state=pl.lit("failed").cast(done["state"].dtype), downtime_s=pl.lit(99.0))
    measured = replace(simulated, tables=simulated.tables | {"migrations": pl.concat([*rows, failed])})
    table = compare_predictions({"measured": measured, "none": run(tmp_path, "policy.name=never")})
    (row,) = table.rows(named=True)
    assert (row["strategy"], row["run"], row["migrations"]) == ("cold", "measured", 3)
    assert (row["predicted_downtime_s"], row["downtime_s"], row["downtime_ratio"]) == (2.0, 1.0, 0.5)
    assert (row["predicted_duration_s"], row["duration_s"], row["duration_ratio"]) == (5.0, 4.0, 0.8)
    assert row["share_within_prediction"] == pytest.approx(2 / 3)


def test_strategies_are_in_order_and_within_each_the_runs_in_theirs(tmp_path: Path) -> None:
    runs = {"z": run(tmp_path), "a": run(tmp_path), "cold": run(tmp_path, "policy.name=nearest-cold")}
    table = compare_predictions(runs)
    strategies = table["strategy"].to_list()
    assert strategies == sorted(strategies)
    assert table.filter(pl.col("strategy") != "cold")["run"].to_list()[:2] == ["z", "a"]


def test_the_error_over_time_is_that_of_the_uav_farthest_off(tmp_path: Path) -> None:
    flown = run(tmp_path, "flight.simulate=true", "duration_s=5", "flight.sample_s=1")
    time_s, error_m = largest_error(flown)
    assert time_s.tolist() == sorted(set(flown.trajectory["time_s"].to_list()))
    for at_s, largest in zip(time_s, error_m, strict=True):
        assert largest == flown.trajectory.filter(pl.col("time_s") == at_s)["reference_error_m"].max()
