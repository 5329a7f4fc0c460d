"""Who is linked to whom, and the way from one server to another."""

from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from scenarios.edge import Network
from sim.topology import Topology, build_topology

SHAPES = ("mesh", "full-mesh", "ring", "tree")


def build(position_m: Any, **settings: Any) -> Topology:
    """Servers 0, 1, 2... at positions (S, 2)."""
    position_m = np.asarray(position_m, dtype=np.float64)
    names = tuple(str(number) for number in range(len(position_m)))
    return build_topology(Network(**settings), names, np.column_stack([position_m, np.zeros(len(names))]))


def row(count: int) -> NDArray[np.float64]:
    return np.column_stack([100.0 * np.arange(count), np.zeros(count)])


def graphml(path: Path, *edges: tuple[str, str, dict[str, object]]) -> Path:
    nx.write_graphml(nx.Graph(list(edges)), path)
    return path


def test_a_mesh_on_a_grid_links_every_server_with_its_four_neighbours() -> None:
    places = list(product(range(5), range(4)))
    topology = build(np.array(places) * 200.0, neighbours=2)
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 4))
    assert {frozenset(map(int, link)) for link in topology.graph.edges} == set(map(frozenset, grid.edges))


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=25, unique=True),
    st.integers(1, 6),
)
def test_a_mesh_is_connected_and_nobody_has_too_few_neighbours(places: list[tuple[int, int]], neighbours: int) -> None:
    graph = build(places, neighbours=neighbours).graph
    assert nx.is_connected(graph)
    assert min(degree for _, degree in graph.degree) >= min(neighbours, len(places) - 1)


def test_a_mesh_joins_two_far_groups_by_their_shortest_link() -> None:
    topology = build([(0, 0), (10, 0), (1000, 0), (1010, 0)], neighbours=1)
    assert set(map(frozenset, topology.graph.edges)) == {frozenset("01"), frozenset("12"), frozenset("23")}


@pytest.mark.parametrize("count", [1, 2, 3, 10])
def test_every_shape_has_the_links_that_its_name_says(count: int) -> None:
    assert build(row(count), topology="full-mesh").graph.size() == count * (count - 1) // 2
    assert build(row(count), topology="ring").graph.size() == (count if count > 2 else count - 1)
    assert build(row(count), topology="tree").graph.size() == count - 1
    for shape in SHAPES:
        graph = build(row(count), topology=shape).graph
        assert graph.number_of_nodes() == count
        assert nx.is_connected(graph)


def test_a_tree_has_as_many_branches_as_asked_for() -> None:
    graph = build(row(13), topology="tree", branches=3).graph
    assert [graph.degree[str(node)] for node in (0, 1, 2, 3, 12)] == [3, 4, 4, 4, 1]


def test_links_have_the_bandwidth_and_latency_of_the_settings() -> None:
    graph = build(row(3), topology="ring", bandwidth_bps=2e9, latency_s=0.001).graph
    assert all(link == {"bandwidth_bps": 2e9, "latency_s": 0.001} for _, _, link in graph.edges(data=True))


def test_a_path_takes_the_fewest_links_and_its_latency_is_their_sum() -> None:
    topology = build(row(6), topology="ring", latency_s=0.002)
    assert topology.path("0", "4") == ("0", "5", "4")
    assert topology.path("3", "3") == ("3",)
    assert topology.latency_s(("0", "5", "4")) == pytest.approx(0.004)
    assert topology.latency_s(("3",)) == 0.0


def test_a_path_goes_round_a_cut_link_and_comes_back() -> None:
    topology = build(row(4), topology="ring")
    assert topology.path("0", "1") == ("0", "1")
    topology.set_link("1", "0", up=False)
    assert topology.path("0", "1") == ("0", "3", "2", "1")
    topology.set_link("2", "3", up=False)
    assert topology.path("0", "1") is None
    assert topology.path("1", "2") == ("1", "2")
    topology.set_link("0", "1", up=True)
    assert topology.path("0", "1") == ("0", "1")


def test_graphml_brings_links_of_its_own_and_the_settings_fill_the_gaps(tmp_path: Path) -> None:
    path = graphml(
        tmp_path / "net.graphml",
        ("0", "switch", {"bandwidth_bps": 5e8, "latency_s": 0.01}),
        ("switch", "1", {"latency_s": 0.02}),
    )
    topology = build(row(2), topology="graphml", path=path, bandwidth_bps=1e9)
    assert topology.path("0", "1") == ("0", "switch", "1")
    assert topology.latency_s(("0", "switch", "1")) == pytest.approx(0.03)
    assert topology.graph.edges["0", "switch"]["bandwidth_bps"] == 5e8
    assert topology.graph.edges["switch", "1"]["bandwidth_bps"] == 1e9


def test_graphml_takes_the_faster_of_two_ways_not_the_shorter(tmp_path: Path) -> None:
    path = graphml(
        tmp_path / "net.graphml",
        ("0", "1", {"latency_s": 0.05}),
        ("0", "2", {"latency_s": 0.01}),
        ("2", "1", {"latency_s": 0.01}),
    )
    assert build(row(3), topology="graphml", path=path).path("0", "1") == ("0", "2", "1")


def test_of_two_ways_as_fast_a_path_takes_the_one_of_fewer_links(tmp_path: Path) -> None:
    path = graphml(
        tmp_path / "net.graphml",
        ("0", "2", {"latency_s": 0.0}),
        ("2", "3", {"latency_s": 0.0}),
        ("3", "1", {"latency_s": 0.01}),
        ("0", "4", {"latency_s": 0.005}),
        ("4", "1", {"latency_s": 0.005}),
    )
    assert build(row(5), topology="graphml", path=path).path("0", "1") == ("0", "4", "1")


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("0", "1", {})], r"no node '2'; every gNB needs a node of its name \(1 missing\)"),
        ([("0", "1", {}), ("2", "3", {})], "not connected"),
        ([("0", "1", {}), ("1", "2", {"bandwidth_bps": 0.0})], "link 1 - 2: bandwidth_bps must be a number from 1"),
        ([("0", "1", {"bandwidth_bps": "fast"}), ("1", "2", {})], "link 0 - 1: bandwidth_bps .* not 'fast'"),
        ([("0", "1", {"bandwidth_bps": float("nan")}), ("1", "2", {})], "link 0 - 1: bandwidth_bps .* not nan"),
        ([("0", "1", {}), ("1", "2", {"latency_s": -0.001})], "link 1 - 2: latency_s must be a number from 0"),
        ([("0", "1", {}), ("1", "2", {"latency_s": float("inf")})], "link 1 - 2: latency_s .* not inf"),
        ([("0", "1", {"latency_s": True}), ("1", "2", {})], "link 0 - 1: latency_s .* not True"),
    ],
)
def test_bad_graphml_is_told(tmp_path: Path, edges: list[tuple[str, str, dict[str, object]]], message: str) -> None:
    path = graphml(tmp_path / "net.graphml", *edges)
    with pytest.raises(ValueError, match=message):
        build(row(3), topology="graphml", path=path)


@pytest.mark.parametrize("text", ["", "not XML", "<graphml", '<?xml version="1.0"?><graphml/>', "<svg/>"])
def test_a_file_that_is_no_graphml_is_told_by_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "net.graphml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"net\.graphml: not readable as GraphML"):
        build(row(2), topology="graphml", path=path)
