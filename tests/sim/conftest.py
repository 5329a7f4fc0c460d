"""A stage for the twin: four gNBs in a row, their servers in a ring, and who is attached where and when, outright."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from scenarios import Scenario, load

STAGE = """
version: 1
name: stage
duration_s: 60
uavs:
  - {name: uav, trajectory: {type: circle, radius_m: 50, speed_mps: 5}, services: [autopilot]}
cells:
  type: list
  sites:
    - {name: a, east_m: 0, north_m: 0}
    - {name: b, east_m: 300, north_m: 0}
    - {name: c, east_m: 600, north_m: 0}
    - {name: d, east_m: 900, north_m: 0}
attachment: {type: table, path: table.csv}
network: {topology: ring}
services:
  - {name: autopilot, type: autopilot, state_bytes: 25.0e+6, dirty_page_rate: 0.03, objective: md, target_s: 5}
flight: {simulate: false}
"""


@pytest.fixture
def stage(tmp_path: Path) -> Callable[..., Scenario]:
    """Scenario of UAVs with itineraries such as "a@0 b@10": in cell a from the start, in b from 10 s on."""

    def build(itineraries: Sequence[str], *overrides: str) -> Scenario:
        count = len(itineraries)
        names = [f"uav-{number}" if count > 1 else "uav" for number in range(count)]
        lines = [
            f"{time_s},{name},{cell}"
            for name, itinerary in zip(names, itineraries, strict=True)
            for cell, time_s in (stop.split("@") for stop in itinerary.split())
        ]
        (tmp_path / "table.csv").write_text("\n".join(["time_s,uav,cell", *lines]) + "\n", encoding="utf-8")
        path = tmp_path / "stage.yaml"
        path.write_text(STAGE, encoding="utf-8")
        return load(path, Scenario, [f"uavs[0].count={count}", *overrides])

    return build
