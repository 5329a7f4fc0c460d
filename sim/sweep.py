"""Sweep a scenario over values of its fields: one run a point, one row a run, resumable and spread over processes.

A sweep lives in a folder: `sweep.json` (what is swept, from which scenario, by which versions), `points/00012.json`
(the key figures of one point, there as soon as it is done) and `sweep.parquet` (all of them, a row a point).
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from mobility import named_generator
from scenarios.problem import InputError, Problem
from scenarios.schema import Scenario
from sim.engine import simulate
from sim.run import provenance, scenario_hash
from sim.samples import Choices, Range, combine, parse_over
from sim.sweep_folder import SweepFolder

Read = Callable[[Sequence[str]], Scenario]
"""Reads and checks the scenario with overrides such as "policy.name=never"; `scenarios.load` with its path bound."""


@dataclass(frozen=True, slots=True)
class Point:
    """One run of a sweep: its number, the values of the swept fields, and the scenario with them."""

    number: int
    values: dict[str, Any]
    scenario: Scenario


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is run: the scenario as it was, the design as it was asked for, and the points."""

    base: Scenario
    design: dict[str, Any]
    points: tuple[Point, ...]

    def manifest(self) -> dict[str, Any]:
        """What the sweep can be traced to; two sweeps with equal manifests have equal results."""
        digest = hashlib.sha256()
        for point in self.points:
            digest.update(scenario_hash(point.scenario).encode())
        points = {"count": len(self.points), "sha256": digest.hexdigest()}
        return {"skyhop_sweep": 1, **_origin(self.base), "design": self.design, "points": points}


def _origin(scenario: Scenario) -> dict[str, Any]:
    """What a scenario's figures can be traced to; reads the scenario's files where this is called."""
    return provenance(scenario, scenario_hash(scenario))


def plan_sweep(
    read: Read, over: Sequence[str], overrides: Sequence[str] = (), samples: int | None = None, seeds: int | None = None
) -> Sweep:
    """Read and check every point of a sweep.

    `over` are texts as `sim.samples.parse_over` reads them. `overrides` hold for all points. `samples` is how many
    times to draw from the ranges, `seeds` how many seeds, derived from the scenario's, each point is run with: the
    same for all points, so that they differ by the swept fields only.

    Raises:
        ValueError: the design does not fit together, or a point is no valid scenario (`InputError`).
    """
    base = _with_absolute_paths(read(overrides))
    axes = [_fitted(parse_over(text), read, overrides) for text in over]
    root = np.random.SeedSequence(base.seed)
    if seeds is not None:
        drawn = named_generator(root, "sweep/seeds").integers(2**63, size=seeds, dtype=np.uint64)
        axes.append(Choices("seed", tuple(drawn.tolist()), f"--seeds {seeds}"))
    combinations = combine(axes, samples, named_generator(root, "sweep/samples"))
    points = []
    for number, values in enumerate(combinations):
        scenario = _read_point(read, overrides, axes, values)
        points.append(Point(number, {axis.path: value for axis, value in zip(axes, values, strict=True)}, scenario))
    return Sweep(base, {"over": list(over), "samples": samples, "seeds": seeds}, tuple(points))


def _fitted(axis: Choices | Range, read: Read, overrides: Sequence[str]) -> Choices | Range:
    """The axis; a range over a field that counts draws whole numbers."""
    if isinstance(axis, Choices):
        return axis
    node: Any = _read_point(read, overrides, [axis], [axis.low]).model_dump(mode="json")
    for key in axis.path.replace("[", ".").replace("]", "").split("."):
        node = node[int(key)] if isinstance(node, list) else node[key]
    return replace(axis, whole=isinstance(node, int))


def _read_point(
    read: Read, overrides: Sequence[str], axes: Sequence[Choices | Range], values: Sequence[Any]
) -> Scenario:
    own = [f"{axis.path}={json.dumps(value, ensure_ascii=False)}" for axis, value in zip(axes, values, strict=True)]
    try:
        scenario = read([*overrides, *own])
    except InputError as error:
        sources = {f"--set {text}": axis.source for text, axis in zip(own, axes, strict=True)}
        raise InputError(_at_point(problem, sources, own) for problem in error.problems) from error
    return _with_absolute_paths(scenario)


def _with_absolute_paths(scenario: Scenario) -> Scenario:
    """The scenario for a worker that was started in another folder."""
    return Scenario.model_validate(scenario.model_dump(), context={"directory": Path.cwd()})


def _at_point(problem: Problem, sources: dict[str, str], own: Sequence[str]) -> Problem:
    """The problem, placed at the option as it was typed, or else with the point at which it occurs."""
    if problem.file in sources:
        return replace(problem, file=sources[problem.file])
    return replace(problem, message=f"{problem.message} (at the point {', '.join(own)})")


def run_sweep(
    sweep: Sweep,
    folder: Path,
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    restart: bool = False,
    progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Run what is missing of `sweep` in `folder` and write `sweep.parquet`: one row a point.

    `workers` is how many processes of this machine to use, by default one a core; one works in this process.
    `scheduler` is the address of a dask cluster to use instead. Its workers need the same versions of everything, and
    the files that the scenario names at the same paths: a shared file system. Results are written by this process
    only. `progress` is called with the number of points done. A point that fails keeps its message in the column
    `error`; it is tried again when the same sweep is run again. The script that calls this with more than one worker
    needs the guard `if __name__ == "__main__":`, since processes are spawned.

    Raises:
        ValueError: the folder holds another sweep and `restart` is not set, or something else, or the cluster does
            not fit.
    """
    kept = SweepFolder(folder, sweep.manifest(), restart=restart)
    missing = [point for point in sweep.points if not kept.is_done(point.number)]
    done = len(sweep.points) - len(missing)
    for number, outcome in _outcomes(missing, workers, scheduler):
        kept.keep(number, outcome)
        done += 1
        if progress is not None:
            progress(done)
    return kept.table({point.number: point.values for point in sweep.points})


def _outcomes(missing: Sequence[Point], workers: int | None, scheduler: str | None) -> Iterable[tuple[int, str]]:
    if not missing:
        return ()
    if scheduler is not None:
        from sim.workers import on_cluster

        return on_cluster(_simulate_point, _lost, missing, scheduler, partial(_origin, missing[0].scenario))
    if workers is None:
        from dask.system import CPU_COUNT

        workers = int(CPU_COUNT)
    if min(workers, len(missing)) == 1:
        return map(_simulate_point, missing)
    from sim.workers import on_this_machine

    return on_this_machine(_simulate_point, _lost, missing, min(workers, len(missing)))


def _simulate_point(point: Point) -> tuple[int, str]:
    """Number and outcome of a point as JSON; whatever goes wrong in it is its outcome, and the others go on."""
    try:
        return point.number, _outcome(point, figures=simulate(point.scenario).summary)
    except ValueError as error:
        return point.number, _outcome(point, error=str(error))
    except Exception as error:
        return point.number, _outcome(point, error=f"{type(error).__name__}: {error}")


def _lost(point: Point) -> tuple[int, str]:
    return point.number, _outcome(point, error="the process that ran this point died, perhaps for lack of memory")


def _outcome(point: Point, figures: dict[str, Any] | None = None, error: str | None = None) -> str:
    facts = {"point": point.number, "values": point.values, "figures": figures, "error": error}
    return json.dumps(facts, indent=2, allow_nan=False) + "\n"
