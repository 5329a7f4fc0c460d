"""Which edge servers are linked, and the way from one to another."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from scenarios.edge import Network as NetworkSettings


class Topology:
    """A graph of edge servers with the capacity and latency of its links; links can fail and come back."""

    def __init__(self, graph: "nx.Graph[str]") -> None:
        self.graph = graph
        self._paths: dict[tuple[str, str], tuple[str, ...]] = {}

    def path(self, source: str, destination: str) -> tuple[str, ...] | None:
        """Nodes of the path of least latency from source to destination, None where there is none."""
        path = self._paths.get((source, destination))
        if path is None and (source, source) not in self._paths:
            found = nx.single_source_dijkstra_path(self.graph, source, weight=_latency_and_hop)
            self._paths.update(((source, node), tuple(nodes)) for node, nodes in found.items())
            path = self._paths.get((source, destination))
        return path

    def latency_s(self, nodes: Sequence[str]) -> float:
        """One-way latency along a path."""
        return sum(float(self.graph.edges[hop]["latency_s"]) for hop in pairwise(nodes))

    def set_link(self, first: str, second: str, *, up: bool) -> None:
        """Cut a link or bring it back; paths go round a cut link."""
        self.graph.edges[first, second]["up"] = up
        self._paths.clear()


def _latency_and_hop(_first: str, _second: str, link: dict[str, float]) -> float | None:
    # A hop counts a little in itself, so that links without latency do not make every detour as good as the direct way.
    return link["latency_s"] + 1e-6 if link.get("up", True) else None


def build_topology(settings: NetworkSettings, names: tuple[str, ...], position_m: NDArray[np.float64]) -> Topology:
    """Topology of a scenario over servers `names` at `position_m` (S, 3).

    Raises:
        ValueError: GraphML that is unreadable, lacks a server, is not connected or carries bad link values; the
            failure of a link that is not there.
    """
    graph: nx.Graph[str] = nx.Graph()
    if settings.topology == "graphml":
        assert settings.path is not None  # noqa: S101  (the schema asks for it)
        graph = _from_graphml(settings.path, names)
    else:
        pairs = {"mesh": _mesh, "full-mesh": _full_mesh, "ring": _ring, "tree": _tree}[settings.topology]
        graph.add_nodes_from(names)
        graph.add_edges_from((names[i], names[j]) for i, j in pairs(settings, position_m))
    for first, second, link in graph.edges(data=True):
        for key, default, least in (
            ("bandwidth_bps", settings.bandwidth_bps, 1.0),
            ("latency_s", settings.latency_s, 0),
        ):
            value = link.setdefault(key, default)
            if type(value) not in (int, float) or not least <= value < float("inf"):
                raise ValueError(
                    f"network: link {first} - {second}: {key} must be a number from {least}, not {value!r}"
                )
    for first, second in (failure.between for failure in settings.failures):
        if not graph.has_edge(first, second):
            raise ValueError(f"network.failures: no link between {first!r} and {second!r}")
    return Topology(graph)


Pairs = list[tuple[int, int]]


def _mesh(settings: NetworkSettings, position_m: NDArray[np.float64]) -> Pairs:
    """Every server with its nearest neighbours, and the shortest links that join what is left apart."""
    apart_m = position_m[:, None, :2] - position_m[None, :, :2]
    distance_m = np.sqrt((apart_m**2).sum(axis=2))
    every = nx.Graph((i, j, {"weight": distance_m[i, j]}) for i, j in _full_mesh(settings, position_m))
    pairs = {(min(i, j), max(i, j)) for i, j in nx.minimum_spanning_edges(every, data=False)}
    # Neighbours at the same distance as the last one count too, so that a regular grid gives a regular mesh.
    count = min(settings.neighbours, len(position_m) - 1)
    if count:
        reach_m = np.sort(distance_m, axis=1)[:, count] * (1 + 1e-9)
        near = np.argwhere((distance_m <= reach_m[:, None]) & ~np.eye(len(position_m), dtype=bool))
        pairs |= {(int(min(i, j)), int(max(i, j))) for i, j in near}
    return sorted(pairs)


def _full_mesh(_settings: NetworkSettings, position_m: NDArray[np.float64]) -> Pairs:
    return [(i, j) for i in range(len(position_m)) for j in range(i)]


def _ring(_settings: NetworkSettings, position_m: NDArray[np.float64]) -> Pairs:
    count = len(position_m)
    return [(i, (i + 1) % count) for i in range(count if count > 2 else count - 1)]


def _tree(settings: NetworkSettings, position_m: NDArray[np.float64]) -> Pairs:
    return [((i - 1) // settings.branches, i) for i in range(1, len(position_m))]


def _from_graphml(path: Path, names: tuple[str, ...]) -> "nx.Graph[str]":
    try:
        graph: nx.Graph[str] = nx.Graph(nx.read_graphml(path))
    except Exception as error:  # the reader raises whatever its XML parser does
        raise ValueError(f"{path}: not readable as GraphML: {error}") from error
    missing = [name for name in names if name not in graph]
    if missing:
        raise ValueError(f"{path}: no node {missing[0]!r}; every gNB needs a node of its name ({len(missing)} missing)")
    if not nx.is_connected(graph):
        raise ValueError(f"{path}: the graph is not connected")
    return graph
