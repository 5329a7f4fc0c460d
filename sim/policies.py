"""Policies: when a service moves, where to and how. Plug-ins bring their own by the entry point `skyhop.policies`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol

from pam.migration import Objective, Strategy
from pam.strategies import check_iterations

ENTRY_POINT_GROUP = "skyhop.policies"


@dataclass(slots=True)
class Situation:
    """What a policy sees of one service when its UAV has changed its cell or the service has arrived somewhere.

    `location` is the server it runs on, `serving` the one beside the UAV's gNB. `next_serving` and `next_handover_s`
    tell what comes next where the flight plan is known (None and infinity otherwise). `latency_s` is the end-to-end
    latency as things stand.
    """

    time_s: float
    service: str
    uav: str
    objective: Objective
    location: str
    serving: str
    next_serving: str | None
    next_handover_s: float
    latency_s: float


@dataclass(frozen=True, slots=True)
class Move:
    """A decision to migrate.

    Without a `strategy` the planner chooses one for `objective` (the service's own if None). With one, that is done,
    with `iterations` dump iterations. `reserve` holds the planned bandwidth. `switch_at_s` asks for Stop&Copy to begin
    at that time, with everything before it done ahead.
    """

    destination: str
    objective: Objective | None = None
    strategy: Strategy | None = None
    iterations: int = 0
    reserve: bool = True
    switch_at_s: float | None = None


class Policy(Protocol):
    """Decides for one service at a time; None leaves it, or keeps it, where it is."""

    def decide(self, situation: Situation) -> Move | None:
        """What to do now."""
        ...


class Never:
    """No migration: the service stays where it started, and its latency grows with the way back to it."""

    def decide(self, situation: Situation) -> Move | None:
        """Stay."""
        return None


class Nearest:
    """Follow the UAV: at every handover to the server beside its new gNB, by a fixed strategy or a planned one."""

    def __init__(
        self,
        objective: Objective | str | None = None,
        strategy: Strategy | str | None = None,
        iterations: int = 0,
        reserve: bool = True,
    ) -> None:
        # Options come from YAML as words; what is no objective or strategy raises ValueError here.
        goal = None if objective is None else Objective(objective)
        fixed = None if strategy is None else Strategy(strategy)
        if fixed is not None:
            check_iterations(fixed, iterations)
        self._template = Move("", goal, fixed, iterations, reserve)
        self._moves: dict[str, Move] = {}

    def decide(self, situation: Situation) -> Move | None:
        """Move to the serving gNB's server."""
        serving = situation.serving
        if serving == situation.location:
            return None
        move = self._moves.get(serving)
        if move is None:
            t = self._template
            move = self._moves[serving] = Move(serving, t.objective, t.strategy, t.iterations, t.reserve)
        return move


class LatencyThreshold:
    """Follow the UAV only when the end-to-end latency is above a threshold in seconds."""

    def __init__(self, threshold_s: float = 0.03, objective: Objective | str | None = None) -> None:
        if not threshold_s >= 0:
            raise ValueError(f"threshold_s must not be negative, but is {threshold_s!r} s")
        self._threshold_s = threshold_s
        self._follow = Nearest(objective)

    def decide(self, situation: Situation) -> Move | None:
        """Move if the way to the service has become too long."""
        return self._follow.decide(situation) if situation.latency_s > self._threshold_s else None


class PathAware:
    """The flight plan is known: send the state ahead, so that Stop&Copy falls at the handover itself."""

    def __init__(self, objective: Objective | str | None = Objective.MINIMIZE_DOWNTIME) -> None:
        self._objective = None if objective is None else Objective(objective)
        # The handover that each service was last sent ahead for: between A and B and A, being at A says nothing.
        self._prepared: dict[str, tuple[str, float]] = {}

    def decide(self, situation: Situation) -> Move | None:
        """Catch up if left behind, else prepare the next hop."""
        here, ahead = situation.location, situation.next_serving
        if here != situation.serving and self._prepared.get(situation.service) != (here, situation.next_handover_s):
            return Move(situation.serving, self._objective)
        if ahead is None or ahead == here:
            return None
        self._prepared[situation.service] = (ahead, situation.next_handover_s)
        return Move(ahead, self._objective, switch_at_s=situation.next_handover_s)


def _nearest_cold() -> Nearest:
    return Nearest(strategy=Strategy.COLD, reserve=False)


def _fixed(strategy: str = "iterative-pre-copy", iterations: int | None = None, reserve: bool = False) -> Nearest:
    if iterations is None:
        iterations = 5 if strategy == Strategy.ITERATIVE_PRE_COPY else 0
    return Nearest(strategy=strategy, iterations=iterations, reserve=reserve)


BUILT_IN: dict[str, Callable[..., Policy]] = {
    "never": Never,
    "nearest-cold": _nearest_cold,
    "fixed": _fixed,
    "mose": Nearest,
    "mose-md": lambda: Nearest(Objective.MINIMIZE_DOWNTIME),
    "mose-mr": lambda: Nearest(Objective.MINIMIZE_RESOURCES),
    "latency-threshold": LatencyThreshold,
    "path-aware": PathAware,
}


def available_policies() -> dict[str, str]:
    """Names of the built-in and the installed policies, each with where it comes from."""
    names = dict.fromkeys(BUILT_IN, "built in")
    names.update({point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)})
    return dict(sorted(names.items()))


def build_policy(name: str, options: Mapping[str, Any]) -> Policy:
    """A policy by its name.

    Raises:
        ValueError: no policy of that name, or options that it does not take.
    """
    factory = BUILT_IN.get(name)
    if factory is None:
        points = entry_points(group=ENTRY_POINT_GROUP, name=name)
        if not points:
            raise ValueError(f"policy.name: no policy {name!r}; there are {', '.join(available_policies())}")
        factory = next(iter(points)).load()
    try:
        return factory(**options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy.options: {name} does not take {dict(options)}: {error}") from error
