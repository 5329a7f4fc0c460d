"""The stopping budget: what every latency and the braking cost in metres, and what the safety threshold leaves.

Source: PAM paper, Sec. VIII-B: eqs. 35 and 36 with the downtime of eqs. 29-31, and eq. 37 turned round. Beyond the
paper: more latencies, wind, and braking with a limited jerk (see `uav.stopping`).
"""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pam import TABLE_III, PamParameters, Phase, Strategy, cost, least_bandwidth, worst_case_steps
from scenarios.budget import Budget
from uav import (
    Latencies,
    Vehicle,
    braking_distance_m,
    largest_downtime_s,
    largest_safe_speed_mps,
    reaction_distance_m,
    stopping_distance_m,
)
from uav.stopping import jerk_delay_s

# Keeps the last digit of a speed or a bandwidth from missing the threshold that it was derived from.
_JUST_WITHIN = 1.0 - 1e-9

_PARTS_OF_DOWNTIME = {
    "downtime: dump": (Phase.DUMP,),
    "downtime: transfer": (Phase.TRANSFER,),
    "downtime: COAT": (Phase.NAMESPACE_CLEAR, Phase.NAMESPACE_CONFIGURE, Phase.FLOW_UPDATE),
    "downtime: restore": (Phase.RESTORE,),
}


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """One contribution to the stopping distance; `duration_s` is NaN for braking and wind, which have none."""

    name: str
    duration_s: float
    distance_m: float


@dataclass(frozen=True, slots=True)
class Assessment:
    """A budget worked out; the metres of `lines` add up to `stopping_distance_m`.

    `largest_safe_speed_mps` is an air speed, NaN if none is safe. `largest_downtime_s` is infinite at rest and NaN if
    not even no downtime is tolerable. `least_bandwidth_bps` (PAM eqs. 33 and 37) is infinite if none is enough.
    """

    lines: tuple[BudgetLine, ...]
    stopping_distance_m: float
    threshold_m: float
    downtime_s: float
    largest_safe_speed_mps: float
    largest_downtime_s: float
    least_bandwidth_bps: float

    @property
    def margin_m(self) -> float:
        """What the threshold D* leaves, in metres; negative where it is exceeded."""
        return self.threshold_m - self.stopping_distance_m

    @property
    def met(self) -> bool:
        """Whether the stopping distance keeps within D*."""
        return self.margin_m >= 0.0


def assess(budget: Budget) -> Assessment:
    """Hold `budget` against its threshold. Raises ValueError if the file of PAM parameters holds no set."""
    durations_s = delays_s(budget)
    downtime_s = sum(durations_s[name] for name in _PARTS_OF_DOWNTIME)
    total_s = sum(durations_s.values())
    vehicle, speed_mps = vehicle_of(budget), budget.vehicle.speed_mps
    wind_mps, braking = budget.vehicle.tail_wind_mps, budget.vehicle.braking
    within_m = budget.stopping_distance_m * _JUST_WITHIN
    most_s = largest_downtime_s(
        within_m, speed_mps, total_s - downtime_s, vehicle, tail_wind_mps=wind_mps, braking=braking
    )
    safe_mps = largest_safe_speed_mps(within_m, total_s, vehicle, tail_wind_mps=wind_mps, braking=braking)
    metres = contributions_m(budget, durations_s, speed_mps)
    return Assessment(
        lines=tuple(BudgetLine(name, durations_s.get(name, nan), float(each)) for name, each in metres.items()),
        stopping_distance_m=float(
            stopping_distance_m(speed_mps, total_s, vehicle, tail_wind_mps=wind_mps, braking=braking)
        ),
        threshold_m=budget.stopping_distance_m,
        downtime_s=downtime_s,
        largest_safe_speed_mps=float(safe_mps),
        largest_downtime_s=float(most_s),
        least_bandwidth_bps=_least_bandwidth_bps(budget, float(most_s)),
    )


def vehicle_of(budget: Budget) -> Vehicle:
    """The vehicle of the budget as `uav` knows it."""
    settings = budget.vehicle
    return Vehicle(mass_kg=settings.mass_kg, brake_force_n=settings.brake_force_n, jerk_mps3=settings.jerk_mps3)


def delays_s(budget: Budget) -> dict[str, float]:
    """What passes before the vehicle begins to brake, in s by name: the downtime in its parts, then the rest."""
    service, link = budget.service, budget.link
    strategy = Strategy(service.strategy)
    steps = worst_case_steps(
        strategy, service.state_bytes, service.dirty_page_rate, 0, _parameters(budget), service.connection_kept
    )
    latencies = Latencies(
        video_s=service.video_latency_s,
        processing_s=service.processing_s,
        queueing_s=service.queueing_s,
        network_s=link.network_latency_s,
        handover_interruption_s=link.handover_interruption_s,
        actuation_s=budget.vehicle.actuation_s,
    )
    downtime = {
        name: cost(tuple(step for step in steps if step.service_down and step.phase in phases), link.bandwidth_bps)[0]
        for name, phases in _PARTS_OF_DOWNTIME.items()
    }
    others = {name.replace("_", " "): each for name, each in latencies.items_s() if name != "downtime"}
    return downtime | others


def contributions_m(
    budget: Budget, durations_s: dict[str, float], speed_mps: ArrayLike
) -> dict[str, NDArray[np.float64]]:
    """What each delay, the braking, its limited jerk and the wind contribute at every air speed, in metres.

    All but the wind in still air; the wind is the difference that it makes, negative for a head wind.
    """
    vehicle, settings = vehicle_of(budget), budget.vehicle
    total_s = sum(durations_s.values())
    still_m = stopping_distance_m(speed_mps, total_s, vehicle, braking=settings.braking)
    windy_m = stopping_distance_m(
        speed_mps, total_s, vehicle, tail_wind_mps=settings.tail_wind_mps, braking=settings.braking
    )
    return {name: reaction_distance_m(speed_mps, each) for name, each in durations_s.items()} | {
        "braking": braking_distance_m(speed_mps, settings.mass_kg, settings.brake_force_n),
        "braking: limited jerk": reaction_distance_m(speed_mps, jerk_delay_s(vehicle, settings.braking)),
        "wind": windy_m - still_m,
    }


def _parameters(budget: Budget) -> PamParameters:
    path = budget.service.parameters
    return TABLE_III if path is None else PamParameters.from_toml(path)


def _least_bandwidth_bps(budget: Budget, most_downtime_s: float) -> float:
    """Eq. 33 on the largest tolerable downtime, which makes it eq. 37; a cold migration is one at r = 1."""
    service = budget.service
    rate = 1.0 if service.strategy == "cold" else service.dirty_page_rate
    parameters = _parameters(budget)
    return float(least_bandwidth(service.state_bytes, rate, most_downtime_s, parameters, coat=service.connection_kept))
