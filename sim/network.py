"""Bandwidth sharing on the links between edge servers.

A fluid model: every transfer is a flow along a path of directed links. Reserved flows run at their reserved rate;
the others share what is left max-min fairly (Bertsekas and Gallager, *Data Networks*, 6.5.2). Rates change only when
a flow starts or ends or a link fails, so the simulation steps from event to event.
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from math import inf
from operator import attrgetter

from simpy import Environment, Event
from simpy.events import EventPriority

# Shares across many links are worked out once for an instant, after everything else that happens at it.
_AFTER_ALL_ELSE = EventPriority(2)
# Less than a bit is left: rounding, not data.
_DONE_BITS = 1e-3
_FINISH_S = attrgetter("finish_s")


class Link:
    """One direction of a link: its capacity in bit/s, what of it is reserved, and the flows on it.

    `crossing` counts those elastic flows whose path has other links too.
    """

    __slots__ = ("capacity_bps", "crossing", "elastic", "name", "reserved", "reserved_bps", "up")

    def __init__(self, name: tuple[str, str], capacity_bps: float) -> None:
        self.name = name
        self.capacity_bps = capacity_bps
        self.reserved_bps = 0.0
        self.up = True
        self.elastic: dict[Flow, None] = {}
        self.crossing = 0
        self.reserved: dict[Flow, None] = {}

    @property
    def unreserved_bps(self) -> float:
        """What elastic flows share and new reservations can take, bit/s."""
        return self.capacity_bps - self.reserved_bps if self.up else 0.0


class Flow:
    """A transfer under way. `done` fires with True when the last bit has arrived, with False if a link failed."""

    __slots__ = (
        "done",
        "elastic",
        "finish_s",
        "links",
        "rate_bps",
        "remaining_bits",
        "total_bits",
        "updated_s",
        "version",
    )

    def __init__(self, links: tuple[Link, ...], bits: float, done: Event, elastic: bool, now_s: float) -> None:
        self.links = links
        self.total_bits = self.remaining_bits = bits
        self.done = done
        self.elastic = elastic
        self.rate_bps = 0.0
        self.finish_s = inf
        self.updated_s = now_s
        self.version = 0

    def sent_bytes(self, now_s: float) -> float:
        """Bytes that have crossed the path until `now_s`."""
        remaining_bits = self.remaining_bits - self.rate_bps * (now_s - self.updated_s)
        return (self.total_bits - max(remaining_bits, 0.0)) / 8


class Reservation:
    """Bandwidth held on every link of a path until it is released."""

    __slots__ = ("bandwidth_bps", "links")

    def __init__(self, links: tuple[Link, ...], bandwidth_bps: float) -> None:
        self.links = links
        self.bandwidth_bps = bandwidth_bps


class Network:
    """The links of a scenario and the flows on them, in the time of a SimPy environment."""

    def __init__(self, environment: Environment, links: Iterable[Link]) -> None:
        self._environment = environment
        self.links = {link.name: link for link in links}
        self._finishes: list[tuple[float, int, int, Flow]] = []
        self._paths: dict[tuple[str, ...], tuple[Link, ...]] = {}
        self._sequence = 0
        self._wake_s = inf
        self._dirty: dict[Link, None] = {}

    def path(self, nodes: tuple[str, ...]) -> tuple[Link, ...]:
        """Directed links along nodes."""
        path = self._paths.get(nodes)
        if path is None:
            path = self._paths[nodes] = tuple(self.links[hop] for hop in pairwise(nodes))
        return path

    def reserve(self, links: tuple[Link, ...], bandwidth_bps: float) -> Reservation | None:
        """Hold `bandwidth_bps` on every link, or return None where one of them cannot give it."""
        if any(link.unreserved_bps < bandwidth_bps * (1 - 1e-12) for link in links):
            return None
        for link in links:
            link.reserved_bps = min(link.reserved_bps + bandwidth_bps, link.capacity_bps)
            self._touch(link)
        return Reservation(links, bandwidth_bps)

    def release(self, reservation: Reservation) -> None:
        """Give the bandwidth of a reservation back."""
        for link in reservation.links:
            link.reserved_bps = max(link.reserved_bps - reservation.bandwidth_bps, 0.0)
            self._touch(link)

    def start(self, links: tuple[Link, ...], volume_bytes: float, reserved_bps: float | None = None) -> Flow:
        """Send `volume_bytes` along `links`, at a rate that the caller has reserved or else at a fair share."""
        now_s = self._environment.now
        flow = Flow(links, volume_bytes * 8, self._environment.event(), reserved_bps is None, now_s)
        if [link for link in links if not link.up]:
            flow.done.succeed(False)
        elif reserved_bps is not None:
            for link in links:
                link.reserved[flow] = None
            _set_rate(flow, reserved_bps, now_s)
            self._expect(flow)
        else:
            crossing = len(links) > 1
            for link in links:
                link.elastic[flow] = None
                link.crossing += crossing
                self._touch(link)
        return flow

    def cancel(self, flow: Flow) -> float:
        """Stop a flow and return the bytes that it has sent."""
        self._stop(flow)
        return flow.sent_bytes(self._environment.now)

    def fail(self, name: tuple[str, str]) -> None:
        """Take a link down: every flow on it ends with False at once."""
        link = self.links[name]
        link.up = False
        for flow in (*link.elastic, *link.reserved):
            self._stop(flow)
            flow.done.succeed(False)

    def repair(self, name: tuple[str, str]) -> None:
        """Bring a link back up."""
        self.links[name].up = True

    def _stop(self, flow: Flow) -> None:
        now_s = self._environment.now
        flow.remaining_bits -= flow.rate_bps * (now_s - flow.updated_s)
        flow.rate_bps, flow.updated_s = 0.0, now_s
        self._remove(flow)

    def _remove(self, flow: Flow) -> None:
        flow.version += 1
        for link in flow.links:
            if flow.elastic:
                if link.elastic.pop(flow, 0) is None:
                    link.crossing -= len(flow.links) > 1
                    self._touch(link)
            else:
                link.reserved.pop(flow, None)

    def _touch(self, link: Link) -> None:
        """Work out the shares on `link` again: at once where that is cheap, else once before time goes on."""
        if not link.crossing:
            self._share_alike(link, self._environment.now)
            return
        if not self._dirty:
            event = Event(self._environment)
            event._ok, event._value = True, None
            event.callbacks = [self._share]
            self._environment.schedule(event, priority=_AFTER_ALL_ELSE)
        self._dirty[link] = None

    def _share(self, _: Event) -> None:
        now_s = self._environment.now
        dirty, self._dirty = self._dirty, {}
        seen: set[Link] = set()
        for link in dirty:
            if not link.crossing:
                self._share_alike(link, now_s)
            elif link not in seen:
                flows, links = _component(link)
                seen.update(links)
                for flow, rate_bps in max_min_fair(flows, links).items():
                    _set_rate(flow, rate_bps, now_s)
                self._expect(min(flows, key=_FINISH_S))

    def _share_alike(self, link: Link, now_s: float) -> None:
        """Nobody on `link` uses another link, as is usual between neighbours: all get the same rate."""
        if link.elastic:
            rate_bps = link.unreserved_bps / len(link.elastic)
            for flow in link.elastic:
                _set_rate(flow, rate_bps, now_s)
            self._expect(min(link.elastic, key=_FINISH_S))

    def _expect(self, flow: Flow) -> None:
        """Look out for the end of `flow`: of those that share links the first, since its end changes all the rates."""
        if flow.finish_s < inf:
            self._sequence += 1
            heappush(self._finishes, (flow.finish_s, self._sequence, flow.version, flow))
            if flow.finish_s < self._wake_s:
                self._wake(flow.finish_s)

    def _wake(self, at_s: float) -> None:
        """Look at `at_s` who has finished."""
        wait_s = max(at_s - self._environment.now, 0.0)
        # The clock's own sum, which can lie a rounding away from at_s: a timer must know itself when it fires.
        self._wake_s = self._environment.now + wait_s
        timeout = self._environment.timeout(wait_s)
        timeout.callbacks.append(self._finish)

    def _finish(self, _: Event) -> None:
        now_s = self._environment.now
        if now_s < self._wake_s:
            return  # a timer that an earlier finish, or a change of rates, has made stale
        finishes = self._finishes
        while finishes:
            finish_s, _sequence, version, flow = finishes[0]
            expected = version == flow.version
            if expected and finish_s > now_s:
                left_bits = flow.remaining_bits - flow.rate_bps * (now_s - flow.updated_s)
                if left_bits > _DONE_BITS:
                    break
            # Taken off first: its end changes the rates of others, and puts them here.
            heappop(finishes)
            if expected:
                flow.remaining_bits = 0.0
                flow.rate_bps = 0.0
                self._remove(flow)
                flow.done.succeed(True)
        self._wake_s = inf
        if finishes:
            self._wake(finishes[0][0])


def _set_rate(flow: Flow, rate_bps: float, now_s: float) -> None:
    if rate_bps != flow.rate_bps:
        flow.remaining_bits -= flow.rate_bps * (now_s - flow.updated_s)
        flow.rate_bps = rate_bps
        flow.updated_s = now_s
        flow.finish_s = now_s + max(flow.remaining_bits, 0.0) / rate_bps if rate_bps > 0.0 else inf
        flow.version += 1


def _component(link: Link) -> tuple[list[Flow], list[Link]]:
    """Flows and links that share bandwidth with `link`, directly or through others, in a stable order."""
    links = {link: None}
    flows: dict[Flow, None] = {}
    pending = [link]
    while pending:
        for flow in pending.pop().elastic:
            if flow not in flows:
                flows[flow] = None
                for other in flow.links:
                    if other not in links:
                        links[other] = None
                        pending.append(other)
    return list(flows), list(links)


def max_min_fair(flows: Sequence[Flow], links: Sequence[Link]) -> dict[Flow, float]:
    """Max-min fair rates in bit/s by progressive filling: the tightest link fixes its flows, again and again."""
    free_bps = {link: link.unreserved_bps for link in links}
    unfixed = {link: len(link.elastic) for link in links}
    rates: dict[Flow, float] = {}
    while len(rates) < len(flows):
        tightest = min((link for link in links if unfixed[link]), key=lambda link: free_bps[link] / unfixed[link])
        share_bps = max(free_bps[tightest] / unfixed[tightest], 0.0)
        for flow in tightest.elastic:
            if flow not in rates:
                rates[flow] = share_bps
                for link in flow.links:
                    free_bps[link] -= share_bps
                    unfixed[link] -= 1
    return rates
