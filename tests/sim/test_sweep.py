"""What a sweep goes through, how it survives being stopped, and that it does not matter who computes it."""

# The package distributed carries few annotations.
# mypy: disallow-untyped-calls=False

import json
import logging
import os
import threading
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from distributed import LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from scenarios import InputError, Scenario, load
from sim import simulate
from sim.figures import align, flatten, unit_of
from sim.samples import MAXIMUM_POINTS, Choices, Range, combine, parse_over
from sim.sweep import Sweep, plan_sweep, run_sweep
from sim.workers import on_cluster, on_this_machine
from tests.tiny import TINY


def planned(
    folder: Path,
    *over: str,
    overrides: Sequence[str] = (),
    samples: int | None = None,
    seeds: int | None = None,
) -> Sweep:
    path = folder / "tiny.yaml"
    if not path.exists():
        path.write_text(TINY, encoding="utf-8")
    return plan_sweep(lambda texts: load(path, Scenario, texts), over, overrides, samples, seeds)


def table_bytes(folder: Path) -> bytes:
    return (folder / "sweep.parquet").read_bytes()


def test_a_list_holds_yaml_values_and_commas_within_brackets_do_not_part_them() -> None:
    assert parse_over("policy.name=never, mose-md") == Choices(
        "policy.name", ("never", "mose-md"), "--over policy.name=never, mose-md"
    )
    parsed = parse_over("uavs[0].trajectory.centre_m=[0,0,60],[5,0,80]")
    assert isinstance(parsed, Choices)
    assert parsed.values == ([0, 0, 60], [5, 0, 80])


def test_a_range_with_a_count_is_spaced_evenly_or_by_factors() -> None:
    even, factors = parse_over("network.bandwidth_bps=1e8:1e9:4"), parse_over("network.bandwidth_bps=1e6:1e9:4:log")
    assert isinstance(even, Choices)
    assert isinstance(factors, Choices)
    assert even.values == (100_000_000, 400_000_000, 700_000_000, 1_000_000_000)
    assert factors.values == pytest.approx((1e6, 1e7, 1e8, 1e9), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("policy.name", "must read path=value,value or path=low:high:count"),
        ("=1", "must read path=value,value or path=low:high:count"),
        ("a=", "a: needs at least one value"),
        ("a=[1", "a: not valid YAML"),
        ("a=2:1:3", "a: a range is low:high, two finite numbers, the lower one first"),
        ("a=1:1e999", "a: a range is low:high, two finite numbers, the lower one first"),
        ("a=0:1:3:log", "a: a range spaced by factors starts above 0, not at 0"),
        ("a=0:1:1", "a: a range has 2 to 20,000 values, not 1"),
    ],
)
def test_an_option_that_cannot_be_read_is_named_as_it_was_typed(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_over(text)
    assert str(caught.value).startswith(f"--over {text}: {complaint}")


def test_a_grid_has_every_combination_and_the_last_field_varies_fastest() -> None:
    axes = (Choices("a", (1, 2), ""), Choices("b", ("x", "y"), ""))
    assert combine(axes, None, np.random.default_rng(1)) == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]


@given(st.integers(1, 60), st.integers(0, 2**32), st.booleans())
def test_samples_are_a_latin_hypercube_crossed_with_the_lists(count: int, seed: int, geometric: bool) -> None:
    axes = (Range("a", 1.0, 16.0, geometric, ""), Choices("b", ("x", "y"), ""), Range("c", -3.0, 5.0, False, ""))
    points = combine(axes, count, np.random.default_rng(seed))
    assert len(points) == 2 * count
    first, second = points[:count], points[count:]
    assert [(a, c) for a, _, c in first] == [(a, c) for a, _, c in second]
    shares = [np.log2(a) / 4 if geometric else (a - 1.0) / 15.0 for a, _, _ in first]
    assert sorted(int(share * count + 1e-9) for share in shares) == list(range(count))
    assert sorted(int((c + 3.0) / 8.0 * count) for _, _, c in first) == list(range(count))


@given(st.integers(1, 50), st.integers(0, 50), st.booleans())
def test_whole_samples_meet_both_ends_and_every_number_alike(low: int, width: int, geometric: bool) -> None:
    count = width + 1
    edges = (np.arange(count) + 0.5) / count
    drawn = Range("a", low, low + width, geometric, "", whole=True).at(edges)
    assert all(isinstance(value, int) and low <= value <= low + width for value in drawn)
    if not geometric:
        assert drawn == tuple(range(low, low + width + 1))


def test_a_design_that_does_not_fit_together_is_refused() -> None:
    generator = np.random.default_rng(1)
    with pytest.raises(
        ValueError, match=r"--over a=1:2: give the range a count, low:high:count, or draw .* --sample N"
    ):
        combine([parse_over("a=1:2")], None, generator)
    with pytest.raises(ValueError, match="--sample 3: needs a range without a count"):
        combine([parse_over("a=1:2:2")], 3, generator)
    with pytest.raises(ValueError, match="a is swept twice"):
        combine([parse_over("a=1"), parse_over("a=2")], None, generator)
    with pytest.raises(ValueError, match=rf"the sweep has 40,000 points; at most {MAXIMUM_POINTS:,} are run"):
        combine([parse_over("a=1:2:200"), parse_over("b=1:2:200")], None, generator)


def test_every_point_is_checked_before_any_runs(tmp_path: Path) -> None:
    for over, complaint in (
        ("services[0].state_byts=1e6", "services[0].state_byts: unknown field; did you mean state_bytes?"),
        ("flight.testbed=px4-sitl,px4-stil", 'flight.testbed: got "px4-stil"; allowed: one of px4-sitl, mose-2025'),
        ("network.bandwidth_bps=-1:5", "network.bandwidth_bps: got -1"),
        ("cells.sites[0].name=west,3", "cells.sites[0].name: got 3; allowed: text"),
    ):
        with pytest.raises(InputError) as caught:
            planned(tmp_path, over, samples=2 if over.endswith(":5") else None)
        assert str(caught.value).startswith(f"--over {over}: {complaint}")
    with pytest.raises(InputError, match=r"tiny.yaml:.* \(at the point services\[0\].name=\"other\"\)"):
        planned(tmp_path, "services[0].name=autopilot,other")


def test_a_sampled_field_that_counts_gets_whole_numbers(tmp_path: Path) -> None:
    sweep = planned(tmp_path, "uavs[0].count=1:4", "services[0].state_bytes=1e6:4e6", samples=8)
    assert [point.scenario.uavs[0].count for point in sweep.points] == [
        point.values["uavs[0].count"] for point in sweep.points
    ]
    assert sorted(point.values["uavs[0].count"] for point in sweep.points) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert len({point.scenario.services[0].state_bytes for point in sweep.points}) == 8


def test_all_points_are_repeated_with_the_same_seeds_and_more_seeds_begin_alike(tmp_path: Path) -> None:
    sweep = planned(tmp_path, "policy.name=never,mose-md", seeds=3)
    seeds = [point.scenario.seed for point in sweep.points]
    assert seeds[:3] == seeds[3:]
    assert len(set(seeds)) == 3
    more = planned(tmp_path, "policy.name=never", seeds=5)
    assert [point.values["seed"] for point in more.points][:3] == seeds[:3]
    other = planned(tmp_path, "policy.name=never", overrides=["seed=2"], seeds=3)
    assert not {point.scenario.seed for point in other.points} & set(seeds)


def test_a_row_holds_the_point_its_values_and_the_figures_of_its_run(tmp_path: Path) -> None:
    sweep = planned(tmp_path, "policy.name=never,mose-md,nearest-cold", "services[0].state_bytes=5e6")
    frame = run_sweep(sweep, tmp_path / "out", workers=1)
    assert frame.equals(pl.read_parquet(tmp_path / "out" / "sweep.parquet"))
    assert frame["point"].to_list() == [0, 1, 2]
    assert frame["policy.name"].to_list() == ["never", "mose-md", "nearest-cold"]
    assert frame["error"].to_list() == [None, None, None]
    for row, point in zip(frame.iter_rows(named=True), sweep.points, strict=True):
        expected = flatten(simulate(point.scenario).summary)
        assert {name: row[name] for name in expected} == expected
    assert frame["migrations.downtime.median_s"][0] is None
    assert frame["migrations.by_strategy.cold"].to_list()[:2] == [0, 0]
    assert frame["migrations.by_strategy.cold"][2] > 0


def test_a_point_that_fails_says_why_and_the_others_go_on(tmp_path: Path) -> None:
    sweep = planned(tmp_path, "servers.memory_bytes=1e6,6.4e10")
    frame = run_sweep(sweep, tmp_path / "out", workers=1)
    assert "memory" in frame["error"][0]
    assert frame["error"][1] is None
    assert frame["migrations.count"][0] is None
    assert frame["migrations.count"][1] > 0


def test_a_stopped_sweep_computes_only_what_is_missing_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    sweep = planned(tmp_path, "policy.name=never,mose-md", "network.bandwidth_bps=1e8:1e9:3")
    run_sweep(sweep, tmp_path / "whole", workers=1)

    def stop_at_three(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(sweep, tmp_path / "stopped", workers=1, progress=stop_at_three)
    points = tmp_path / "stopped" / "points"
    assert sorted(path.name for path in points.iterdir()) == ["00000.json", "00001.json", "00002.json"]
    assert not (tmp_path / "stopped" / "sweep.parquet").exists()
    (points / "00001.json").write_text('{"point": 1, "fig', encoding="utf-8")
    kept = (points / "00002.json").stat().st_mtime_ns
    seen: list[int] = []
    run_sweep(sweep, tmp_path / "stopped", workers=1, progress=seen.append)
    assert seen == [3, 4, 5, 6]
    assert (points / "00002.json").stat().st_mtime_ns == kept
    assert table_bytes(tmp_path / "stopped") == table_bytes(tmp_path / "whole")


def test_a_folder_of_another_sweep_is_refused_unless_it_is_to_be_restarted(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_sweep(planned(tmp_path, "policy.name=never,mose-md"), out, workers=1)
    other = planned(tmp_path, "policy.name=never", overrides=["seed=7"])
    with pytest.raises(ValueError, match=r"out: holds another sweep, which differs in .*seed.*design.*--restart"):
        run_sweep(other, out, workers=1)
    assert run_sweep(other, out, workers=1, restart=True).height == 1
    assert [path.name for path in (out / "points").iterdir()] == ["00000.json"]


def test_a_folder_of_something_else_is_never_written_to(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").touch()
    with pytest.raises(ValueError, match="letters: holds something else than a sweep"):
        run_sweep(planned(tmp_path, "policy.name=never"), tmp_path / "letters", workers=1, restart=True)
    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["a.txt"]


def test_two_processes_give_the_same_bytes_as_one(tmp_path: Path) -> None:
    sweep = planned(tmp_path, "policy.name=never,mose-md,mose-mr", "servers.memory_bytes=1e6,6.4e10", seeds=2)
    run_sweep(sweep, tmp_path / "one", workers=1)
    run_sweep(sweep, tmp_path / "two", workers=2)
    assert table_bytes(tmp_path / "one") == table_bytes(tmp_path / "two")
    for name in ("sweep.json", *(f"points/{number:05}.json" for number in range(12))):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.fixture
def scheduler() -> Iterator[str]:
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_gives_the_same_bytes_as_this_machine(tmp_path: Path, scheduler: str) -> None:
    sweep = planned(tmp_path, "policy.name=never,mose-md,mose-mr")
    run_sweep(sweep, tmp_path / "here", workers=1)
    run_sweep(sweep, tmp_path / "there", scheduler=scheduler)
    assert table_bytes(tmp_path / "here") == table_bytes(tmp_path / "there")


def test_a_worker_with_other_software_or_files_is_refused(scheduler: str) -> None:
    # A worker answers in another thread, so its answer is another one.
    results = on_cluster(_minus, _minus, [1, 2], scheduler, threading.get_ident)
    with pytest.raises(ValueError, match=r"--scheduler tcp.*: the worker tcp.* has other software or files"):
        next(results)


def test_the_manifest_names_the_scenario_the_design_and_the_versions(tmp_path: Path) -> None:
    manifest = planned(tmp_path, "policy.name=never,mose-md").manifest()
    assert manifest["scenario"] == "tiny"
    assert manifest["design"] == {"over": ["policy.name=never,mose-md"], "samples": None, "seeds": None}
    assert manifest["points"]["count"] == 2
    assert "numpy" in manifest["versions"]
    assert json.loads(json.dumps(manifest)) == manifest


def _die_of_three(item: int) -> int:
    if item == 3:
        os._exit(1)
    return 10 * item


def _minus(item: int) -> int:
    return -item


@pytest.mark.slow
def test_a_process_that_dies_costs_its_own_item_only() -> None:
    results = on_this_machine(_die_of_three, _minus, list(range(40)), 1)
    assert sorted(results) == sorted(-3 if item == 3 else 10 * item for item in range(40))


def test_units_move_to_the_end_of_a_figures_name() -> None:
    summary = {"a": {"downtime_s": {"median": 1.0, "p95": 2.0}, "by_cause_m": {"video": 3.0}, "count": 4, "none": None}}
    assert flatten(summary) == {
        "a.downtime.median_s": 1.0,
        "a.downtime.p95_s": 2.0,
        "a.by_cause.video_m": 3.0,
        "a.count": 4,
    }
    units = [unit_of(name) for name in ("a.downtime.p95_s", "a.by_cause.video_m", "b.moved_bytes", "a.uavs", "a.count")]
    assert units == ["s", "m", "B", "1", "1"]


def test_a_count_of_what_did_not_occur_is_zero_and_any_other_absent_figure_is_null() -> None:
    columns = align([{"a": {"by_state": {"x": 2}, "mean_s": 1.0}}, {"a": {"by_state": {}}}, None])
    assert columns == {"a.by_state.x": [2, 0, None], "a.mean_s": [1.0, None, None]}


def test_files_are_found_from_whichever_folder_a_worker_starts_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cells.csv").write_text("time_s,uav,cell\n0,uav,west\n10,uav,east\n", encoding="utf-8")
    (tmp_path / "tiny.yaml").write_text(
        TINY.replace("{type: nearest}", "{type: table, path: cells.csv}"), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    sweep = plan_sweep(partial(load, Path("tiny.yaml"), Scenario), ["policy.name=never"])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run_sweep(sweep, Path("out"), workers=1)["error"].to_list() == [None]
