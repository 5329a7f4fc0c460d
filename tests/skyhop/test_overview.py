"""The overview picture of a run."""

from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from scenarios import Scenario
from sim.engine import simulate
from sim.run import Run
from skyhop.overview import plot


def circle(**changes: Any) -> Scenario:
    document: dict[str, Any] = {
        "version": 1,
        "name": "circle",
        "uavs": [
            {"name": "scout", "trajectory": {"type": "circle", "speed_mps": 8.0}, "services": ["autopilot"]},
        ],
        "cells": {
            "type": "list",
            "sites": [{"name": "west", "east_m": -90, "north_m": 0}, {"name": "east", "east_m": 90, "north_m": 0}],
        },
        "attachment": {"type": "nearest"},
        "services": [{"name": "autopilot", "type": "autopilot", "state_bytes": 25e6, "dirty_page_rate": 0.03}],
    }
    return Scenario.model_validate(document | changes)


def axes_of(run: Run) -> dict[str, Axes]:
    return {axes.get_ylabel(): axes for axes in plot(run).axes}


@pytest.fixture(scope="module")
def run() -> Run:
    return simulate(circle())


def test_it_has_the_map_and_a_panel_for_all_that_happened(run: Run) -> None:
    assert list(axes_of(run)) == ["north (m)", "server", "migrations", "latency (ms)", "error (m)"]


def test_the_error_panel_draws_the_errors_of_the_trajectory(run: Run) -> None:
    lines = {line.get_label(): line for line in axes_of(run)["error (m)"].get_lines()}
    drawn = np.asarray(lines["to where the plan is now"].get_ydata())
    np.testing.assert_array_equal(drawn, run.trajectory["reference_error_m"].to_numpy())


def test_the_latency_panel_ends_with_the_run_and_is_in_milliseconds(run: Run) -> None:
    (line,) = axes_of(run)["latency (ms)"].get_lines()
    assert np.asarray(line.get_xdata())[-1] == run.summary["flight"]["duration_s"]
    assert np.asarray(line.get_ydata())[0] == pytest.approx(1e3 * run.latency["latency_s"][0])


def test_the_map_shows_the_whole_path(run: Run) -> None:
    axes = axes_of(run)["north (m)"]
    (west, east), (south, north) = axes.get_xlim(), axes.get_ylim()
    assert west < run.trajectory["east_m"].min()  # type: ignore[operator]
    assert run.trajectory["east_m"].max() < east  # type: ignore[operator]
    assert south < run.trajectory["north_m"].min() < run.trajectory["north_m"].max() < north  # type: ignore[operator]


def test_a_run_without_flight_shows_cells_and_migrations() -> None:
    shown = axes_of(simulate(circle(flight={"simulate": False})))
    assert "error (m)" not in shown
    assert "migrations" in shown


def test_a_link_that_fails_leaves_a_gap_in_the_latency() -> None:
    failures = [{"between": ["west", "east"], "at_s": 5, "for_s": 10}]
    cut = simulate(circle(policy={"name": "never"}, network={"failures": failures}))
    (line,) = axes_of(cut)["latency (ms)"].get_lines()
    assert np.isnan(np.asarray(line.get_ydata())).any()
