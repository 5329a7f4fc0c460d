"""What becomes of a migration when servers, slots, links and UAVs do not do it the favour of waiting."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pam.migration import Strategy
from scenarios import Scenario
from sim import Run, engine, simulate
from sim.orchestrator import Orchestrator
from sim.policies import BUILT_IN, Move, Situation

Stage = Callable[..., Scenario]
Row = dict[str, Any]

COLD = "policy.name=nearest-cold"
POST_COPY = "policy={name: fixed, options: {strategy: post-copy, iterations: 0}}"


def migrations(run: Run) -> list[Row]:
    return run.migrations.sort("started_s", "migration").rows(named=True)


def hop(row: Row) -> tuple[str, str, str]:
    return row["source"], row["destination"], row["state"]


def final_servers(run: Run) -> list[str]:
    """Where every service runs in the end, by its last latency row."""
    last = run.latency.group_by("service", maintain_order=True).last().sort("service")
    return last["server"].to_list()


@pytest.mark.parametrize(
    ("room", "reason"),
    [
        ("servers.memory_bytes=49e6", "server full: b has 2.4e+07 B of memory left of 2.5e+07 B"),
        ("servers.cores=0.9", "server full: b has 0.4 cores left of 0.5"),
    ],
)
def test_a_full_server_refuses_and_the_service_stays_until_the_next_change_of_cell(
    stage: Stage, room: str, reason: str
) -> None:
    run = simulate(stage(["a@0 b@10 c@20", "b@0"], room))
    refused, done = migrations(run)
    assert hop(refused) == ("a", "b", "failed")
    assert refused["reason"] == reason
    assert (refused["started_s"], refused["duration_s"], refused["downtime_s"]) == (10.0, 0.0, 0.0)
    assert hop(done) == ("a", "c", "completed")
    assert final_servers(run) == ["c", "b"]


def test_room_that_is_left_can_be_taken_again(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10", "b@0 c@5"], "servers.memory_bytes=25e6", COLD))
    assert [hop(row) for row in migrations(run)] == [("b", "c", "completed"), ("a", "b", "completed")]


def test_a_server_too_small_for_what_starts_on_it_is_an_error_that_names_both(stage: Stage) -> None:
    with pytest.raises(ValueError, match=r"services: uav-1/autopilot cannot start: server full: a has 5e\+06 B"):
        simulate(stage(["a@0", "a@0"], "servers.memory_bytes=30e6"))


def test_without_a_free_slot_migrations_wait_and_go_in_order(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10.2", "a@0 b@10", "a@0 b@10.1"], "servers.concurrent_migrations=1", COLD))
    rows = migrations(run)
    assert [row["uav"] for row in rows] == ["uav-1", "uav-2", "uav-0"]
    for before, after in pairwise(rows):
        assert after["requested_s"] < before["ended_s"]
        assert after["started_s"] == before["ended_s"]


def test_a_newer_decision_replaces_one_that_waits(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10", "a@0 b@10 d@10.5"], "servers.concurrent_migrations=1", COLD))
    assert [hop(row) for row in migrations(run)] == [("a", "b", "completed"), ("a", "d", "completed")]
    assert run.migrations["requested_s"].to_list() == [10.0, 10.5]


def test_two_services_of_one_uav_reserve_half_the_link_each(stage: Stage) -> None:
    second = "{name: second, type: generic, state_bytes: 25e6, dirty_page_rate: 0.03}"
    first = "{name: autopilot, type: autopilot, state_bytes: 25e6, dirty_page_rate: 0.03}"
    run = simulate(stage(["a@0 b@10"], f"services=[{first}, {second}]", "uavs[0].services=[autopilot, second]"))
    assert run.migrations["bandwidth_bps"].to_list() == [0.5e9, 0.5e9]
    assert run.migrations["started_s"].to_list() == [10.0, 10.0]
    assert run.migrations["state"].to_list() == ["completed"] * 2
    assert run.summary["migrations"]["share_within_bound"] == 1.0


def test_who_does_not_reserve_shares_the_link_and_may_overrun_its_bound(stage: Stage) -> None:
    (alone,) = migrations(simulate(stage(["a@0 b@10"], COLD)))
    run = simulate(stage(["a@0 b@10", "a@0 b@10"], COLD))
    shared = run.migrations["downtime_s"].to_list()
    assert shared[0] == shared[1]
    # The transfer at 1 Gbit/s takes twice as long.
    assert shared[0] == pytest.approx(alone["downtime_s"] + alone["transferred_bytes"] * 8 / 1e9)
    assert run.summary["migrations"]["share_within_bound"] == 0.0


def test_a_second_uav_waits_for_reserved_bandwidth_and_its_bound_holds(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10", "a@0 b@10"]))
    first, second = migrations(run)
    assert second["requested_s"] == 10.0
    assert second["started_s"] == first["ended_s"]
    assert run.summary["migrations"]["share_within_bound"] == 1.0


def test_who_could_meet_its_target_with_the_whole_link_waits_for_it(stage: Stage) -> None:
    bulky = "services[0]={name: autopilot, type: generic, state_bytes: 100e6, dirty_page_rate: 0.5, objective: mr"
    run = simulate(stage(["a@0 b@10", "a@0 b@10.5"], f"{bulky}, target_s: 2.95}}", "policy.name=mose"))
    first, second = run.migrations.sort("requested_s").rows(named=True)
    assert first["bandwidth_bps"] < 0.9e9
    assert (first["feasible"], second["feasible"]) == (True, True)
    assert second["started_s"] == first["ended_s"]


def test_who_could_not_meet_its_target_anyway_does_not_wait(stage: Stage) -> None:
    bulky = "type: generic, state_bytes: 100e6, dirty_page_rate: 0.5, objective: mr, target_s: 1"
    both = f"services=[{{name: one, {bulky}}}, {{name: two, {bulky}}}]"
    run = simulate(stage(["a@0 b@10"], both, "uavs[0].services=[one, two]", "policy.name=mose"))
    assert run.migrations["feasible"].to_list() == [False, False]
    assert run.migrations["started_s"].to_list() == [10.0, 10.0]


def test_turning_back_before_stop_and_copy_cancels_and_the_service_stays(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 a@11"]))
    (row,) = migrations(run)
    assert hop(row) == ("a", "b", "cancelled")
    assert (row["ended_s"], row["downtime_s"]) == (11.0, 0.0)
    assert 0 < row["transferred_bytes"] < row["predicted_bytes"]
    assert final_servers(run) == ["a"]


def test_turning_back_during_stop_and_copy_completes_and_then_goes_back(stage: Stage) -> None:
    (undisturbed,) = migrations(simulate(stage(["a@0 b@10"])))
    for share in (0.01, 0.5, 0.99):
        back_s = undisturbed["down_from_s"] + share * undisturbed["downtime_s"]
        there, back = migrations(simulate(stage([f"a@0 b@10 a@{back_s!r}"])))
        assert hop(there) == ("a", "b", "completed")
        assert there["ended_s"] == undisturbed["ended_s"]
        assert hop(back) == ("b", "a", "completed")
        assert back["started_s"] == there["ended_s"]


def test_a_handover_to_a_third_cell_during_pre_copy_plans_anew(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 c@10.5"]))
    first, second = migrations(run)
    assert hop(first) == ("a", "b", "cancelled")
    assert hop(second) == ("a", "c", "completed")
    assert second["started_s"] == second["requested_s"] == 10.5


def test_a_critical_service_refuses_post_copy(stage: Stage) -> None:
    (row,) = migrations(simulate(stage(["a@0 b@10"], POST_COPY, "services[0].critical=true")))
    assert hop(row) == ("a", "b", "failed")
    assert row["reason"].startswith("uav/autopilot is critical")
    (row,) = migrations(simulate(stage(["a@0 b@10"], POST_COPY)))
    assert hop(row) == ("a", "b", "completed")


def _cut(at_s: float) -> str:
    return f"network.failures=[{{between: [a, b], at_s: {at_s!r}, for_s: 5}}]"


def test_a_link_that_fails_in_pre_copy_costs_no_downtime(stage: Stage) -> None:
    (row,) = migrations(run := simulate(stage(["a@0 b@10"], _cut(10.4))))
    assert hop(row) == ("a", "b", "failed")
    assert row["reason"] == "link failed in pre-copy, source went on"
    assert row["downtime_s"] == 0.0
    assert final_servers(run) == ["a"]


def _transfer(run: Run, phase: str = "transfer") -> tuple[float, float]:
    """Start of the last transfer, and of the downtime."""
    sent = run.phases.filter((run.phases["phase"] == phase) & (run.phases["transferred_bytes"] > 0))
    return sent["started_s"].to_list()[-1], run.migrations["down_from_s"].item()


def test_a_link_that_fails_in_stop_and_copy_costs_the_time_to_resume_the_source(stage: Stage) -> None:
    sent_s, down_from_s = _transfer(simulate(stage(["a@0 b@10"], COLD)))
    cut_s = sent_s + 0.05
    (row,) = migrations(run := simulate(stage(["a@0 b@10"], COLD, _cut(cut_s))))
    assert hop(row) == ("a", "b", "failed")
    assert row["reason"] == "link failed in Stop&Copy, source resumed"
    assert row["downtime_s"] == pytest.approx(cut_s - down_from_s + 0.3)
    assert final_servers(run) == ["a"]


def test_a_link_that_fails_in_the_page_fault_phase_starts_the_service_anew_at_the_destination(stage: Stage) -> None:
    fetched_s, _ = _transfer(whole := simulate(stage(["a@0 b@10"], POST_COPY)), "page-fault")
    (row,) = migrations(run := simulate(stage(["a@0 b@10"], POST_COPY, _cut(fetched_s + 0.05))))
    assert hop(row) == ("a", "b", "failed")
    assert row["reason"] == "link failed, state lost"
    assert row["downtime_s"] == pytest.approx(whole.migrations["downtime_s"].item() + 5.0)
    assert final_servers(run) == ["b"]


def test_paths_go_round_a_link_that_is_cut_and_without_any_the_service_stays(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10"], _cut(5.0)))
    assert migrations(run)[0]["state"] == "completed"
    both = "network.failures=[{between: [a, b], at_s: 5, for_s: 9}, {between: [a, d], at_s: 5, for_s: 9}]"
    run = simulate(stage(["a@0 b@10"], both))
    assert migrations(run)[0]["reason"] == "no path from a to b"
    way = run.latency.filter(run.latency["time_s"] >= 10).unique(maintain_order=True)
    assert way.select("time_s", "hops").rows() == [(10.0, -1), (14.0, 1)]
    assert way["latency_s"].is_finite().to_list() == [False, True]


@pytest.mark.parametrize(
    "policy",
    [
        "policy.name=mose",
        "policy.name=nearest-cold",
        "policy.name=path-aware",
        "policy={name: latency-threshold, options: {threshold_s: 0.035}}",
        "policy={name: fixed, options: {strategy: hybrid, iterations: 0}}",
        "policy={name: fixed, options: {iterations: 3, reserve: true}}",
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_after_a_storm_every_book_is_balanced(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, policy: str, seed: int
) -> None:
    kept: list[Orchestrator] = []

    class Kept(Orchestrator):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            kept.append(self)

    monkeypatch.setattr(engine, "Orchestrator", Kept)
    run = simulate(_storm(stage, seed, policy))
    assert run.migrations.height > 50
    assert {"completed", "failed"} <= set(run.migrations["state"])

    (orchestrator,) = kept
    services = [service for own in orchestrator._services_of for service in own]
    for service in services:
        assert service.process is None
        assert service.move is None
        assert not service.waits_for
    assert not any(orchestrator._waiting.values())
    for server in orchestrator._servers:
        here = [service.settings for service in services if service.location == server.index]
        assert server.free_slots == 2
        assert server.used_cores == pytest.approx(sum(settings.cores for settings in here))
        assert server.free_memory_bytes == pytest.approx(90e6 - sum(settings.state_bytes for settings in here))
        assert server.busy_cores == pytest.approx(sum(s.request_rate_hz * s.processing_s for s in here), abs=1e-9)
    for link in orchestrator._network.links.values():
        assert link.up
        assert link.reserved_bps == pytest.approx(0.0, abs=1.0)
        assert not link.elastic
        assert not link.reserved
    assert final_servers(run) == [run.cells["server"][service.location] for service in services]
    _check_chains(run)
    if "latency-threshold" not in policy:
        _check_who_is_left_behind(run)


def _storm(stage: Stage, seed: int, policy: str) -> Scenario:
    """Eight UAVs with two services each, on scarce room, slots and links, change cells faster than they can follow."""
    random = np.random.default_rng(seed)
    itineraries = []
    for uav in range(8):
        place, time_s, stops = uav % 4, 0.0, [f"{'abcd'[uav % 4]}@0"]
        while (time_s := time_s + random.exponential(3.0)) < 55.0:
            place = (place + int(random.integers(1, 4))) % 4
            stops.append(f"{'abcd'[place]}@{time_s!r}")
        itineraries.append(" ".join(stops))
    cuts = [
        f"{{between: [{pair[0]}, {pair[1]}], at_s: {random.uniform(0, 50)!r}, for_s: {random.uniform(0.1, 3)!r}}}"
        for pair in ("ab", "bc", "cd", "da")
    ]
    heavy = "{name: heavy, type: generic, state_bytes: 20e6, dirty_page_rate: 0.2, objective: mr, target_s: 2}"
    light = "{name: light, type: autopilot, state_bytes: 5e6, dirty_page_rate: 0.03, actual_dirty_page_rate: 0.01}"
    return stage(
        itineraries,
        policy,
        f"services=[{light}, {heavy}]",
        "uavs[0].services=[light, heavy]",
        f"network.failures=[{', '.join(cuts)}]",
        "servers={memory_bytes: 90e6, cores: 4, concurrent_migrations: 2}",
        "network.bandwidth_bps=2e8",
    )


def _check_chains(run: Run) -> None:
    """Migrations of one service follow each other in time, and each leaves from where the one before has left it."""
    for (service,), rows in run.migrations.sort("started_s", "migration").group_by("service"):
        started = run.latency.filter(run.latency["service"] == service)["server"][0]
        for before, after in pairwise(rows.rows(named=True)):
            assert after["started_s"] >= before["ended_s"] >= before["started_s"] >= before["requested_s"]
        at = started
        for row in rows.rows(named=True):
            assert row["source"] == at
            lost = row["reason"] == "link failed, state lost"
            at = row["destination"] if row["state"] == "completed" or lost else at


def _check_who_is_left_behind(run: Run) -> None:
    """A policy that follows leaves nobody behind but those whose last attempt has failed."""
    last = {row["service"]: row["state"] for row in run.migrations.rows(named=True)}
    for row in run.latency.group_by("service").last().rows(named=True):
        assert row["hops"] == 0 or last[row["service"]] == "failed"


TWO = (
    "services=[{name: autopilot, type: autopilot, state_bytes: 25e6, dirty_page_rate: 0.03},"
    "{name: second, type: generic, state_bytes: 50e6, dirty_page_rate: 0.03}]",
    "uavs[0].services=[autopilot, second]",
)


def test_who_has_just_arrived_does_not_overtake_those_who_wait(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 a@10.5", "a@0 b@10.2"], "servers.concurrent_migrations=1", COLD))
    assert [(row["uav"], *hop(row)) for row in migrations(run)] == [
        ("uav-0", "a", "b", "completed"),
        ("uav-1", "a", "b", "completed"),
        ("uav-0", "b", "a", "completed"),
    ]


def test_who_asks_for_the_same_again_keeps_its_place_in_the_queue(stage: Stage) -> None:
    # Another sector of b at 10.3 s asks for b once more.
    itineraries = ["a-0@0 b-0@10", "a-0@0 b-0@10.1 b-1@10.3", "a-0@0 b-0@10.2"]
    run = simulate(stage(itineraries, "cells.sectors=3", "servers.concurrent_migrations=1", COLD))
    rows = migrations(run)
    assert [row["uav"] for row in rows] == ["uav-0", "uav-1", "uav-2"]
    assert [row["requested_s"] for row in rows] == [10.0, 10.1, 10.2]


def test_services_sent_ahead_together_share_the_link_and_both_are_in_time(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@20 c@40"], *TWO, "policy.name=path-aware"))
    rows = migrations(run)
    assert [row["state"] for row in rows] == ["completed"] * 4
    assert [row["bandwidth_bps"] for row in rows] == [0.5e9] * 4
    assert [row["down_from_s"] for row in rows] == pytest.approx([20, 20, 40, 40])
    # Being early on purpose is not waiting.
    assert run.summary["migrations"]["waited_s"]["largest"] == 0.0


def test_a_decision_made_while_a_migration_fails_is_carried_out(stage: Stage) -> None:
    failed, done = migrations(simulate(stage(["a@0 b@10 d@10.45"], COLD, _cut(10.5))))
    assert hop(failed) == ("a", "b", "failed")
    assert hop(done) == ("a", "d", "completed")
    assert done["started_s"] == failed["ended_s"]


class _ReservesForTheFirst:
    def decide(self, situation: Situation) -> Move | None:
        return Move(situation.serving, reserve=situation.uav == "uav-0") if _left_behind(situation) else None


class _SaysTheSameAgain:
    def __init__(self) -> None:
        self.move = Move("b", strategy=Strategy.COLD, reserve=False, switch_at_s=20.0)

    def decide(self, situation: Situation) -> Move | None:
        return self.move if situation.location == "a" and situation.serving == "a" else None


def _left_behind(situation: Situation) -> bool:
    return situation.serving != situation.location


def test_who_does_not_reserve_waits_for_a_link_that_is_reserved_in_full(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BUILT_IN, "first", _ReservesForTheFirst)
    reserving, sharing = migrations(simulate(stage(["a@0 b@10", "a@0 b@10.5"], "policy.name=first")))
    assert reserving["bandwidth_bps"] == 1e9
    assert sharing["started_s"] == reserving["ended_s"]


def test_of_two_timers_for_one_move_only_the_newer_counts(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILT_IN, "again", _SaysTheSameAgain)
    (row,) = migrations(simulate(stage(["a@0 c@5 a@7 b@20"], "policy.name=again")))
    assert (row["requested_s"], row["started_s"], row["state"]) == (20.0, 20.0, "completed")
