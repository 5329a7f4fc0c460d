"""Runs side by side: their key figures, their scenarios, and what was predicted against what happened.

A run is whatever has the tables of `sim.tables` and a summary: simulated or measured.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sim.figures import align, unit_of
from sim.run import Run

TRUTH = "yes/no"
"""Unit of a figure that is true (1) or false (0)."""

_PAIRS = {
    "downtime": ("predicted_downtime_s", "downtime_s"),
    "duration": ("predicted_duration_s", "duration_s"),
}


def compare_figures(runs: Mapping[str, Run]) -> pl.DataFrame:
    """Key figures, one a row: `figure`, `unit`, a column for each run by its name, null where a run has none.

    A column "<name> - <first name> (%)" for every further run holds the difference to the first run in percent of it;
    null where the first is zero or either is missing, and for truth values.
    """
    aligned = align([run.summary for run in runs.values()])
    # Words, such as the name of the UAV with the longest stopping distance, are no figures to be compared.
    figures = {name: row for name, row in aligned.items() if not any(isinstance(value, str) for value in row)}
    truths = {name for name, row in figures.items() if any(isinstance(value, bool) for value in row)}
    columns: dict[str, list[Any]] = {
        "figure": list(figures),
        "unit": [TRUTH if name in truths else unit_of(name) for name in figures],
    }
    values = {run: [_number(row[place]) for row in figures.values()] for place, run in enumerate(runs)}
    first, *others = runs
    columns |= values
    for other in others:
        columns[f"{other} - {first} (%)"] = [
            None if name in truths else _difference_percent(before, after)
            for name, before, after in zip(figures, values[first], values[other], strict=True)
        ]
    texts = {"figure": pl.String, "unit": pl.String}
    return pl.DataFrame(columns, schema={name: texts.get(name, pl.Float64) for name in columns})


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _difference_percent(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or before == 0.0:
        return None
    return 100.0 * (after - before) / abs(before)


def compare_scenarios(runs: Mapping[str, Run]) -> pl.DataFrame:
    """The fields in which the scenarios differ: `field`, and a column of JSON for each run, null where it has none."""
    flat = {name: dict(_fields(run.scenario.model_dump(mode="json"), "")) for name, run in runs.items()}
    fields = dict.fromkeys(field for values in flat.values() for field in values)
    differing = [field for field in fields if len({values.get(field) for values in flat.values()}) > 1]
    columns = {"field": differing} | {name: [values.get(field) for field in differing] for name, values in flat.items()}
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _fields(node: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(node, dict) and node:
        return [leaf for key, value in node.items() for leaf in _fields(value, f"{path}.{key}" if path else key)]
    if isinstance(node, list) and any(isinstance(value, dict) for value in node):
        return [leaf for place, value in enumerate(node) for leaf in _fields(value, f"{path}[{place}]")]
    return [(path, json.dumps(node, ensure_ascii=False))]


def compare_predictions(runs: Mapping[str, Run]) -> pl.DataFrame:
    """Predicted against observed, by strategy and run: medians over the completed migrations, in seconds.

    `downtime_ratio` and `duration_ratio` are the medians of observed over predicted, migration by migration;
    `share_within_prediction` is the share that kept both bounds.
    """
    tables = [_predictions(name, run.migrations) for name, run in runs.items()]
    # Strategies are an enumeration of the schema; as text they sort by name.
    return pl.concat(tables).sort("strategy", maintain_order=True)


def _predictions(name: str, migrations: pl.DataFrame) -> pl.DataFrame:
    done = migrations.filter(pl.col("state") == "completed").with_columns(pl.col("strategy").cast(pl.String))
    columns = [pl.len().cast(pl.Int64).alias("migrations")]
    for what, (predicted, observed) in _PAIRS.items():
        columns += [
            pl.col(predicted).median(),
            pl.col(observed).median(),
            (pl.col(observed) / pl.col(predicted)).median().alias(f"{what}_ratio"),
        ]
    # A microsecond is the rounding of the clock, as in the key figures of a run.
    kept = [pl.col(observed) <= pl.col(predicted) + 1e-6 for predicted, observed in _PAIRS.values()]
    columns.append(pl.all_horizontal(kept).mean().alias("share_within_prediction"))
    table = done.group_by("strategy", maintain_order=True).agg(columns)
    return table.select("strategy", pl.lit(name).alias("run"), pl.exclude("strategy"))


def largest_error(run: Run) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times in s and, at each, the largest distance in m of any UAV from where its plan was to be."""
    worst = run.trajectory.group_by("time_s").agg(pl.col("reference_error_m").max()).sort("time_s")
    return worst["time_s"].to_numpy(), worst["reference_error_m"].to_numpy()
