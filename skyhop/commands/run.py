"""`skyhop run`: simulate a scenario, write its results, and say what came out."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skyhop.commands.options import Json, Overrides, ScenarioFile

if TYPE_CHECKING:
    from sim import Run
    from skyhop.results import Results


class Back(StrEnum):
    """What carries migrations out."""

    SIMULATED = "simulated"


def run(
    file: ScenarioFile,
    overrides: Overrides = None,
    output: Annotated[Path, typer.Option(metavar="DIR", help="The results go to DIR/<name>/.")] = Path("runs"),
    seed: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Root of every random stream, instead of the scenario's."),
    ] = None,
    executor: Annotated[Back, typer.Option(help="What carries migrations out.")] = Back.SIMULATED,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html.")] = True,
    as_json: Json = False,
) -> None:
    """Simulate a scenario: a whole flight, every handover, every migration.

    Writes tables (Parquet), flight.mcap for Foxglove, a manifest and report.html. The results of an earlier run of the
    same name are replaced.

    Examples:

    skyhop run scenarios/melbourne.yaml

    skyhop run scenarios/melbourne.yaml --set policy.name=path-aware --seed 7 --output runs/path-aware
    """
    from time import perf_counter

    from skyhop.output import console, print_json
    from skyhop.results import results_folder, write_results
    from skyhop.scenario import read_scenario

    # The seed goes last, so that it wins over one that --set gave.
    scenario = read_scenario(file, [*(overrides or ()), *(() if seed is None else (f"seed={seed}",))])
    folder = results_folder(output, scenario.name)
    from sim import simulate

    with console(stderr=True).status(f"Simulating {scenario.name} ..."):
        started_s = perf_counter()
        done = simulate(scenario)
        took_s = perf_counter() - started_s
    with console(stderr=True).status("Writing the results ..."):
        results = write_results(done, folder, report=report)
    if as_json:
        print_json(
            {
                "scenario": scenario.name,
                "seed": scenario.seed,
                "executor": executor,
                "folder": results.folder,
                "files": results.files,
                "report": results.report,
                "summary": done.summary,
            }
        )
    else:
        _print(done, results, took_s)


def _print(run: "Run", results: "Results", took_s: float) -> None:
    from rich.text import Text

    from skyhop.output import console, table
    from skyhop.summary import summary_rows

    out = console()
    scenario = run.scenario
    out.print(Text(scenario.name, style="bold"))
    if scenario.description:
        out.print(scenario.description.strip())
    out.print(f"Policy {scenario.policy.name}, seed {scenario.seed}; simulated in {took_s:.1f} s.")
    figures = table("Key figures", "About", "Figure", "Value")
    last = ""
    for section, name, value in summary_rows(run.summary):
        if last and section != last:
            figures.add_section()
        figures.add_row(section if section != last else "", name, value)
        last = section
    out.print(figures)
    out.print(f"Results: {results.folder}", soft_wrap=True)
    for path in results.files:
        out.print(f"  {path.relative_to(results.folder)}", soft_wrap=True)
    if results.report is not None:
        out.print(f"Open the report: {results.report}", soft_wrap=True)
