"""Run a scenario: cells and handovers first, then migrations event by event, then what they did to flight and video."""

import gc
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from math import inf

import numpy as np
import polars as pl
from numpy.typing import NDArray
from simpy import Environment, Event

from pam import TABLE_III, PamParameters
from pam import model as pam_model
from scenarios.edge import LinkFailure
from scenarios.schema import Scenario
from sim.executor import SimulatedExecutor
from sim.flights import fly_world
from sim.frames import count_frames
from sim.latency import Latency
from sim.network import Link, Network
from sim.orchestrator import Orchestrator
from sim.policies import build_policy
from sim.recorder import Recorder
from sim.run import Run, scenario_hash
from sim.servers import EdgeServer
from sim.services import RunningService
from sim.summary import summarise
from sim.tables import SCHEMA, frame_of
from sim.topology import Topology, build_topology
from sim.world import World, build_world

Progress = Callable[[float], None]


def simulate(scenario: Scenario, progress: Progress | None = None) -> Run:
    """Simulate `scenario` from its first second to its last.

    `progress` is called with the share of simulated time that has passed, from 0 to 1.

    Raises:
        ValueError: the scenario cannot be built: a file does not fit, a server is too small to start a service.
    """
    world = build_world(scenario)
    recorder = run_events(world, progress)
    tables = {name: getattr(recorder, name).frame() for name in ("migrations", "phases", "latency")}
    tables["handovers"] = _handovers(world)
    tables["cells"] = _cells(world)
    tables["trajectory"], tables["attribution"] = fly_world(world, tables)
    tables["frames"] = count_frames(world, tables)
    tables = {name: tables[name] for name in SCHEMA}
    return Run(scenario, scenario_hash(scenario), tables, summarise(world, tables))


def run_events(world: World, progress: Progress | None = None) -> Recorder:
    """Play the migrations of a world in simulated time; returns the rows of every migration and latency."""
    scenario = world.scenario
    environment = Environment()
    names = world.names
    recorder = Recorder(names)
    topology = build_topology(scenario.network, names.server, world.cells.site_position_m)
    network = Network(environment, _links(topology))
    servers = [EdgeServer(index, name, scenario.servers) for index, name in enumerate(names.server)]
    services = _services(world)
    parameters = PamParameters.from_toml(scenario.migration.parameters) if scenario.migration.parameters else TABLE_III
    latency = Latency(environment, topology, servers, scenario.network.access_latency_s, recorder)
    executor = SimulatedExecutor(
        environment,
        network,
        topology,
        parameters,
        _actual_rates(services, parameters).__getitem__,
        scenario.migration.resume_s,
        scenario.migration.restart_s,
    )
    orchestrator = Orchestrator(
        environment,
        executor,
        network,
        topology,
        servers,
        services,
        names.uav,
        build_policy(scenario.policy.name, scenario.policy.options),
        latency,
        parameters,
        scenario.migration.connection_kept,
        recorder,
    )
    environment.process(_handover(environment, world, orchestrator, progress))
    for failure in scenario.network.failures:
        environment.process(_cut(environment, failure, topology, network, orchestrator))
    # Without an end: a migration that has begun when the last UAV stops is still finished.
    with _seldom_collected():
        environment.run()
    return recorder


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """Look for garbage in cycles less often: events come and go by the million, and the search costs a tenth."""
    thresholds = gc.get_threshold()
    gc.set_threshold(20_000, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


def _links(topology: Topology) -> list[Link]:
    return [
        Link(direction, float(link["bandwidth_bps"]))
        for first, second, link in topology.graph.edges(data=True)
        for direction in ((first, second), (second, first))
    ]


def _services(world: World) -> list[RunningService]:
    settings = {service.name: service for service in world.scenario.services}
    services: list[RunningService] = []
    for group, uavs in world.groups:
        for uav in uavs:
            for name in group.services:
                index = len(services)
                services.append(RunningService(index, world.names.service[index], uav, settings[name], location=-1))
    return services


def _actual_rates(services: list[RunningService], parameters: PamParameters) -> dict[str, float]:
    """Pages a second that each service really dirties, from its normalised rate."""
    rates = {}
    for service in services:
        settings = service.settings
        rate = settings.actual_dirty_page_rate
        rate = settings.dirty_page_rate if rate is None else rate
        rates[service.name] = float(pam_model.pages_per_second(rate, settings.state_bytes, parameters))
    return rates


def _handover(
    environment: Environment, world: World, orchestrator: Orchestrator, progress: Progress | None
) -> Generator[Event, None, None]:
    """Tell the orchestrator of every change of cell, and of the next one, which the flight plan foretells."""
    attachment = world.attachment
    # A memory view gives plain numbers one by one, without a list of them all.
    at_server = world.server_of_cell[attachment.target]
    server, time_s, uav = at_server.data, attachment.time_s.data, attachment.uav.data
    following = _next_server(attachment.uav, at_server).data
    for event, now_s in enumerate(time_s):
        if now_s > environment.now:
            yield environment.timeout(now_s - environment.now)
        ahead = following[event]
        orchestrator.attach(
            uav[event], server[event], server[ahead] if ahead >= 0 else -1, time_s[ahead] if ahead >= 0 else inf
        )
        if progress is not None and event % 64 == 0:
            progress(now_s / world.duration_s)


def _next_server(uav: NDArray[np.int64], server: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each attachment (N,), the next one of the same UAV that brings it to another server, -1 if none does."""
    order = np.argsort(uav, kind="stable")
    uav, server = uav[order], server[order]
    # A stay lasts as long as UAV and server are the same; other sectors and failed links do not end it.
    begins = np.flatnonzero(np.append(True, (uav[1:] != uav[:-1]) | (server[1:] != server[:-1])))
    after = np.append(begins[1:], -1)[np.searchsorted(begins, np.arange(len(uav)), side="right") - 1]
    following = np.full(len(uav), -1, dtype=np.int64)
    known = (after >= 0) & (uav[after] == uav)
    following[order[known]] = order[after[known]]
    return following


def _cut(
    environment: Environment, failure: LinkFailure, topology: Topology, network: Network, orchestrator: Orchestrator
) -> Generator[Event, None, None]:
    for up, after_s in ((False, failure.at_s), (True, failure.for_s)):
        yield environment.timeout(after_s)
        topology.set_link(*failure.between, up=up)
        for direction in (failure.between, failure.between[::-1]):
            (network.repair if up else network.fail)(direction)
        orchestrator.reroute()


def _handovers(world: World) -> pl.DataFrame:
    attachment = world.attachment
    values = {column.name: getattr(attachment, column.name) for column in SCHEMA["handovers"]}
    return frame_of(SCHEMA["handovers"], values, world.names)


def _cells(world: World) -> pl.DataFrame:
    cells = world.cells
    latitude = longitude = np.full(len(cells.names), np.nan)
    if world.frame is not None:
        latitude, longitude, _ = world.frame.to_geodetic(cells.position_m)
    values = {
        "cell": np.arange(len(cells.names)),
        "server": world.server_of_cell,
        "east_m": cells.position_m[:, 0],
        "north_m": cells.position_m[:, 1],
        "up_m": cells.position_m[:, 2],
        "azimuth_deg": cells.sector_azimuth_deg,
        "latitude_deg": latitude,
        "longitude_deg": longitude,
    }
    return frame_of(SCHEMA["cells"], values, world.names)
