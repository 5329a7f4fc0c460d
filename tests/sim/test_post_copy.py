"""After post-copy has switched over, the service runs at its destination, slower while pages are missing."""

from pathlib import Path

import polars as pl
import pytest

from pam import TABLE_III
from scenarios import Scenario, load
from sim import Run, simulate

SCENARIO = """
version: 1
name: post-copy
duration_s: 30
uavs:
  - name: uav
    trajectory: {type: waypoints, points_m: [[0, 0, 60], [100, 0, 60]]}
    services: [tracker]
cells:
  type: list
  sites: [{name: west, east_m: -100, north_m: 0}, {name: east, east_m: 100, north_m: 0}]
attachment: {type: table, path: table.csv}
network: {failures: FAILURES}
services: [{name: tracker, type: generic, state_bytes: 100e6, dirty_page_rate: 0.5, processing_s: 0.02}]
policy: {name: fixed, options: {strategy: STRATEGY}}
flight: {simulate: false}
"""


def run_of(folder: Path, strategy: str, failures: str = "[]") -> Run:
    (folder / "table.csv").write_text("time_s,uav,cell\n0,uav,west\n10,uav,east\n", encoding="utf-8")
    document = folder / "scenario.yaml"
    document.write_text(SCENARIO.replace("STRATEGY", strategy).replace("FAILURES", failures), encoding="utf-8")
    return simulate(load(document, Scenario))


@pytest.mark.parametrize("strategy", ["post-copy", "hybrid"])
def test_latency_follows_the_service_at_its_switch_over_and_is_slower_until_the_last_page(
    tmp_path: Path, strategy: str
) -> None:
    run = run_of(tmp_path, strategy)
    missing = run.phases.filter(pl.col("phase") == "page-fault")
    there = run.latency.filter(pl.col("server") == "east")
    assert there["time_s"].to_list() == pytest.approx([missing["started_s"][0], run.migrations["ended_s"][0]])
    slow, usual = there["processing_s"]
    assert (slow, usual) == pytest.approx((0.02 * TABLE_III.page_fault_slow_down, 0.02))
    assert run.migrations["source"].to_list() == ["west"]
    assert run.migrations["destination"].to_list() == ["east"]


def test_a_cold_service_is_never_slower(tmp_path: Path) -> None:
    assert run_of(tmp_path, "cold").latency["processing_s"].unique().to_list() == [0.02]


def test_a_link_that_fails_while_pages_are_missing_costs_the_state_but_not_the_service(tmp_path: Path) -> None:
    run = run_of(tmp_path, "post-copy", "[{between: [west, east], at_s: 11.5, for_s: 5}]")
    record = run.migrations.row(0, named=True)
    whole = run_of(tmp_path, "post-copy").migrations.row(0, named=True)
    assert (record["state"], record["reason"]) == ("failed", "link failed, state lost")
    assert record["downtime_s"] == pytest.approx(whole["downtime_s"] + run.scenario.migration.restart_s)
    assert run.latency["server"].to_list()[-1] == "east"
    assert run.latency["processing_s"].to_list()[-1] == 0.02
