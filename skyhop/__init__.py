"""Skyhop: a digital twin of edge computing for UAVs.

import skyhop

run = skyhop.simulate(skyhop.load("scenarios/melbourne.yaml"))
print(run.migrations)
skyhop.plot(run).savefig("flight.png")
"""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from scenarios.schema import Scenario
    from sim import Run

__all__ = ["__version__", "load", "plot", "simulate"]

__version__ = version("skyhop")


def load(path: str | Path, overrides: Sequence[str] = ()) -> "Scenario":
    """Read a scenario; `overrides` are texts such as "policy.name=mose-mr".

    Raises ValueError that lists every problem by file, line and field.
    """
    from skyhop.scenario import read_scenario

    return read_scenario(Path(path), overrides)


def simulate(scenario: "Scenario") -> "Run":
    """Simulate `scenario` from its start to its end."""
    from sim import simulate

    return simulate(scenario)


def plot(run: "Run") -> "Figure":
    """A run at a glance, as a matplotlib figure: map and time lines. Raises ValueError if the run has no UAV."""
    from skyhop.overview import plot

    return plot(run)
