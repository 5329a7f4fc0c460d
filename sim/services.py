"""A service that follows one UAV: what it is, and where it stands."""

from dataclasses import dataclass, field

from simpy import Event, Process

from scenarios.edge import Service as ServiceSettings
from sim.policies import Move


@dataclass(slots=True, eq=False)
class RunningService:
    """One instance of a service of the scenario.

    `index` and `uav` are places in the run's lists of names; `location` and `destination` are places in the list of
    servers (-1: going nowhere). `latency_s` is the end-to-end latency when it was last written down, `slow_down` how
    many times longer than usual a request takes. `move` is the decision that waits or is being carried out.
    """

    index: int
    name: str
    uav: int
    settings: ServiceSettings
    location: int
    destination: int = -1
    latency_s: float = 0.0
    slow_down: float = 1.0
    move: Move | None = None
    requested_s: float = 0.0
    process: Process | None = None
    timer: Event | None = None
    waits_for: list[object] = field(default_factory=list)
