"""The key figures of a run: what a safety engineer and a researcher read first."""

from typing import Any

import numpy as np
import polars as pl

from sim.world import World

Figures = dict[str, Any]


def summarise(world: World, tables: dict[str, pl.DataFrame]) -> Figures:
    """Key figures by subject; counts, seconds, metres and shares, None where there is nothing to tell."""
    return {
        "flight": _flight(world, tables["trajectory"]),
        "handovers": _handovers(tables["handovers"]),
        "migrations": _migrations(tables["migrations"]),
        "latency": _latency(tables["latency"], world.duration_s),
        "stopping_distance": _stopping(world, tables["attribution"]),
        "frames": _frames(tables["frames"]),
    }


def _flight(world: World, trajectory: pl.DataFrame) -> Figures:
    figures: Figures = {
        "uavs": len(world.names.uav),
        "cells": len(world.names.cell),
        "services": len(world.names.service),
        "duration_s": world.duration_s,
    }
    if trajectory.is_empty():
        return figures | dict.fromkeys(("distance_m", "mean_reference_error_m", "largest_reference_error_m"))
    length = pl.sum_horizontal(
        pl.col(f"reference_{axis}_m").diff().over("uav") ** 2 for axis in ("east", "north", "up")
    ).sqrt()
    silent = pl.col("mode") != "offboard"
    row = trajectory.select(
        distance_m=length.sum(),
        mean_radial_error_m=pl.col("radial_error_m").mean(),
        largest_radial_error_m=pl.col("radial_error_m").max(),
        mean_reference_error_m=pl.col("reference_error_m").mean(),
        largest_reference_error_m=pl.col("reference_error_m").max(),
        share_without_setpoints=silent.mean(),
        share_in_failsafe=(silent & (pl.col("mode") != "setpoint-held")).mean(),
    )
    return figures | row.row(0, named=True)


def _handovers(handovers: pl.DataFrame) -> Figures:
    changes = handovers.select("cause", "interruption_s").filter(pl.col("cause") != "initial")
    by_cause = changes["cause"].cast(pl.String).value_counts().sort("cause")
    return {
        "count": changes.height,
        "by_cause": dict(by_cause.iter_rows()),
        "interruption_s": _spread(changes["interruption_s"]),
    }


def _migrations(migrations: pl.DataFrame) -> Figures:
    times = [f"{name}_s" for name in ("downtime", "duration", "predicted_downtime", "predicted_duration")]
    done = migrations.select("state", "requested_s", "started_s", *times).filter(pl.col("state") == "completed")
    # A prediction is a bound; a thousandth of a millisecond is the rounding of the clock.
    held = (done["downtime_s"] <= done["predicted_downtime_s"] + 1e-6) & (
        done["duration_s"] <= done["predicted_duration_s"] + 1e-6
    )
    return {
        "count": migrations.height,
        "by_state": _counts(migrations["state"]),
        "by_strategy": _counts(migrations["strategy"]),
        "downtime_s": _spread(done["downtime_s"]),
        "duration_s": _spread(done["duration_s"]),
        "waited_s": _spread(done["started_s"] - done["requested_s"]),
        "transferred_bytes": float(migrations["transferred_bytes"].sum()),
        "share_feasible": _mean(migrations["feasible"]),
        "share_within_bound": _mean(held),
    }


def _latency(latency: pl.DataFrame, end_s: float) -> Figures:
    if latency.is_empty():
        return dict.fromkeys(("mean_s", "largest_s", "mean_hops", "largest_queueing_s", "unreachable_s"))
    # Rows come in the order of time, so a stable sort by service puts each one before its follower.
    service = latency["service"].to_physical().to_numpy()
    order = np.argsort(service, kind="stable")
    time_s = np.minimum(latency["time_s"].to_numpy(), end_s)[order]
    held_s = np.append(time_s[1:], end_s)
    held_s[:-1][service[order][1:] != service[order][:-1]] = end_s
    held_s -= time_s
    latency_s = latency["latency_s"].to_numpy()[order]
    reached = np.isfinite(latency_s)
    weight = held_s[reached].sum()
    mean = {}
    if weight > 0:
        mean["latency_s"] = float(np.dot(latency_s[reached], held_s[reached]) / weight)
        mean["hops"] = float(np.dot(latency["hops"].to_numpy()[order][reached], held_s[reached]) / weight)
    return {
        "mean_s": mean.get("latency_s"),
        "largest_s": float(latency_s[reached].max()) if reached.any() else None,
        "mean_hops": mean.get("hops"),
        "largest_queueing_s": _most(latency["queueing_s"]),
        "unreachable_s": float(held_s[~reached].sum()),
    }


def _stopping(world: World, attribution: pl.DataFrame) -> Figures:
    limit_m = world.scenario.flight.stopping_distance_m
    lines = attribution.filter(pl.col("quantity") == "stopping-distance")
    if lines.is_empty():
        return {"limit_m": limit_m, "longest_m": None, "uav": None, "met": None, "by_cause_m": {}}
    totals = lines.group_by("uav", maintain_order=True).agg(pl.col("metres").sum())
    longest = totals.row(int(np.argmax(totals["metres"].to_numpy())), named=True)
    worst = lines.filter(pl.col("uav") == longest["uav"])
    return {
        "limit_m": limit_m,
        "longest_m": longest["metres"],
        "uav": longest["uav"],
        "met": longest["metres"] <= limit_m,
        "by_cause_m": dict(zip(worst["cause"].cast(pl.String), worst["metres"], strict=True)),
    }


def _frames(frames: pl.DataFrame) -> Figures:
    caught = frames.filter(pl.col("catch_up_s").is_finite())
    return {
        "outages": frames.height,
        "arrived_in_outages": int(frames["arrived"].sum()),
        "lost": int(frames["lost"].sum()),
        "largest_backlog": _most(frames["backlog"]),
        "catch_up_s": _spread(caught["catch_up_s"]),
        "identities_kept": _mean(frames["identities_kept"]),
    }


def _counts(words: pl.Series) -> dict[str, int]:
    counted = words.cast(pl.String).value_counts().sort(words.name)
    return dict(counted.iter_rows())


def _spread(values: pl.Series) -> Figures | None:
    if values.is_empty():
        return None
    return {
        "median": float(np.median(values.to_numpy())),
        "p95": float(np.quantile(values.to_numpy(), 0.95)),
        "largest": float(np.max(values.to_numpy())),
    }


def _mean(values: pl.Series) -> float | None:
    return float(np.mean(values.to_numpy())) if len(values) else None


def _most(values: pl.Series) -> float | int | None:
    return np.max(values.to_numpy()).item() if len(values) else None
