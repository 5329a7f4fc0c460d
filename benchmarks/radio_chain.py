"""What the full radio chain costs: 1,000 UAVs over 100 cells for 1,000 s, measured at 10 Hz.

Also shows that measuring only a few cells between the seconds leaves the handovers as they are.
"""

import time

import numpy as np

from benchmarks.figure import Figure
from mobility import (
    Area,
    Attachment,
    Fleet,
    HandoverParameters,
    RadioParameters,
    attach_a3,
    hexagonal_grid,
    named_generator,
    random_waypoint,
)

UAVS, DURATION_S, STEP_S = 1000, 1000.0, 0.1
CANDIDATES = 8
AREA = Area(-2500.0, -2200.0, 2500.0, 2200.0)


def fleet(uavs: int, duration_s: float, seed: np.random.SeedSequence) -> Fleet:
    """UAVs that fly from place to place at 5 to 15 m/s, 30 to 120 m above ground."""
    names = [f"uav-{number}" for number in range(uavs)]
    flights = [
        random_waypoint(AREA, (30.0, 120.0), (5.0, 15.0), (0.0, 5.0), duration_s, named_generator(seed, name))
        for name in names
    ]
    return Fleet(names, flights)


def attach(uavs: int, duration_s: float, candidates: int) -> tuple[Attachment, float]:
    """The attachment of such a fleet over 10 x 10 cells, and the CPU seconds of all threads that it took."""
    seed = np.random.SeedSequence(1)
    begin = time.process_time()
    attachment = attach_a3(
        fleet(uavs, duration_s, seed),
        hexagonal_grid(10, 10, 500.0),
        RadioParameters(),
        HandoverParameters(),
        duration_s,
        STEP_S,
        seed,
        candidates,
    )
    return attachment, time.process_time() - begin


def changes(attachment: Attachment) -> set[tuple[float, int, int]]:
    """Every change as (time, UAV, target)."""
    return set(zip(attachment.time_s.tolist(), attachment.uav.tolist(), attachment.target.tolist(), strict=True))


def main() -> None:
    """Print the cost of the whole chain, and how a short run with few candidates compares with all cells measured."""
    attachment, cpu_s = attach(UAVS, DURATION_S, CANDIDATES)
    print(
        f"{UAVS} UAVs, {DURATION_S:g} s at {1 / STEP_S:g} Hz, 100 cells: {attachment.handover_count()} changes of cell"
    )
    print(Figure("cost", cpu_s, "CPU seconds", "at most", 60))
    reference, _ = attach(100, 100.0, 100)
    for candidates in (4, CANDIDATES, 16):
        pruned, _ = attach(100, 100.0, candidates)
        same = len(changes(pruned) & changes(reference))
        print(f"  {candidates:3d} candidates: {same} of {len(reference)} lines as with all cells measured")


if __name__ == "__main__":
    main()
