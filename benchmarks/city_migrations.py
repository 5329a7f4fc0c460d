"""A thousand services follow a thousand UAVs over a hundred cells: how fast, how large, how flat is a run?

1,000 UAVs fly for 1,000 s over 10 x 10 cells with 1 Gbit/s links between neighbours. Every UAV changes to a
neighbouring cell every 10 s, each at its own phase, as a table says; a service of 256 MB follows by cold migration
over shared links. Aims: at least 200,000 UAV-seconds per CPU second, at most 200 MiB, and a cost per simulated second
that is the same in the last tenth as in the first.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from benchmarks.figure import Figure

Numbers = NDArray[Any]

UAVS, DURATION_S, SIDE, PERIOD_S = 1000, 1000, 10, 10


def write_table(path: Path) -> None:
    """A random walk of every UAV over the grid of cells, from a fixed seed."""
    generator = np.random.default_rng(1)
    row, column = generator.integers(0, SIDE, (2, UAVS))
    phase_s = generator.uniform(0.0, PERIOD_S, UAVS)
    with path.open("w", encoding="utf-8") as file:
        file.write("time_s,uav,cell\n")
        _write_cells(file, np.zeros(UAVS), row, column)
        for change in range(DURATION_S // PERIOD_S):
            along_row = generator.random(UAVS) < 0.5
            step = generator.choice((-1, 1), UAVS)
            for axis, moves in ((row, ~along_row), (column, along_row)):
                ahead = axis + step
                axis[:] = np.where(moves, np.where((ahead < 0) | (ahead >= SIDE), axis - step, ahead), axis)
            _write_cells(file, change * PERIOD_S + phase_s, row, column)


def _write_cells(file: TextIO, at_s: Numbers, row: Numbers, column: Numbers) -> None:
    for uav, (second, cell) in enumerate(zip(at_s, row * SIDE + column, strict=True)):
        file.write(f"{second:.6f},uav-{uav},gnb-{cell:02d}\n")


SCENARIO = f"""
version: 1
name: city-migrations
duration_s: {DURATION_S}
uavs:
  - name: uav
    count: {UAVS}
    trajectory: {{type: waypoints, points_m: [[0, 0, 60], [100, 0, 60]]}}
    services: [state]
cells: {{type: hexagonal, rows: {SIDE}, columns: {SIDE}, inter_site_distance_m: 500}}
attachment: {{type: table, path: attachment.csv}}
servers: {{cores: 1000, memory_bytes: 1e12, concurrent_migrations: 1000}}
network: {{topology: mesh, neighbours: 4, bandwidth_bps: 1e9}}
services:
  - {{name: state, type: generic, state_bytes: 256e6, dirty_page_rate: 1, request_rate_hz: 1, processing_s: 0.001}}
policy: {{name: nearest-cold}}
flight: {{simulate: false}}
"""


def main() -> None:
    """Print the speed, the peak memory and the ratio of the last tenth's cost to the first's."""
    from scenarios import Scenario, load
    from sim import simulate

    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder) / "attachment.csv")
        document = Path(folder) / "scenario.yaml"
        document.write_text(SCENARIO, encoding="utf-8")
        scenario = load(document, Scenario)
        marks: list[tuple[float, float]] = []
        began_s = time.process_time()
        run = simulate(scenario, progress=lambda share: marks.append((share, time.process_time())))
        cpu_s = time.process_time() - began_s
    share, clock_s = np.array(marks).T
    at_s = np.interp([0.0, 0.1, 0.9, 1.0], share, clock_s)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)
    completed = (run.migrations["state"] == "completed").sum()
    print(
        f"migrations: {run.migrations.height} ({completed} completed), median downtime "
        f"{run.summary['migrations']['downtime_s']['median']:.3f} s"
    )
    print(f"CPU: {cpu_s:.2f} s in all, first tenth {at_s[1] - at_s[0]:.3f} s, last tenth {at_s[3] - at_s[2]:.3f} s")
    for figure in (
        Figure("speed", UAVS * DURATION_S / cpu_s, "UAV-seconds per CPU second", "at least", 200_000),
        Figure("peak memory", peak_mib, "MiB", "at most", 200),
        # Nothing has migrated when the first tenth begins: it has a tenth fewer migrations than the last.
        Figure("cost of the last tenth", (at_s[3] - at_s[2]) / (at_s[1] - at_s[0]), "of the first", "at most", 1.2),
    ):
        print(figure)


if __name__ == "__main__":
    main()
