"""What hops, handovers and latency do to flight and video, and the key figures made of it."""

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from mobility import Trajectory
from scenarios import Scenario
from sim import Run, simulate
from sim.flights import fly_world
from sim.world import build_world
from uav import TESTBEDS

Stage = Callable[..., Scenario]

FLY = "flight.simulate=true"
ITINERARY = "a@0 b@10 a@40"
NO_SERVICES = ("services=[]", "uavs[0].services=[]")


def tracked(**settings: object) -> tuple[str, str]:
    """Overrides that put a tracker, moved by cold migration, beside the autopilot."""
    given = {"objective": "mr", "target_s": 6} | settings
    tracker = ", ".join(f"{name}: {value}" for name, value in given.items())
    autopilot = "{name: autopilot, type: autopilot, state_bytes: 25e6, dirty_page_rate: 0.03}"
    return (
        f"services=[{autopilot}, {{name: tracker, type: tracker, {tracker}}}]",
        "uavs[0].services=[autopilot, tracker]",
    )


@pytest.fixture
def flown(stage: Stage) -> Run:
    return simulate(stage([ITINERARY, "b@0 c@30"], FLY, *tracked()))


def shares(run: Run, quantity: str, uav: str = "uav") -> dict[str, float]:
    rows = run.attribution.filter((pl.col("quantity") == quantity) & (pl.col("uav") == uav))
    return dict(rows.select("cause", "metres").rows())


def test_the_shares_of_every_error_add_up_to_it(flown: Run) -> None:
    for uav in ("uav-0", "uav-1"):
        rows = flown.trajectory.filter(pl.col("uav") == uav)
        for quantity, error_m in (
            ("mean-reference-error", rows["reference_error_m"].mean()),
            ("largest-reference-error", rows["reference_error_m"].max()),
            ("largest-radial-error", rows["radial_error_m"].max()),
        ):
            assert sum(shares(flown, quantity, uav).values()) == pytest.approx(error_m)
        stopping = shares(flown, "stopping-distance", uav)
        assert all(metres >= 0.0 for metres in stopping.values())
    longest_m = max(sum(shares(flown, "stopping-distance", uav).values()) for uav in ("uav-0", "uav-1"))
    assert flown.summary["stopping_distance"]["longest_m"] == pytest.approx(longest_m)


def test_each_metre_of_stopping_distance_is_a_latency_at_top_speed(stage: Stage) -> None:
    run = simulate(stage([ITINERARY], FLY, "attachment.interruption_s=0.2"))
    lines_m = shares(run, "stopping-distance")
    speed_mps = lines_m["processing"] / 0.01
    assert speed_mps == pytest.approx(5.0, rel=1e-3)
    worst = run.latency.select(pl.col("network_s", "queueing_s").max()).row(0, named=True)
    longest_s = run.summary["migrations"]["downtime_s"]["largest"]
    assert lines_m["network"] == pytest.approx(speed_mps * worst["network_s"])
    assert lines_m["queueing"] == pytest.approx(speed_mps * worst["queueing_s"])
    assert lines_m["handover"] == pytest.approx(speed_mps * 0.2)
    assert lines_m["downtime"] == pytest.approx(speed_mps * longest_s)
    assert lines_m["video"] == pytest.approx(speed_mps * 0.03)


def test_a_uav_without_services_owes_its_errors_to_its_control_alone(stage: Stage) -> None:
    run = simulate(stage([ITINERARY], FLY, *NO_SERVICES))
    assert {cause for cause, metres in shares(run, "mean-reference-error").items() if metres} == {"control"}
    assert {cause for cause, metres in shares(run, "stopping-distance").items() if metres} == {"video", "braking"}


def test_without_migrations_there_is_no_downtime_share(stage: Stage) -> None:
    run = simulate(stage([ITINERARY], FLY, "policy.name=never"))
    assert {run.attribution.filter(pl.col("cause") == "downtime")["metres"].abs().max()} == {0.0}
    assert shares(run, "mean-reference-error")["network"] > 0.0


def test_while_no_path_leads_to_its_service_a_uav_gets_no_set_points(stage: Stage) -> None:
    cuts = "network.failures=[{between: [a, b], at_s: 20, for_s: 8}, {between: [a, d], at_s: 20, for_s: 8}]"
    run = simulate(stage(["a@0 b@10"], FLY, cuts, "policy.name=never"))
    assert run.summary["latency"]["unreachable_s"] == pytest.approx(8.0)
    modes = run.trajectory.group_by("mode").agg(
        pl.col("time_s").min().alias("from"), pl.col("time_s").max().alias("to")
    )
    mode = {row["mode"]: row for row in modes.filter(pl.col("to") > 15).rows(named=True)}
    assert mode.keys() == {"offboard", "setpoint-held", "return"}
    assert 20.0 < mode["return"]["from"] < 24.0
    assert mode["return"]["to"] >= 28.0
    assert shares(run, "stopping-distance")["downtime"] == pytest.approx(8.0 * 5.0, rel=1e-3)


@pytest.mark.parametrize("change", ["flight.wind_mps=[6, 0]", "flight.testbed=mose-2025", "flight.wind_mps=[0, -6]"])
def test_wind_and_testbed_change_the_flight_but_not_the_plan(stage: Stage, change: str) -> None:
    calm = simulate(stage([ITINERARY], FLY))
    other = simulate(stage([ITINERARY], FLY, change))
    assert not calm.trajectory["reference_error_m"].equals(other.trajectory["reference_error_m"])
    assert calm.trajectory["reference_east_m"].equals(other.trajectory["reference_east_m"])


@pytest.mark.parametrize(("sample_s", "rows"), [(0.1, 601), (0.5, 121), (2, 31)])
def test_the_trajectory_is_sampled_as_often_as_asked_and_serves_its_cell(
    stage: Stage, sample_s: float, rows: int
) -> None:
    run = simulate(stage([ITINERARY], FLY, f"flight.sample_s={sample_s}"))
    assert run.trajectory["time_s"].to_list() == pytest.approx(np.arange(rows) * sample_s)
    cells = run.trajectory.select(at=pl.col("time_s").is_between(10.0, 40.0, closed="left"), cell="cell").unique()
    assert set(cells.rows()) == {(True, "b"), (False, "a")}
    table = run.trajectory
    distance_m = np.sqrt(
        sum((table[f"{axis}_m"] - table[f"reference_{axis}_m"]) ** 2 for axis in ("east", "north", "up"))
    )
    assert np.allclose(distance_m, table["reference_error_m"])
    assert (table["radial_error_m"] <= table["reference_error_m"] + 1e-6).all()


def test_a_group_can_change_one_thing_of_its_vehicle(stage: Stage) -> None:
    own = simulate(stage([ITINERARY], FLY))
    heavy = simulate(stage([ITINERARY], FLY, "uavs[0].vehicle={mass_kg: 2}"))
    assert TESTBEDS["px4-sitl"].vehicle.mass_kg == 1.0
    ratio = shares(heavy, "stopping-distance")["braking"] / shares(own, "stopping-distance")["braking"]
    assert ratio == pytest.approx(2.0)


def test_a_faster_path_raises_the_speed_limit_of_the_autopilot(stage: Stage) -> None:
    """A UAV pulled off a straight path at 11 m/s, above the preset's 7.5 m/s, could otherwise never stay on it."""
    world = build_world(stage([ITINERARY], FLY, *NO_SERVICES))
    time_s = np.array([0.0, 60.0])
    straight = Trajectory(time_s, np.stack([time_s * 11.0, 0 * time_s, 0 * time_s + 60.0], axis=1))
    fast = replace(world, fleet=type(world.fleet)(world.fleet.names, [straight]))
    trajectory, _ = fly_world(fast, simulate(world.scenario).tables)
    late = trajectory.filter(pl.col("time_s") > 30)
    assert late["reference_error_m"].max() < 15.0  # type: ignore[operator]


def test_every_outage_of_a_tracker_is_a_downtime_or_a_handover_or_both(stage: Stage) -> None:
    run = simulate(stage([ITINERARY], *tracked()))
    moved = run.migrations.filter(pl.col("service") == "uav/tracker")
    # A cold migration begins with the handover, whose interruption ends within it.
    assert run.frames["start_s"].to_list() == [10.0, 40.0]
    assert run.frames["outage_s"].to_list() == pytest.approx(moved["downtime_s"].to_list())
    frames = run.frames.rows(named=True)
    for row in frames:
        assert row["arrived"] == pytest.approx(row["outage_s"] * 10, abs=1)
        # 64 frames wait in the queue, the others are lost; the backlog shrinks by 40 - 10 frames a second.
        assert row["lost"] == row["arrived"] - 64
        assert row["backlog"] == 64
        assert row["catch_up_s"] == pytest.approx(64 / 30, abs=0.1)
        assert 0.0 < row["identities_kept"] < 1.0


def test_a_handover_and_a_later_downtime_are_two_outages(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10"], *tracked(objective="md", target_s=30, dirty_page_rate=0.01)))
    down_from_s = run.migrations.filter(pl.col("service") == "uav/tracker")["down_from_s"].item()
    assert run.frames["start_s"].to_list() == pytest.approx([10.0, down_from_s])
    assert run.frames["outage_s"][0] == pytest.approx(0.1)


def test_hops_that_follow_each_other_at_once_are_one_outage(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 a@12"], *tracked()))
    moved = run.migrations.filter(pl.col("service") == "uav/tracker")
    assert moved.height == 2
    assert run.frames["outage_s"].to_list() == pytest.approx([moved["downtime_s"].sum()])


def test_reading_only_the_newest_frame_loses_more_than_a_queue(stage: Stage) -> None:
    lost = {
        reading: simulate(stage([ITINERARY], *tracked(reading=reading))).summary["frames"]["lost"]
        for reading in ("newest", "queue")
    }
    assert lost["newest"] > lost["queue"] > 0


def test_key_figures_are_those_of_the_tables(flown: Run) -> None:
    summary, tables = flown.summary, flown.tables
    assert summary["handovers"]["count"] == 3 == tables["handovers"].height - 2
    done = tables["migrations"].filter(pl.col("state") == "completed")
    assert summary["migrations"]["count"] == tables["migrations"].height == 6
    assert summary["migrations"]["by_state"] == {"completed": 6}
    assert sum(summary["migrations"]["by_strategy"].values()) == 6
    assert summary["migrations"]["downtime_s"]["median"] == pytest.approx(done["downtime_s"].median())
    assert summary["migrations"]["duration_s"]["largest"] == done["duration_s"].max()
    assert summary["migrations"]["transferred_bytes"] == pytest.approx(tables["phases"]["transferred_bytes"].sum())
    trajectory = tables["trajectory"]
    assert summary["flight"]["mean_reference_error_m"] == pytest.approx(trajectory["reference_error_m"].mean())
    assert summary["flight"]["largest_radial_error_m"] == trajectory["radial_error_m"].max()
    assert summary["flight"]["distance_m"] == pytest.approx(2 * 300.0, rel=1e-3)
    share = (trajectory["mode"] != "offboard").mean()
    assert summary["flight"]["share_without_setpoints"] == pytest.approx(share)
    assert summary["frames"]["lost"] == tables["frames"]["lost"].sum()
    assert summary["frames"]["outages"] == tables["frames"].height


def test_mean_latency_is_weighted_by_how_long_it_lasts(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 c@30"], "policy.name=never"))
    latency_s = run.latency["latency_s"].to_numpy()
    assert run.summary["latency"]["mean_s"] == pytest.approx(np.average(latency_s, weights=[10, 20, 30]))
    assert run.summary["latency"]["mean_hops"] == pytest.approx((20 + 2 * 30) / 60)
    assert run.summary["latency"]["largest_s"] == latency_s.max()


@pytest.mark.parametrize("overrides", [(), NO_SERVICES, (*NO_SERVICES, FLY)])
def test_what_did_not_occur_has_no_figure_rather_than_not_a_number(stage: Stage, overrides: tuple[str, ...]) -> None:
    summary = simulate(stage(["a@0"], *overrides)).summary
    assert summary["migrations"]["downtime_s"] is None
    assert summary["migrations"]["share_within_bound"] is None
    assert summary["handovers"]["interruption_s"] is None
    assert summary["frames"]["identities_kept"] is None
    assert (summary["flight"]["distance_m"] is None) == (FLY not in overrides)
    json.dumps(summary, allow_nan=False)
