"""What a scenario describes, built: the fleet, the cells, who is attached where and when."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mobility import (
    Antenna,
    Attachment,
    Cause,
    Cells,
    Fleet,
    HandoverParameters,
    LocalFrame,
    RadioParameters,
    Trajectory,
    attach_a3,
    attach_nearest,
    hexagonal_grid,
    named_generator,
    read_attachment,
    read_sites,
)
from mobility import Scenario as Deployment
from mobility.cells import THREE_SECTORS_DEG
from scenarios.coverage import Layout
from scenarios.fleet import Group
from scenarios.schema import Scenario
from sim.tables import Names
from sim.tracks import build_trajectory


@dataclass(frozen=True)
class World:
    """The fleet, the cells and the attachment of a scenario, with the names of everything in it."""

    scenario: Scenario
    frame: LocalFrame | None
    fleet: Fleet
    groups: tuple[tuple[Group, range], ...]
    cells: Cells
    duration_s: float
    attachment: Attachment

    @cached_property
    def server_of_cell(self) -> NDArray[np.int64]:
        """Index (C,) of the edge server beside each cell's gNB."""
        return self.cells.site

    @cached_property
    def names(self) -> Names:
        """Names of UAVs, services, servers and cells; a service is called after its UAV: uav/service."""
        services = tuple(
            f"{self.fleet.names[uav]}/{name}" for group, uavs in self.groups for uav in uavs for name in group.services
        )
        return Names(
            self.fleet.names, services, server_names(self.cells, self.scenario.cells.sectors), self.cells.names
        )


def build_world(scenario: Scenario) -> World:
    """Build everything that does not depend on where services run.

    Raises:
        ValueError: a file that the scenario names does not fit.
    """
    frame = build_frame(scenario)
    fleet, groups = build_fleet(scenario, frame)
    cells = build_cells(scenario.cells, frame)
    duration_s = scenario.duration_s or float(fleet.end_s)
    return World(scenario, frame, fleet, groups, cells, duration_s, attach(scenario, fleet, cells, duration_s))


def build_frame(scenario: Scenario) -> LocalFrame | None:
    """The local frame, None where the scenario has no origin."""
    origin = scenario.origin
    return LocalFrame(origin.latitude_deg, origin.longitude_deg, origin.altitude_m) if origin else None


def build_fleet(scenario: Scenario, frame: LocalFrame | None) -> tuple[Fleet, tuple[tuple[Group, range], ...]]:
    """The fleet, and which UAVs belong to which group. Raises ValueError if a trajectory's file does not fit."""
    seed = np.random.SeedSequence(scenario.seed)
    names: list[str] = []
    trajectories: list[Trajectory] = []
    groups: list[tuple[Group, range]] = []
    for group in scenario.uavs:
        first = len(names)
        for number in range(group.count):
            name = group.name if group.count == 1 else f"{group.name}-{number}"
            names.append(name)
            generator = named_generator(seed, f"trajectory/{name}")
            trajectories.append(build_trajectory(group, number, frame, scenario.duration_s, generator))
        groups.append((group, range(first, len(names))))
    return Fleet(names, trajectories), tuple(groups)


def build_cells(layout: Layout, frame: LocalFrame | None) -> Cells:
    """The cells of a layout. Raises ValueError if its file does not fit."""
    sectors = layout.sectors == 3
    if layout.type == "hexagonal":
        return hexagonal_grid(
            layout.rows, layout.columns, layout.inter_site_distance_m, layout.antenna_height_m, sectors=sectors
        )
    if layout.type == "sites":
        columns = {"name": "name", "latitude_deg": "latitude_deg", "longitude_deg": "longitude_deg"} | layout.columns
        assert frame is not None  # noqa: S101  (the schema asks for an origin)
        return read_sites(layout.path, frame, columns, layout.antenna_height_m, sectors=sectors)
    azimuths = THREE_SECTORS_DEG if sectors else (np.nan,)
    names = [f"{site.name}-{k}" if sectors else site.name for site in layout.sites for k in range(layout.sectors)]
    position = [(site.east_m, site.north_m, layout.antenna_height_m) for site in layout.sites for _ in azimuths]
    return Cells(tuple(names), np.array(position), np.array(azimuths * len(layout.sites)))


def server_names(cells: Cells, sectors: int) -> tuple[str, ...]:
    """A server is called after its gNB: the name of the site's first cell, without the number of the sector."""
    first = [cells.names[int(np.argmax(cells.site == site))] for site in range(len(cells.site_position_m))]
    return tuple(name.removesuffix("-0") if sectors > 1 else name for name in first)


def _until(attachment: Attachment, end_s: float) -> Attachment:
    """The attachment without the changes after `end_s`; a table may tell of more than is flown."""
    kept = (attachment.time_s <= end_s) | (attachment.cause == Cause.INITIAL)
    columns = ("time_s", "uav", "source", "target", "cause", "interruption_s")
    return replace(attachment, **{name: getattr(attachment, name)[kept] for name in columns})


def attach(scenario: Scenario, fleet: Fleet, cells: Cells, duration_s: float) -> Attachment:
    """Who is attached where and when. Raises ValueError if a table does not fit."""
    settings = scenario.attachment
    seed = np.random.SeedSequence(scenario.seed)
    if settings.type == "table":
        table = read_attachment(settings.path, fleet.names, cells.names, settings.interruption_s)
        return _until(table, duration_s)
    if settings.type == "nearest":
        return attach_nearest(
            fleet, cells, duration_s, settings.step_s, seed, settings.hysteresis_m, settings.interruption_s
        )
    radio = settings.radio.model_dump()
    radio["scenario"] = Deployment(radio["scenario"].removesuffix("-AV"))
    radio["antenna"] = Antenna(**radio["antenna"]) if radio["antenna"] else None
    handover = settings.handover.model_dump()
    handover["interruption_range_s"] = handover.pop("interruption_s")
    return attach_a3(
        fleet, cells, RadioParameters(**radio), HandoverParameters(**handover), duration_s, settings.step_s, seed
    )
