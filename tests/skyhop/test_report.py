"""The report: what a reader must find on the page, and what must never get onto it."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from scenarios import Scenario
from sim.engine import simulate
from sim.run import Run
from skyhop.report import write_report
from skyhop.report.budget import say_errors, say_stopping
from skyhop.report.fleet import say_fleet, worst_uavs
from skyhop.report.page import MOST_MIGRATIONS
from skyhop.report.predictions import say_predictions
from skyhop.report.subject import subject_of
from skyhop.report.timelines import closest_look, say_timelines
from skyhop.units import METRES, SECONDS

_VOID = {"meta", "br", "hr", "img", "link", "input"}


def scenario(**changes: Any) -> Scenario:
    document: dict[str, Any] = {
        "version": 1,
        "name": "corridor",
        "uavs": [
            {
                "name": "scout",
                "trajectory": {"type": "waypoints", "points_m": [[-250, 0, 60], [250, 0, 60]]},
                "services": ["autopilot", "tracker"],
            }
        ],
        "cells": {
            "type": "list",
            "sites": [{"name": "west", "east_m": -200, "north_m": 0}, {"name": "east", "east_m": 200, "north_m": 0}],
        },
        "attachment": {"type": "nearest"},
        "services": [
            {"name": "autopilot", "type": "autopilot", "state_bytes": 25e6, "dirty_page_rate": 0.03},
            {"name": "tracker", "type": "tracker", "state_bytes": 275e6, "dirty_page_rate": 0.1},
        ],
        "policy": {"name": "mose-md"},
    }
    return Scenario.model_validate(document | changes)


class Page(HTMLParser):
    """Collects the text of a page and checks that every element is closed in turn."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.pieces: list[str] = []
        self.feed(source)
        self.close()
        assert self.open == []
        self.text = " ".join(" ".join(self.pieces).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def page_of(run: Run, folder: Path) -> Page:
    return Page(write_report(run, folder).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(scenario())


@pytest.fixture(scope="module")
def page(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of(run, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def swarm() -> Run:
    group = scenario().model_dump(mode="json")["uavs"][0]
    return simulate(scenario(uavs=[group | {"count": 12, "spread_m": 60.0, "stagger_s": 1.0}]))


def test_it_refers_to_nothing_outside_itself(run: Run, page: Page, tmp_path: Path) -> None:
    source = write_report(run, tmp_path).read_text(encoding="utf-8")
    assert "http" not in source
    assert "//" not in re.sub(r"data:image/png;base64,[A-Za-z0-9+/=\s]*", "", source)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    for name, value in page.attributes:
        if name in ("href", "src", "xlink:href"):
            assert value is not None
            assert value.startswith(("#", "data:"))


def test_the_same_run_gives_the_same_bytes(run: Run, tmp_path: Path) -> None:
    first = write_report(run, tmp_path).read_bytes()
    assert write_report(run, tmp_path).read_bytes() == first


def test_the_verdict_sets_the_longest_stopping_distance_against_the_limit(run: Run, page: Page) -> None:
    stopping = run.summary["stopping_distance"]
    assert stopping["met"] is True
    assert f"✓ D* is met: {METRES.show(stopping['longest_m'])} to stop, 30 m allowed" in page.text
    assert f"{METRES.show(30.0 - stopping['longest_m'])} to spare" in page.text


def test_a_missed_limit_is_said_first_of_all(tmp_path: Path) -> None:
    missed = simulate(scenario(flight={"stopping_distance_m": 5.0}))
    text = page_of(missed, tmp_path).text
    over_m = missed.summary["stopping_distance"]["longest_m"] - 5.0
    assert "✗ D* is not met" in text
    assert f"{METRES.show(over_m)} too much" in text
    assert text.index("D* is not met") < text.index("Key figures")


def test_every_figure_has_a_title_a_sentence_and_words_for_those_who_cannot_see_it(page: Page) -> None:
    labels = [value for name, value in page.attributes if name == "aria-label"]
    assert len(labels) == page.tags.count("svg") == page.tags.count("figure") == 6
    for label in labels:
        assert label is not None
        title, _, says = label.partition(". ")
        assert title in page.text
        assert says in page.text


def test_sentences_say_what_the_tables_say(run: Run) -> None:
    subject = subject_of(run)
    assert subject is not None
    shares = run.attribution.filter(pl.col("quantity") == "stopping-distance")
    assert METRES.show(float(shares["metres"].sum())) in say_stopping(subject)
    braking = shares.filter(pl.col("cause") == "braking")["metres"].item()
    assert f"braking {METRES.show(braking)}" in say_stopping(subject)
    assert METRES.show(run.trajectory["reference_error_m"].to_numpy().max()) in say_errors(subject)
    assert say_predictions(run.migrations).startswith("2 of 2 completed migrations kept within")


def test_a_broken_bound_is_counted_and_marked(run: Run, tmp_path: Path) -> None:
    late = run.migrations.with_columns(downtime_s=pl.col("predicted_downtime_s") + 0.5)
    broken = replace(run, tables=run.tables | {"migrations": late})
    text = page_of(broken, tmp_path).text
    assert "0 of 2 completed migrations kept within" in text
    assert text.count(" broken ") >= 2


def test_the_share_of_time_elsewhere_is_that_of_the_latency_table(run: Run) -> None:
    subject = subject_of(run)
    assert subject is not None
    rows = run.latency.filter(pl.col("service") == "scout/autopilot")
    until_s = [*rows["time_s"].to_list()[1:], run.summary["flight"]["duration_s"]]
    held = [(end - start, hops) for start, end, hops in zip(rows["time_s"], until_s, rows["hops"], strict=True)]
    share = sum(length for length, hops in held if hops) / sum(length for length, _ in held)
    assert f"autopilot {100 * share:.0f} %" in say_timelines(subject)


def test_the_close_up_looks_at_the_autopilot_not_at_the_longer_silence_of_the_tracker(run: Run) -> None:
    subject = subject_of(run)
    assert subject is not None
    look = closest_look(subject)
    assert look is not None
    (start_s, end_s), text = look
    row = run.migrations.filter(pl.col("service") == "scout/autopilot").row(0, named=True)
    assert start_s < row["requested_s"] < row["ended_s"] < end_s
    assert SECONDS.show(row["downtime_s"]) in text


def test_predicted_stands_beside_simulated_for_every_migration(run: Run, page: Page) -> None:
    for row in run.migrations.iter_rows(named=True):
        pair = f"{SECONDS.show(row['downtime_s'])} {SECONDS.show(row['predicted_downtime_s'])}"
        assert pair in page.text
        assert row["reason"] in page.text


def test_of_many_migrations_the_worst_are_shown_and_the_rest_is_counted(run: Run, tmp_path: Path) -> None:
    row = run.migrations.head(1)
    many = pl.concat([row] * (MOST_MIGRATIONS + 50)).with_columns(
        migration=pl.int_range(pl.len()), downtime_s=pl.int_range(pl.len()) / 1000.0
    )
    text = page_of(replace(run, tables=run.tables | {"migrations": many}), tmp_path).text
    assert f"The {MOST_MIGRATIONS} worst of {MOST_MIGRATIONS + 50}" in text
    assert "The other 50 are in migrations.parquet" in text
    assert " 249 scout/autopilot" in text
    assert " 49 scout/autopilot" not in text


def test_the_page_can_be_traced_to_its_scenario(run: Run, page: Page) -> None:
    manifest = run.manifest()
    assert manifest["scenario_sha256"] in page.text
    for name, version in manifest["versions"].items():
        assert f"{name} {version}" in page.text
    for name in run.tables:
        assert f"{name}.parquet" in page.text


HOSTILE = '<script>alert(1)</script> $\\frac$ " &amp;'


def test_hostile_names_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    sites = [{"name": HOSTILE, "east_m": -200, "north_m": 0}, {"name": "east", "east_m": 200, "north_m": 0}]
    hostile = simulate(scenario(description=HOSTILE, cells={"type": "list", "sites": sites}))
    page = page_of(hostile, tmp_path)
    assert "script" not in page.tags
    assert page.text.count(HOSTILE) > 3


UNSERVED = scenario().model_dump(mode="json")["uavs"][0] | {"services": []}


@pytest.mark.parametrize(
    "bare",
    [
        pytest.param({"flight": {"simulate": False}}, id="no flight"),
        pytest.param({"policy": {"name": "never"}}, id="no migration"),
        pytest.param({"services": [], "uavs": [UNSERVED]}, id="no service"),
        pytest.param({"services": [], "uavs": [UNSERVED], "flight": {"simulate": False}}, id="nothing at all"),
    ],
)
def test_a_run_with_little_in_it_still_has_a_page(bare: dict[str, Any], tmp_path: Path) -> None:
    done = simulate(scenario(**bare))
    text = page_of(done, tmp_path).text
    assert "Key figures" in text
    assert ("No service was moved." in text) == done.migrations.is_empty()
    assert ("Stopping distance not assessed" in text) == done.trajectory.is_empty()


def test_of_a_swarm_the_spread_and_the_worst_are_shown(swarm: Run, tmp_path: Path) -> None:
    page = page_of(swarm, tmp_path)
    worst = worst_uavs(swarm)
    totals = swarm.attribution.filter(pl.col("quantity") == "stopping-distance").group_by("uav").agg(pl.sum("metres"))
    assert worst.height == 12
    assert worst["stopping_distance_m"][0] == pytest.approx(totals["metres"].max())
    assert worst["migrations"].sum() == swarm.migrations.height
    met = (totals["metres"] <= swarm.summary["stopping_distance"]["limit_m"]).sum()
    assert say_fleet(swarm).startswith(f"{met} of 12 UAVs stop within D*")
    assert say_fleet(swarm) in page.text
    assert "mathdefault" not in page.text
    assert f"Time lines – {swarm.summary['stopping_distance']['uav']}" in page.text
