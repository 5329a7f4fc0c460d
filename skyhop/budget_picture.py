"""The picture of a stopping budget: the stopping distance over the speed, stacked by contribution."""

from math import isnan

import numpy as np
from matplotlib.figure import Figure

from scenarios.budget import Budget
from skyhop.budget import Assessment, contributions_m, delays_s
from skyhop.units import round_down

# Okabe and Ito's palette, which people with any kind of colour vision can tell apart.
_LAYERS = {
    "braking": ("#0072B2", ("braking", "braking: limited jerk")),
    "sensing, network, queueing": (
        "#56B4E9",
        ("video", "processing", "network", "queueing", "actuation"),
    ),
    "handover interruption": ("#CC79A7", ("handover interruption",)),
    "downtime: COAT": ("#009E73", ("downtime: COAT",)),
    "downtime: dump": ("#F0E442", ("downtime: dump",)),
    "downtime: restore": ("#E69F00", ("downtime: restore",)),
    "downtime: transfer": ("#D55E00", ("downtime: transfer",)),
}


def draw(budget: Budget, assessment: Assessment) -> Figure:
    """Draw the stopping distance in m over the air speed in m/s, with D*, the chosen and the largest safe speed."""
    chosen_mps, safe_mps = budget.vehicle.speed_mps, assessment.largest_safe_speed_mps
    threshold_m = assessment.threshold_m
    farthest_mps = 1.3 * max(chosen_mps, 0.0 if isnan(safe_mps) else safe_mps, 1.0)
    speeds = np.linspace(0.0, farthest_mps, 400)
    metres = contributions_m(budget, delays_s(budget), speeds)
    shown = {
        label: (colour, sum((metres[name] for name in names), np.zeros_like(speeds)))
        for label, (colour, names) in _LAYERS.items()
    }
    shown = {label: layer for label, layer in shown.items() if layer[1].any()}

    figure = Figure(figsize=(9.5, 5.0), layout="constrained")
    axes = figure.add_subplot()
    axes.stackplot(
        speeds,
        *(layer for _, layer in shown.values()),
        labels=list(shown),
        colors=[colour for colour, _ in shown.values()],
        edgecolor="white",
        linewidth=0.4,
    )
    total = sum(metres.values(), np.zeros_like(speeds))
    wind_mps = budget.vehicle.tail_wind_mps
    if wind_mps:
        kind = f"{'tail' if wind_mps > 0 else 'head'} wind of {abs(wind_mps):g} m/s"
        axes.fill_between(
            speeds, total - metres["wind"], total, facecolor="none", edgecolor="0.4", hatch="///", label=kind
        )
    axes.plot(speeds, total, color="black", linewidth=1.5, label="stopping distance")
    axes.axhline(threshold_m, color="black", linestyle="--", label=f"D* = {threshold_m:g} m")
    axes.plot(
        chosen_mps,
        assessment.stopping_distance_m,
        "o",
        color="black",
        markersize=8,
        label=f"chosen: {chosen_mps:g} m/s, {assessment.stopping_distance_m:.1f} m",
    )
    if not isnan(safe_mps):
        axes.axvline(safe_mps, color="black", linestyle=":", label=f"largest safe speed: {round_down(safe_mps, 2)} m/s")
    axes.set(
        xlabel="air speed (m/s)",
        ylabel="stopping distance (m)",
        xlim=(0.0, farthest_mps),
        ylim=(0.0, 1.15 * max(threshold_m, float(total[-1]))),
        title=f"{budget.name}: D* is {'met' if assessment.met else 'not met'}, margin {assessment.margin_m:.1f} m",
    )
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside right upper", fontsize="small")
    return figure
