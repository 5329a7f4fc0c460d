"""End-to-end latency of a service: radio access, the way to its server and back, the wait for its CPU, the work."""

from collections.abc import Sequence

from simpy import Environment

from sim.recorder import Recorder
from sim.servers import EdgeServer
from sim.services import RunningService
from sim.topology import Topology


class Latency:
    """Knows the latency of every service and writes a row whenever it changes.

    The way to a server is the path of least latency from the server beside the serving gNB; a service that cannot be
    reached has infinite latency. Waiting times are those at the moment the row is written.
    """

    def __init__(
        self,
        environment: Environment,
        topology: Topology,
        servers: Sequence[EdgeServer],
        access_latency_s: float,
        recorder: Recorder,
    ) -> None:
        self._environment = environment
        self._topology = topology
        self._servers = servers
        self._access_latency_s = access_latency_s
        self._table = recorder.latency
        self._ways: dict[tuple[int, int], tuple[int, float]] = {}

    def forget_ways(self) -> None:
        """Paths have changed: a link was cut or came back."""
        self._ways.clear()

    def of(self, service: RunningService, serving: int) -> float:
        """End-to-end latency in seconds as things stand."""
        return sum(self._parts(service, serving)[1:])

    def note(self, service: RunningService, serving: int) -> None:
        """Write down the latency from now on."""
        hops, network_s, queueing_s, processing_s = self._parts(service, serving)
        self._table.append(
            self._environment.now,
            service.uav,
            service.index,
            service.location,
            hops,
            network_s,
            queueing_s,
            processing_s,
            network_s + queueing_s + processing_s,
        )

    def _parts(self, service: RunningService, serving: int) -> tuple[int, float, float, float]:
        hops, network_s = self._way(serving, service.location)
        processing_s = service.settings.processing_s
        return hops, network_s, self._servers[service.location].queueing_s(processing_s), processing_s

    def _way(self, serving: int, location: int) -> tuple[int, float]:
        way = self._ways.get((serving, location))
        if way is None:
            nodes = self._topology.path(self._servers[serving].name, self._servers[location].name)
            if nodes is None:
                way = (-1, float("inf"))
            else:
                way = (len(nodes) - 1, 2.0 * (self._access_latency_s + self._topology.latency_s(nodes)))
            self._ways[serving, location] = way
        return way
