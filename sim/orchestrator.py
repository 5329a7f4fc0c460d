"""The orchestrator: asks the policy, plans with PAM, admits what servers and links can take, and keeps the books."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from math import inf, nan
from typing import Any

from simpy import Environment, Event

from pam import PamParameters, evaluate, plan
from pam.migration import Executor, MigrationPlan, MigrationRecord, MigrationState, MigrationTask, Strategy
from sim.latency import Latency
from sim.network import Link, Network, Reservation
from sim.policies import Move, Policy, Situation
from sim.recorder import Recorder
from sim.servers import EdgeServer
from sim.services import RunningService
from sim.topology import Topology

# Below this share of a path's capacity, a migration waits for another's reservation to end.
_LEAST_SHARE = 0.05


class Orchestrator:
    """Moves services behind their UAVs.

    Defined outcomes: a full server refuses, and the service stays until its UAV changes its cell again; without a free
    migration slot or bandwidth the migration waits, the longest waiting goes first, and a newer decision replaces it;
    services of one UAV that hop together share alike what bandwidth is free; a UAV that turns back, or goes on, before
    Stop&Copy cancels the migration; one that has begun Stop&Copy completes, and the policy is asked again.
    """

    def __init__(
        self,
        environment: Environment,
        executor: Executor,
        network: Network,
        topology: Topology,
        servers: Sequence[EdgeServer],
        services: Sequence[RunningService],
        uav_names: Sequence[str],
        policy: Policy,
        latency: Latency,
        parameters: PamParameters,
        connection_kept: bool,
        recorder: Recorder,
    ) -> None:
        self._environment = environment
        self._executor = executor
        self._network = network
        self._topology = topology
        self._servers = servers
        self._server_index = {server.name: server.index for server in servers}
        self._uav_names = uav_names
        self._policy = policy
        self._latency = latency
        self._connection_kept = connection_kept
        self._recorder = recorder
        self._parameters = parameters
        self._reference_bps = max((link.capacity_bps for link in network.links.values()), default=1e9)
        self._waiting: dict[object, dict[RunningService, None]] = {}
        self._serving = [-1] * len(uav_names)
        self._next: list[tuple[int, float]] = [(-1, inf)] * len(uav_names)
        self._services_of: list[list[RunningService]] = [[] for _ in uav_names]
        for service in services:
            self._services_of[service.uav].append(service)

    def attach(self, uav: int, serving: int, next_serving: int, next_handover_s: float) -> None:
        """A UAV has changed its cell: `serving` is the server there, the next one is known or -1."""
        first = self._serving[uav] < 0
        self._serving[uav] = serving
        self._next[uav] = (next_serving, next_handover_s)
        services = self._services_of[uav]
        for service in services:
            if first:
                self._place(service, serving)
            self._latency.note(service, serving)
        # All decide before the first begins, so that it knows with how many it shares the way.
        for service in [service for service in services if self._decide(service)]:
            self._schedule(service)

    def reroute(self) -> None:
        """Paths have changed: a link was cut or came back, and services are nearer or farther than they were."""
        self._latency.forget_ways()
        for uav, serving in enumerate(self._serving):
            if serving >= 0:
                for service in self._services_of[uav]:
                    self._latency.note(service, serving)

    def _place(self, service: RunningService, server: int) -> None:
        settings = service.settings
        shortage = self._servers[server].shortage(settings.cores, settings.state_bytes)
        if shortage:
            raise ValueError(f"services: {service.name} cannot start: {shortage}; give servers more or UAVs fewer")
        self._servers[server].take(settings.cores, settings.state_bytes)
        self._servers[server].busy_cores += settings.request_rate_hz * settings.processing_s
        service.location = server

    def _decide(self, service: RunningService) -> bool:
        """Ask the policy; True if `service.move` is a new migration, to be scheduled."""
        uav, servers = service.uav, self._servers
        ahead, ahead_s = self._next[uav]
        now_s = self._environment.now
        move = self._policy.decide(
            Situation(
                now_s,
                service.name,
                self._uav_names[uav],
                service.settings.objective,
                servers[service.location].name,
                servers[self._serving[uav]].name,
                servers[ahead].name if ahead >= 0 else None,
                ahead_s,
                service.latency_s,
            )
        )
        destination = self._server_index.get(move.destination, -1) if move else -1
        if move and destination < 0:
            raise ValueError(f"policy: it sends {service.name} to {move.destination!r}, but there is no such server")
        if service.process is not None:
            if destination != service.destination:
                # Too late in Stop&Copy: then the executor goes on, and the policy is asked again on arrival.
                service.process.interrupt()
            return False
        if move is not None and move == service.move:
            return False  # It waits already, and keeps its place.
        self._withdraw(service)
        if move is None or destination == service.location:
            return False
        service.move = move
        service.destination = destination
        service.requested_s = now_s
        return True

    def _schedule(self, service: RunningService) -> None:
        """Begin the migration that `service.move` asks for: now, or so that Stop&Copy falls when it is wanted."""
        move = service.move
        if move is None or move.switch_at_s is None or (delay_s := self._delay_s(service, move)) <= 0.0:
            self._begin(service)
            return
        timer = service.timer = self._environment.timeout(delay_s)
        timer.callbacks.append(lambda _: self._begin_at(service, timer))

    def _begin_at(self, service: RunningService, timer: Event) -> None:
        # A newer decision has another timer, or none.
        if service.timer is timer and service.move is not None:
            service.timer = None
            # Its time has come: asked for again without one, it keeps its place in a queue.
            service.move = replace(service.move, switch_at_s=None)
            service.requested_s = self._environment.now
            self._begin(service)

    def _sharing(self, service: RunningService) -> int:
        """How many services of its UAV are yet to begin the same hop: they share alike what is free."""
        return sum(
            other.destination == service.destination and other.process is None and not other.waits_for
            for other in self._services_of[service.uav]
        )

    def _delay_s(self, service: RunningService, move: Move) -> float:
        """How long to wait so that Stop&Copy begins when the move asks for it."""
        nodes = self._topology.path(self._servers[service.location].name, move.destination)
        if nodes is None or move.switch_at_s is None:
            return 0.0
        links = self._network.path(nodes)
        # All services of the UAV will hop then and share the way, even those that have not decided yet.
        share_bps = min(link.capacity_bps for link in links) / len(self._services_of[service.uav])
        expected = self._plan(service, move, share_bps)
        ahead_s = expected.predicted_duration_s - expected.predicted_downtime_s
        return move.switch_at_s - ahead_s - self._environment.now

    def _withdraw(self, service: RunningService) -> None:
        for resource in service.waits_for:
            self._waiting[resource].pop(service, None)
        service.waits_for.clear()
        service.timer = None
        service.move = None
        service.destination = -1

    def _begin(self, service: RunningService) -> None:
        """Start the migration that `service.move` asks for, let it wait, or refuse it."""
        move = service.move
        if move is None:
            return
        source, destination = self._servers[service.location], self._servers[service.destination]
        settings = service.settings
        nodes = self._topology.path(source.name, destination.name)
        reason = destination.shortage(settings.cores, settings.state_bytes)
        if nodes is None:
            reason = f"no path from {source.name} to {destination.name}"
        elif settings.critical and move.strategy in (Strategy.POST_COPY, Strategy.HYBRID):
            reason = f"{service.name} is critical: a lost link in the page-fault phase would lose its state"
        if reason or nodes is None:
            self._refuse(service, self._plan(service, move, self._reference_bps), reason)
            return
        links = self._network.path(nodes)
        blocking = self._blocking(source, destination, links, move)
        if blocking is not None:
            self._wait_for(blocking, service)
            return
        if move.reserve:
            tightest = min(links, key=lambda link: link.unreserved_bps)
            planned = self._plan(service, move, tightest.unreserved_bps / self._sharing(service))
            if not planned.feasible and tightest.reserved_bps:
                # Better to stay a little longer than to be silent for longer than it may, if waiting can help.
                idle_bps = min(link.capacity_bps for link in links)
                if self._plan(service, move, idle_bps).feasible:
                    self._wait_for(tightest, service)
                    return
        else:
            planned = self._plan(service, move, min([link.unreserved_bps / (len(link.elastic) + 1) for link in links]))
        source.free_slots -= 1
        destination.free_slots -= 1
        destination.take(settings.cores, settings.state_bytes)
        reservation = self._network.reserve(links, planned.bandwidth_bps) if move.reserve else None
        service.process = self._environment.process(
            self._migrate(service, planned, source, destination, links, reservation)
        )

    def _wait_for(self, resource: EdgeServer | Link, service: RunningService) -> None:
        service.waits_for.append(resource)
        self._waiting.setdefault(resource, {})[service] = None

    def _blocking(
        self, source: EdgeServer, destination: EdgeServer, links: tuple[Link, ...], move: Move
    ) -> EdgeServer | Link | None:
        """What a migration would have to wait for: a migration slot, or bandwidth that nobody has reserved."""
        if source.free_slots < 1 or destination.free_slots < 1:
            return source if source.free_slots < 1 else destination
        if move.reserve or [link for link in links if link.reserved_bps]:
            tightest = min(links, key=lambda link: link.unreserved_bps)
            if tightest.unreserved_bps < _LEAST_SHARE * min(link.capacity_bps for link in links):
                return tightest
        return None

    def _plan(self, service: RunningService, move: Move, available_bps: float) -> MigrationPlan:
        settings = service.settings
        task = MigrationTask(
            service=service.name,
            source=self._servers[service.location].name,
            destination=move.destination,
            objective=move.objective or settings.objective,
            target_s=settings.target_s,
            state_bytes=settings.state_bytes,
            dirty_page_rate=settings.dirty_page_rate,
            available_bandwidth_bps=available_bps,
            coat=self._connection_kept,
            reserve=move.reserve,
        )
        if move.strategy is None:
            return plan(task, self._parameters)
        return evaluate(task, move.strategy, available_bps, move.iterations, self._parameters)

    def _refuse(self, service: RunningService, refused: MigrationPlan, reason: str) -> None:
        now_s = self._environment.now
        source = self._servers[service.location].name
        record = MigrationRecord(refused, MigrationState.FAILED, source, now_s, now_s, nan, 0.0, 0.0, reason)
        self._note(service, service.location, service.destination, record)
        self._withdraw(service)

    def _migrate(
        self,
        service: RunningService,
        planned: MigrationPlan,
        source: EdgeServer,
        destination: EdgeServer,
        links: tuple[Link, ...],
        reservation: Reservation | None,
    ) -> Generator[Event, Any, None]:
        """Have the executor carry out a plan, then settle where the service is and what its going has freed."""
        slow_down = self._parameters.page_fault_slow_down
        record = yield from self._executor.migrate(
            planned, lambda: self._arrive(service, source, destination, slow_down)
        )
        if reservation is not None:
            self._network.release(reservation)
        settings = service.settings
        arrived = record.runs_at == destination.name
        left = source if arrived else destination
        left.give(settings.cores, settings.state_bytes)
        self._note(service, source.index, destination.index, record)
        service.process = None
        self._withdraw(service)
        if arrived:
            self._arrive(service, source, destination)
        source.free_slots += 1
        destination.free_slots += 1
        self._retry((source, destination, *links))
        if self._decide(service):
            # A failure is tried again at the next change of cell, not at once and for ever.
            if record.state is MigrationState.FAILED and service.destination == destination.index:
                self._withdraw(service)
            else:
                self._schedule(service)

    def _arrive(
        self, service: RunningService, source: EdgeServer, destination: EdgeServer, slow_down: float = 1.0
    ) -> None:
        """The service runs at its destination, `slow_down` times slower while pages are missing."""
        if service.location != destination.index:
            busy_cores = service.settings.request_rate_hz * service.settings.processing_s
            source.busy_cores -= busy_cores
            destination.busy_cores += busy_cores
            service.location = destination.index
        service.slow_down = slow_down
        self._latency.note(service, self._serving[service.uav])

    def _note(self, service: RunningService, source: int, destination: int, record: MigrationRecord) -> None:
        self._recorder.migration(service.uav, service.index, source, destination, service.requested_s, record)

    def _retry(self, freed: tuple[EdgeServer | Link, ...]) -> None:
        """Let those who wait for what has been freed try again, the longest waiting first."""
        for resource in freed:
            waiting = self._waiting.pop(resource, None)
            for service in waiting or ():
                service.waits_for.clear()
                self._begin(service)
