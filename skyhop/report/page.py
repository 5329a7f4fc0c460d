"""The page itself: what it says in which order."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from sim.run import Run
from sim.tables import SCHEMA
from skyhop.report.budget import draw_errors, draw_stopping, say_errors, say_stopping
from skyhop.report.fleet import draw_fleet, say_fleet, worst_rows
from skyhop.report.map import draw_map, say_map
from skyhop.report.predictions import draw_predictions, held, say_predictions
from skyhop.report.style import strategy_words, svg
from skyhop.report.subject import Subject, subject_of
from skyhop.report.timelines import closest_look, draw_timelines, say_timelines
from skyhop.summary import summary_rows
from skyhop.units import BANDWIDTH, BYTES, METRES, SECONDS

MOST_MIGRATIONS = 200
"""Rows of the table of migrations; of more, the worst are shown."""

_TABLES = {
    "migrations": "every migration: plan, prediction, outcome",
    "phases": "every phase of every migration",
    "handovers": "every change of cell",
    "latency": "end-to-end latency of every service, whenever it changes",
    "trajectory": "where every UAV was to be and was",
    "frames": "what every outage did to the frames of a tracker",
    "attribution": "what each metre came from",
    "cells": "where the cells are",
}
_DOCUMENTS = {
    "manifest.json": "scenario hash, seed, versions",
    "summary.json": "the key figures",
    "scenario.json": "the scenario as it was run",
    "flight.mcap": "positions, cells, services and events, for Foxglove",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A figure with its title and the one sentence that says what is to be seen."""

    title: str
    says: str
    figure: Markup


def write_report(run: Run, directory: Path) -> Path:
    """Write `report.html` into `directory`; the same run gives the same bytes."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {
        "seconds": _or_dash(SECONDS.show),
        "metres": _or_dash(METRES.show),
        "bytes": _or_dash(BYTES.show),
        "bandwidth": _or_dash(BANDWIDTH.show),
        "strategy": strategy_words,
    }
    template = environment.from_string(files("skyhop.report").joinpath("template.html.j2").read_text(encoding="utf-8"))
    subject = subject_of(run)
    migrations = _worst_migrations(run.migrations)
    page = template.render(
        scenario=run.scenario,
        flight=run.summary["flight"],
        stopping=run.summary["stopping_distance"],
        figures=_grouped(summary_rows(run.summary)),
        sections=list(_sections(run, subject)) if subject else [],
        worst_uavs=worst_rows(run) if run.summary["flight"]["uavs"] > 1 else [],
        migrations=migrations.rows(named=True),
        reasons={reason: number for number, reason in enumerate(migrations["reason"].unique(maintain_order=True), 1)},
        left_out=run.migrations.height - migrations.height,
        manifest=run.manifest(),
        tables=[(name, _TABLES[name], run.tables[name].height) for name in SCHEMA],
        documents=_DOCUMENTS,
    )
    path = directory / "report.html"
    path.write_text(page, encoding="utf-8", newline="\n")
    return path


def _sections(run: Run, subject: Subject) -> Iterator[Section]:
    """The figures that this run has something to show in."""
    several = run.summary["flight"]["uavs"] > 1
    yield _section("Map", say_map(run, subject), draw_map(run, subject))
    if several:
        yield _section("All UAVs", say_fleet(run), draw_fleet(run))
    of_whom = f" – {subject.uav}" if several else ""
    yield _section(f"Time lines{of_whom}", say_timelines(subject), draw_timelines(run, subject, (0.0, subject.end_s)))
    look = closest_look(subject)
    if look is not None:
        window, says = look
        yield _section(f"The hop that cost most{of_whom}", says, draw_timelines(run, subject, window))
    if subject.attribution.height:
        limit_m = run.summary["stopping_distance"]["limit_m"]
        yield _section(
            f"Where each metre of stopping distance comes from{of_whom}",
            say_stopping(subject),
            draw_stopping(subject, limit_m),
        )
        yield _section(
            f"Where each metre of trajectory error comes from{of_whom}", say_errors(subject), draw_errors(subject)
        )
    if (run.migrations["state"] == "completed").any():
        yield _section("Predicted beside simulated", say_predictions(run.migrations), draw_predictions(run.migrations))


def _grouped(rows: list[tuple[str, str, str]]) -> dict[str, list[tuple[str, str]]]:
    """Names and values of the key figures by subject."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for subject, name, value in rows:
        groups.setdefault(subject, []).append((name, value))
    return groups


def _section(title: str, says: str, figure: Figure) -> Section:
    return Section(title, says, svg(figure, f"{title}. {says}"))


def _worst_migrations(migrations: pl.DataFrame) -> pl.DataFrame:
    """All migrations if they are few, else those not completed, over their bound or longest down; in order of time."""
    told = migrations.with_columns(held=held() & (pl.col("state") == "completed"))
    if told.height > MOST_MIGRATIONS:
        told = told.sort(
            (pl.col("state") != "completed").not_(), "held", -pl.col("downtime_s"), maintain_order=True
        ).head(MOST_MIGRATIONS)
    return told.sort("requested_s", "migration")


def _or_dash(show: Any) -> Any:
    return lambda value: "–" if value is None else show(value)
