"""When each policy moves a service, where to and how; and how a plug-in brings its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pam.migration import Objective
from scenarios import Scenario, load
from sim import Run, Situation, simulate
from sim.policies import BUILT_IN, available_policies, build_policy

Stage = Callable[..., Scenario]
Hops = list[tuple[str, str]]

CIRCLE = Path(__file__).parents[2] / "scenarios" / "circle.yaml"
THERE_AND_BACK = "a@0 b@20 a@40"


def hops(run: Run) -> Hops:
    return run.migrations.select("source", "destination").rows()


def test_never_stays_and_latency_grows_by_two_link_latencies_a_hop(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 c@20"], "policy.name=never", "network.topology=mesh", "network.neighbours=1"))
    assert run.migrations.is_empty()
    assert run.latency["hops"].to_list() == [0, 1, 2]
    latency_s = run.latency["latency_s"].to_list()
    assert latency_s == pytest.approx([latency_s[0], latency_s[0] + 0.004, latency_s[0] + 0.008])


@pytest.mark.parametrize(
    ("policy", "strategy", "objective", "reserved"),
    [
        ("name: nearest-cold", "cold", "md", False),
        ("name: mose", "iterative-pre-copy", "md", True),
        ("name: mose-md", "iterative-pre-copy", "md", True),
        ("name: mose-mr", "cold", "mr", True),
        ("name: latency-threshold", "iterative-pre-copy", "md", True),
        ("name: fixed", "iterative-pre-copy", "md", False),
        ("name: fixed, options: {strategy: pre-copy, iterations: 0, reserve: true}", "pre-copy", "md", True),
        ("name: path-aware", "iterative-pre-copy", "md", True),
    ],
)
def test_each_policy_follows_the_uav_in_its_own_way(
    stage: Stage, policy: str, strategy: str, objective: str, reserved: bool
) -> None:
    run = simulate(stage([THERE_AND_BACK], f"policy={{{policy}}}"))
    assert hops(run) == [("a", "b"), ("b", "a")]
    columns = run.migrations.select("strategy", "objective", "reserved", "state").unique()
    assert columns.rows() == [(strategy, objective, reserved, "completed")]


def test_mose_takes_the_objective_of_the_service_and_its_variants_their_own(stage: Stage) -> None:
    for policy, objectives in (("mose", ["mr"]), ("mose-md", ["md"]), ("mose-mr", ["mr"])):
        run = simulate(stage(["a@0 b@10"], f"policy.name={policy}", "services[0].objective=mr"))
        assert run.migrations["objective"].to_list() == objectives


def test_fixed_takes_the_iterations_it_is_told(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10"], "policy={name: fixed, options: {iterations: 3}}"))
    assert run.migrations["iterations"].to_list() == [3]


def test_the_latency_threshold_lets_a_service_lag_until_the_way_is_too_long(stage: Stage) -> None:
    # No hop has 30.1 ms, one 34.1 ms, two 38.1 ms.
    threshold = "policy={name: latency-threshold, options: {threshold_s: 0.036}}"
    assert hops(simulate(stage(["a@0 b@10 c@20"], threshold))) == [("a", "c")]


@pytest.mark.parametrize(("itinerary", "handovers_s"), [("a@0 b@20 c@40", (20, 40)), (THERE_AND_BACK, (20, 40))])
def test_path_aware_lets_stop_and_copy_begin_at_the_handover(
    stage: Stage, itinerary: str, handovers_s: tuple[float, ...]
) -> None:
    run = simulate(stage([itinerary], "policy.name=path-aware"))
    assert run.migrations["state"].to_list() == ["completed"] * 2
    assert run.migrations["down_from_s"].to_list() == pytest.approx(handovers_s, abs=1e-6)


def test_path_aware_begins_at_once_where_time_is_short(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@2"], "policy.name=path-aware"))
    assert run.migrations["started_s"].item() == 0.0
    assert run.migrations["down_from_s"].item() > 2.0
    assert run.migrations["state"].item() == "completed"


def test_on_the_circle_knowing_the_path_brings_services_nearer() -> None:
    runs = {
        name: simulate(load(CIRCLE, Scenario, [f"policy.name={name}", "flight.simulate=false"]))
        for name in ("path-aware", "mose-md", "never")
    }
    mean_hops = {name: run.summary["latency"]["mean_hops"] for name, run in runs.items()}
    # What is left of the hops is Stop&Copy itself.
    assert mean_hops["path-aware"] < mean_hops["mose-md"] / 4 < mean_hops["never"] / 12
    states = [run.summary["migrations"]["by_state"] for run in runs.values()]
    assert states == [{"completed": 8}, {"completed": 8}, {}]
    downtimes_s = [runs[name].migrations["downtime_s"].sum() for name in ("path-aware", "mose-md")]
    assert downtimes_s[0] == pytest.approx(downtimes_s[1])


def test_an_unknown_policy_is_answered_with_those_there_are(stage: Stage) -> None:
    with pytest.raises(ValueError, match=r"policy.name: no policy 'nearset'; there are fixed, .*path-aware"):
        simulate(stage(["a@0"], "policy.name=nearset"))


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("never", {"threshold_s": 1}, "unexpected keyword argument|takes no arguments"),
        ("latency-threshold", {"threshold_s": -1}, "threshold_s must not be negative, but is -1 s"),
        ("fixed", {"strategy": "warm"}, "'warm' is not a valid Strategy"),
        ("fixed", {"strategy": "post-copy", "iterations": 5}, "iterations is 5; post-copy has none, I must be 0"),
        ("fixed", {"iterations": 0}, "iterations is 0; iterative-pre-copy takes I of 1 or more"),
    ],
)
def test_options_that_a_policy_does_not_take_are_named(name: str, options: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"policy.options: {name} does not take .*({complaint})"):
        build_policy(name, options)


PLUG_IN = '''
from sim import Move


class Leash:
    """Follow to one server only."""

    def __init__(self, to):
        self.to = to

    def decide(self, situation):
        return Move(self.to) if situation.serving == self.to != situation.location else None
'''


def test_a_plug_in_is_found_by_its_entry_point_and_given_its_options(
    stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "leash_policy.py").write_text(PLUG_IN, encoding="utf-8")
    metadata = tmp_path / "leash-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: leash\nVersion: 1\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[skyhop.policies]\nleash = leash_policy:Leash\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert set(available_policies()) == {*BUILT_IN, "leash"}
    assert available_policies()["leash"] == "leash_policy:Leash"
    run = simulate(stage(["a@0 b@10 c@20 d@30"], "policy={name: leash, options: {to: c}}"))
    assert hops(run) == [("a", "c")]


def test_a_policy_sees_where_its_service_is_and_what_comes_next(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Situation] = []

    class Onlooker:
        def decide(self, situation: Situation) -> None:
            seen.append(situation)

    monkeypatch.setitem(BUILT_IN, "onlooker", Onlooker)
    run = simulate(stage(["a@0 b@10 c@30"], "policy.name=onlooker"))
    names = {(each.service, each.uav, each.objective, each.location) for each in seen}
    assert names == {("uav/autopilot", "uav", Objective.MINIMIZE_DOWNTIME, "a")}
    assert [(each.time_s, each.serving, each.next_serving) for each in seen] == [
        (0.0, "a", "b"),
        (10.0, "b", "c"),
        (30.0, "c", None),
    ]
    assert [each.next_handover_s for each in seen] == [10.0, 30.0, float("inf")]
    assert [each.latency_s for each in seen] == run.latency["latency_s"].to_list()


def test_another_sector_of_the_same_site_does_not_hide_the_handover_after_it(stage: Stage) -> None:
    itinerary = ["a-0@0 a-1@19.5 b-0@20 b-1@39 b-2@39.5 a-0@40"]
    run = simulate(stage(itinerary, "cells.sectors=3", "policy.name=path-aware"))
    assert run.migrations["down_from_s"].to_list() == pytest.approx([20.0, 40.0])
