"""Links shared max-min fairly, by the definition and by finishing times worked by hand."""

from collections.abc import Callable, Generator
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from simpy import Environment, Event

from sim.network import Flow, Link, Network, Reservation

MEGABYTE = 1e6
MEGABYTE_PER_S = 8e6

HOPS = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("b", "a")]
PATHS = st.lists(st.sampled_from(HOPS), min_size=1, max_size=4, unique=True)
MEGABYTES = st.floats(0.01, 100)


def network_of(**capacity_megabytes_per_s: float) -> tuple[Environment, Network]:
    """Links named by two letters, such as ab."""
    environment = Environment()
    links = [Link((name[0], name[1]), rate * MEGABYTE_PER_S) for name, rate in capacity_megabytes_per_s.items()]
    return environment, Network(environment, links)


def at(environment: Environment, time_s: float, action: Callable[[], object]) -> None:
    def wait() -> Generator[Event, Any, None]:
        yield environment.timeout(time_s - environment.now)
        action()

    environment.process(wait())


def ends(environment: Environment, *flows: Flow) -> tuple[list[float], list[bool]]:
    """Run everything; when each flow ended, and whether it arrived."""
    found_s: dict[Event, float] = {}

    def note(event: Event) -> None:
        found_s[event] = environment.now

    for flow in flows:
        flow.done.callbacks.append(note)
    environment.run()
    return [found_s[flow.done] for flow in flows], [bool(flow.done.value) for flow in flows]


def assert_max_min_fair(network: Network) -> None:
    """No link gives more than it has; each elastic flow has a bottleneck: a full link on which none is faster."""
    for link in network.links.values():
        used_bps = sum(flow.rate_bps for flow in (*link.elastic, *link.reserved))
        assert used_bps <= link.capacity_bps * (1 + 1e-9)
        for flow in link.elastic:
            assert any(
                sum(other.rate_bps for other in hop.elastic) == pytest.approx(hop.unreserved_bps)
                and flow.rate_bps >= max(other.rate_bps for other in hop.elastic) * (1 - 1e-9)
                for hop in flow.links
            )


def assert_empty(network: Network) -> None:
    for link in network.links.values():
        assert not link.elastic
        assert not link.reserved
        assert link.crossing == 0
        assert link.reserved_bps == pytest.approx(0.0, abs=1e-3)


@given(st.lists(st.floats(1, 1000), min_size=5, max_size=5), st.lists(PATHS, min_size=1, max_size=12), st.data())
def test_every_elastic_flow_has_a_bottleneck(
    capacities: list[float], paths: list[list[tuple[str, str]]], data: st.DataObject
) -> None:
    environment = Environment()
    network = Network(environment, [Link(hop, rate * 1e6) for hop, rate in zip(HOPS, capacities, strict=True)])
    for link in network.links.values():
        assert network.reserve((link,), data.draw(st.floats(0, 0.9)) * link.capacity_bps)
    flows = [network.start(tuple(network.links[hop] for hop in path), 1e15) for path in paths]
    environment.run(until=1.0)
    assert_max_min_fair(network)
    leaver = data.draw(st.sampled_from(flows))
    network.cancel(leaver)
    environment.run(until=2.0)
    assert_max_min_fair(network)
    assert all(flow.sent_bytes(2.0) > 0.0 for flow in flows)


def test_two_flows_share_a_link_while_both_are_there() -> None:
    environment, network = network_of(ab=1)
    path = network.path(("a", "b"))
    first = network.start(path, 3 * MEGABYTE)
    second: list[Flow] = []
    at(environment, 1.0, lambda: second.append(network.start(path, 1 * MEGABYTE)))
    environment.run(until=1.5)
    assert first.sent_bytes(1.5) == pytest.approx(1.25 * MEGABYTE)
    assert second[0].sent_bytes(1.5) == pytest.approx(0.25 * MEGABYTE)
    times_s, _ = ends(environment, first, *second)
    assert times_s == pytest.approx([4.0, 3.0])


def test_a_flow_takes_what_a_bottleneck_elsewhere_leaves_it() -> None:
    environment, network = network_of(ab=1, bc=2)
    both = network.start(network.path(("a", "b", "c")), 1 * MEGABYTE)
    slow = network.start(network.path(("a", "b")), 2 * MEGABYTE)
    fast = network.start(network.path(("b", "c")), 6 * MEGABYTE)
    # 0.5, 0.5 and 1.5 MB/s until the first is through after 2 s; then 1 and 2 MB/s.
    times_s, arrived = ends(environment, both, slow, fast)
    assert arrived == [True, True, True]
    assert times_s == pytest.approx([2.0, 3.0, 3.5])


def test_the_two_directions_of_a_link_do_not_share() -> None:
    environment, network = network_of(ab=1, ba=1)
    there = network.start(network.path(("a", "b")), MEGABYTE)
    back = network.start(network.path(("b", "a")), MEGABYTE)
    times_s, _ = ends(environment, there, back)
    assert times_s == pytest.approx([1.0, 1.0])


@given(st.lists(st.tuples(st.floats(0, 10), MEGABYTES), min_size=1, max_size=8))
def test_a_link_is_never_idle_while_there_is_something_to_send(arrivals: list[tuple[float, float]]) -> None:
    environment, network = network_of(ab=3)
    flows: list[Flow] = []
    ended_s: list[float] = []

    def send(megabytes: float) -> None:
        flows.append(network.start(network.path(("a", "b")), megabytes * MEGABYTE))
        flows[-1].done.callbacks.append(lambda _: ended_s.append(environment.now))

    busy_until_s = 0.0
    for start_s, megabytes in sorted(arrivals):
        at(environment, start_s, partial(send, megabytes))
        busy_until_s = max(busy_until_s, start_s) + megabytes / 3
    environment.run()
    assert len(ended_s) == len(arrivals)
    assert ended_s[-1] == pytest.approx(busy_until_s)
    assert [flow.sent_bytes(environment.now) for flow in flows] == [flow.total_bits / 8 for flow in flows]
    assert_empty(network)


@given(st.lists(st.tuples(st.floats(0, 3), MEGABYTES), max_size=6))
def test_a_reserved_flow_keeps_its_rate_whoever_joins(others: list[tuple[float, float]]) -> None:
    environment, network = network_of(ab=1)
    path = network.path(("a", "b"))
    assert network.reserve(path, 0.75 * MEGABYTE_PER_S)
    flow = network.start(path, 3 * MEGABYTE, 0.75 * MEGABYTE_PER_S)
    for start_s, megabytes in others:
        at(environment, start_s, partial(network.start, path, megabytes * MEGABYTE))
    times_s, _ = ends(environment, flow)
    assert times_s == pytest.approx([4.0])


def test_elastic_flows_share_what_is_not_reserved_and_get_it_back() -> None:
    environment, network = network_of(ab=1)
    path = network.path(("a", "b"))
    reservation = network.reserve(path, 0.5 * MEGABYTE_PER_S)
    assert reservation
    flows = [network.start(path, 2 * MEGABYTE) for _ in range(2)]
    at(environment, 4.0, lambda: network.release(reservation))
    # 0.25 MB/s each for 4 s, then 0.5 MB/s each for the second half.
    times_s, _ = ends(environment, *flows)
    assert times_s == pytest.approx([6.0, 6.0])


def test_a_flow_waits_while_everything_is_reserved() -> None:
    environment, network = network_of(ab=1)
    path = network.path(("a", "b"))
    reservation = network.reserve(path, MEGABYTE_PER_S)
    assert reservation
    flow = network.start(path, MEGABYTE)
    at(environment, 5.0, lambda: network.release(reservation))
    times_s, _ = ends(environment, flow)
    assert times_s == pytest.approx([6.0])


def test_a_reservation_is_held_on_every_link_or_on_none() -> None:
    _, network = network_of(ab=2, bc=1)
    assert network.reserve(network.path(("b", "c")), 0.7 * MEGABYTE_PER_S)
    assert network.reserve(network.path(("a", "b", "c")), 0.4 * MEGABYTE_PER_S) is None
    assert network.links["a", "b"].reserved_bps == 0.0
    assert network.reserve(network.path(("a", "b", "c")), 0.3 * MEGABYTE_PER_S)
    assert network.links["a", "b"].unreserved_bps == pytest.approx(1.7 * MEGABYTE_PER_S)
    assert network.links["b", "c"].unreserved_bps == pytest.approx(0.0)


@pytest.mark.parametrize("reserved", [False, True])
def test_a_link_that_fails_ends_its_flows_at_once(reserved: bool) -> None:
    environment, network = network_of(ab=1, bc=1)
    path = network.path(("a", "b", "c"))
    rate_bps = 0.5 * MEGABYTE_PER_S
    if reserved:
        assert network.reserve(path, rate_bps)
    flow = network.start(path, 3 * MEGABYTE, rate_bps if reserved else None)
    other = network.start(network.path(("b", "c")), 3 * MEGABYTE)
    at(environment, 2.0, lambda: network.fail(("a", "b")))
    times_s, arrived = ends(environment, flow, other)
    assert arrived == [False, True]
    # Both had 0.5 MB/s; the other one has the link to itself afterwards, unless half of it is still reserved.
    assert flow.sent_bytes(environment.now) == pytest.approx(1 * MEGABYTE)
    assert times_s == pytest.approx([2.0, 6.0 if reserved else 4.0])


def test_a_link_that_is_down_takes_nothing_and_a_repaired_one_works_again() -> None:
    environment, network = network_of(ab=1)
    path = network.path(("a", "b"))
    network.fail(("a", "b"))
    assert network.reserve(path, 1.0) is None
    flow = network.start(path, MEGABYTE)
    assert ends(environment, flow) == ([0.0], [False])
    assert flow.sent_bytes(0.0) == 0.0
    network.repair(("a", "b"))
    times_s, arrived = ends(environment, network.start(path, MEGABYTE))
    assert times_s == pytest.approx([1.0])
    assert arrived == [True]


def test_a_cancelled_flow_frees_its_bandwidth() -> None:
    environment, network = network_of(ab=1)
    path = network.path(("a", "b"))
    flow, other = network.start(path, 5 * MEGABYTE), network.start(path, 3 * MEGABYTE)
    sent_bytes: list[float] = []
    at(environment, 2.0, lambda: sent_bytes.append(network.cancel(flow)))
    times_s, _ = ends(environment, other)
    assert times_s == pytest.approx([4.0])
    assert sent_bytes == [pytest.approx(1 * MEGABYTE)]
    assert flow.sent_bytes(environment.now) == sent_bytes[0]
    assert not flow.done.triggered


STORM = st.lists(
    st.tuples(
        st.floats(0.001, 2),
        st.sampled_from(["send", "send", "send", "reserve", "cancel", "fail", "repair"]),
        PATHS,
        MEGABYTES,
    ),
    max_size=40,
)


@given(STORM, st.randoms(use_true_random=False))
def test_a_storm_leaves_nothing_behind(
    storm: list[tuple[float, str, list[tuple[str, str]], float]], pick: Random
) -> None:
    environment = Environment()
    network = Network(environment, [Link(hop, (number + 1) * 1e7) for number, hop in enumerate(HOPS)])
    alive: dict[Flow, Reservation | None] = {}
    volumes: dict[Flow, float] = {}

    def gone(flow: Flow) -> None:
        reservation = alive.pop(flow)
        if reservation:
            network.release(reservation)

    def begin(links: tuple[Link, ...], volume_bytes: float, reserve_bps: float | None) -> None:
        reservation = network.reserve(links, reserve_bps) if reserve_bps else None
        flow = network.start(links, volume_bytes, reserve_bps if reservation else None)
        alive[flow] = reservation
        volumes[flow] = volume_bytes
        flow.done.callbacks.append(lambda _: gone(flow))

    def rage() -> Generator[Event, Any, None]:
        for wait_s, what, hops, megabytes in storm:
            links = tuple(network.links[hop] for hop in hops)
            if what in ("send", "reserve"):
                begin(links, megabytes * 1e6, megabytes * 1e5 if what == "reserve" else None)
            elif what == "cancel" and (going := [flow for flow in alive if not flow.done.triggered]):
                flow = pick.choice(going)
                network.cancel(flow)
                gone(flow)
            elif what == "fail":
                network.fail(hops[0])
            elif what == "repair":
                network.repair(hops[0])
            yield environment.timeout(wait_s)
            assert_max_min_fair(network)
            for link in network.links.values():
                crossed = sum(flow.sent_bytes(environment.now) for flow in volumes if link in flow.links)
                assert crossed * 8 <= link.capacity_bps * environment.now * (1 + 1e-9)

    environment.run(environment.process(rage()))
    environment.run()
    assert not alive
    assert_empty(network)
    for flow, volume_bytes in volumes.items():
        if flow.done.triggered and flow.done.value:
            assert flow.sent_bytes(environment.now) == pytest.approx(volume_bytes)
        else:
            assert flow.sent_bytes(environment.now) <= volume_bytes
