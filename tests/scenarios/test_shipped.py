"""Every scenario that is shipped loads, and runs."""

from pathlib import Path

import pytest

from scenarios import Scenario, load
from sim import Run, simulate
from sim.world import build_cells, build_fleet, build_frame

FOLDER = Path(__file__).parents[2] / "scenarios"
SITES = Path(__file__).parents[3] / "shared" / "data" / "site-optus-melbCBD.csv"
needs_sites = pytest.mark.skipif(not SITES.is_file(), reason="the sites of ../shared/data are not there")


def shipped(name: str, *overrides: str) -> Scenario:
    return load(FOLDER / f"{name}.yaml", Scenario, overrides)


def assert_sound(run: Run) -> None:
    """Whatever it shows, a run has what a reader expects in it, and its plans were bounds."""
    assert run.handovers.height > run.summary["flight"]["uavs"]
    assert run.migrations.height > 0
    assert run.summary["migrations"]["share_within_bound"] == 1.0
    assert run.trajectory["reference_error_m"].is_finite().all()
    assert run.summary["flight"]["largest_reference_error_m"] > 0.0


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: str(path.stem))
def test_every_scenario_is_called_as_its_file_and_says_what_it_shows(path: Path) -> None:
    if path.stem == "melbourne-sites" and not SITES.is_file():
        pytest.skip("the sites of ../shared/data are not there")
    scenario = load(path, Scenario)
    assert scenario.name == path.stem
    assert len(scenario.description) > 20


def test_those_that_the_documentation_names_are_there() -> None:
    assert {"melbourne", "melbourne-sites", "circle", "swarm", "city"} <= {path.stem for path in FOLDER.glob("*.yaml")}


def test_melbourne_flies_the_logged_flight_with_two_services_behind_it() -> None:
    run = simulate(shipped("melbourne", "duration_s=60"))
    assert_sound(run)
    assert run.summary["flight"]["services"] == 2
    assert run.summary["flight"]["cells"] == 81
    assert set(run.migrations["service"]) == {"uav/autopilot", "uav/tracker"}
    assert run.frames.height > 0
    assert run.cells["latitude_deg"].is_between(-38, -37).all()


def test_circle_hops_at_every_crossing() -> None:
    run = simulate(shipped("circle"))
    assert_sound(run)
    assert run.summary["handovers"]["count"] == run.summary["migrations"]["count"] == 8
    assert run.summary["migrations"]["by_state"] == {"completed": 8}
    assert run.summary["stopping_distance"]["met"]


def test_swarm_makes_servers_and_links_scarce() -> None:
    run = simulate(shipped("swarm", "duration_s=20"))
    assert_sound(run)
    assert run.summary["flight"]["uavs"] == 100
    assert run.summary["flight"]["services"] == 200
    assert run.summary["migrations"]["waited_s"]["largest"] > 0.0


@needs_sites
def test_melbourne_sites_flies_over_the_real_sites() -> None:
    run = simulate(shipped("melbourne-sites", "duration_s=60"))
    assert_sound(run)
    assert run.summary["flight"]["cells"] == 125


def test_city_has_a_thousand_uavs_over_a_hundred_cells() -> None:
    scenario = shipped("city")
    frame = build_frame(scenario)
    assert len(build_cells(scenario.cells, frame).names) == 100
    fleet, groups = build_fleet(scenario, frame)
    assert len(fleet.names) == 1000
    assert [(group.name, len(uavs)) for group, uavs in groups] == [("uav", 1000)]
