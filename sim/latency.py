"""End-to-end latency of a service: radio access, the way to its server and back, the wait for its CPU, the work."""

from collections.abc import Sequence
from math import inf

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

    def note(self, service: RunningService, serving: int) -> None:
        """Work out the latency from now on, write it down, and keep it with the service."""
        location = service.location
        hops, network_s = self._ways.get((serving, location)) or self._way(serving, location)
        processing_s = service.settings.processing_s * service.slow_down
        queueing_s = self._servers[location].queueing_s(processing_s)
        service.latency_s = latency_s = network_s + queueing_s + processing_s
        now_s = self._environment.now
        uav, index = service.uav, service.index
        self._table.extend(((now_s, uav, index, location, hops, network_s, queueing_s, processing_s, latency_s),))

    def _way(self, serving: int, location: int) -> tuple[int, float]:
        nodes = self._topology.path(self._servers[serving].name, self._servers[location].name)
        way = (-1, inf)
        if nodes is not None:
            way = (len(nodes) - 1, 2.0 * (self._access_latency_s + self._topology.latency_s(nodes)))
        self._ways[serving, location] = way
        return way
