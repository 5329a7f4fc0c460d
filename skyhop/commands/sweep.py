"""`skyhop sweep`: run a scenario over values of its fields."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skyhop.commands.options import Json, Overrides, ScenarioFile

if TYPE_CHECKING:
    import polars as pl

    from sim.sweep import Sweep

SHOWN_ROWS = 20
"""Rows of the table that are printed; the file has all of them."""

SHOWN_FIGURES = {
    "migrations.count": "Migrations",
    "migrations.downtime.median_s": "Downtime, median (s)",
    "migrations.duration.median_s": "Duration, median (s)",
    "latency.mean_s": "Latency, mean (s)",
    "flight.largest_reference_error_m": "Error, largest (m)",
    "stopping_distance.longest_m": "Stopping distance (m)",
}
"""Figures that are printed, as far as the runs have them."""


def sweep(
    file: ScenarioFile,
    over: Annotated[
        list[str],
        typer.Option(
            metavar="PATH=VALUES",
            help="A field and its values: a,b,c or LOW:HIGH:COUNT, or LOW:HIGH to draw from (--sample). With :log at "
            "the end of a range, values are spaced by equal factors. May be given several times.",
            show_default=False,
        ),
    ],
    overrides: Overrides = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Draw N times from the ranges LOW:HIGH, as a Latin hypercube."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Run each point with N seeds, derived from the scenario's."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Processes on this machine; one a core if left out.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A dask scheduler, such as tcp://10.0.0.1:8786, whose workers to use instead. They need the same "
            "versions, and a shared file system: the files that the scenario names, at the same paths.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option(metavar="DIR", help="The results go to DIR/<name>/.")] = Path("sweeps"),
    restart: Annotated[
        bool, typer.Option("--restart", help="Give up the points of an earlier sweep in that folder.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a scenario over values of its fields: every combination of lists, samples of ranges, several seeds.

    Writes sweep.parquet with one row a point: the values and all key figures. The same command again goes on where an
    earlier one was stopped, and tries failed points again. Exits with 1 if a point failed.

    Examples:

    skyhop sweep scenarios/melbourne.yaml --over policy.name=never,mose-md --over network.bandwidth_bps=1e8:1e9:5

    skyhop sweep scenarios/circle.yaml --over 'services[0].state_bytes=1e6:1e9:log' --sample 100 --seeds 10
    """
    from skyhop.output import console, print_json

    if workers is not None and scheduler is not None:
        raise ValueError("--workers is for this machine; with --scheduler the cluster has its own")
    from sim.sweep import plan_sweep
    from skyhop.scenario import read_scenario

    with console(stderr=True).status("Checking the points ..."):
        planned = plan_sweep(lambda texts: read_scenario(file, texts), over, overrides or (), sample, seeds)
    folder = output / planned.base.name
    frame = _run(planned, folder, workers, scheduler, restart)
    failed = frame.filter(frame["error"].is_not_null()).select("point", "error")
    if as_json:
        print_json(
            {
                "scenario": planned.base.name,
                "folder": folder,
                "table": folder / "sweep.parquet",
                "points": frame.height,
                "failed": failed.height,
                "rows": frame.to_dicts(),
            }
        )
    else:
        _print(planned, frame, folder)
    raise typer.Exit(1 if failed.height else 0)


def _run(planned: "Sweep", folder: Path, workers: int | None, scheduler: str | None, restart: bool) -> "pl.DataFrame":
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from sim.sweep import run_sweep
    from skyhop.output import console

    out = console(stderr=True)
    columns = (TextColumn("Simulating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("", total=len(planned.points))
        return run_sweep(
            planned,
            folder,
            workers=workers,
            scheduler=scheduler,
            restart=restart,
            progress=lambda done: bar.update(task, completed=done),
        )


def _print(planned: "Sweep", frame: "pl.DataFrame", folder: Path) -> None:
    from skyhop.output import console, table

    out = console()
    parameters = list(planned.points[0].values)
    figures = {name: title for name, title in SHOWN_FIGURES.items() if name in frame.columns}
    shown = table(
        f"Sweep of {planned.base.name}: {frame.height} points",
        "Point",
        *parameters,
        *figures.values(),
        numbers=len(figures),
    )
    for column in shown.columns:
        column.overflow = "fold"
    for row in frame.head(SHOWN_ROWS).iter_rows(named=True):
        shown.add_row(*(_text(row[name]) for name in ("point", *parameters, *figures)))
    out.print(shown)
    if frame.height > SHOWN_ROWS:
        out.print(f"... and {frame.height - SHOWN_ROWS} more points.")
    failed = frame.filter(frame["error"].is_not_null())
    for point, error in failed.select("point", "error").head(SHOWN_ROWS).iter_rows():
        out.print(f"Point {point} failed: {error}", style="red")
    if failed.height:
        out.print(f"{failed.height} of {frame.height} points failed.", style="bold red")
    out.print(f"All key figures of all points: {folder / 'sweep.parquet'}", soft_wrap=True)


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
