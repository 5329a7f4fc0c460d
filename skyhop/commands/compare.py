"""`skyhop compare`: what differs between runs?"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skyhop.commands.options import Json

if TYPE_CHECKING:
    import polars as pl

    from sim import Run

PICTURES = (".svg", ".png", ".pdf")

RESERVED = {"figure", "unit", "field"}
"""Columns of the tables that are not runs."""


def compare(
    folders: Annotated[
        list[Path], typer.Argument(metavar="RUN RUN...", help="Folders that runs were written to.", show_default=False)
    ],
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write the table of key figures as CSV.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=f"Draw downtimes, durations and trajectory errors; FILE ends in {', '.join(PICTURES)}.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Put runs side by side: key figures with their difference to the first run, scenarios, predictions.

    Examples:

    skyhop compare runs/melbourne runs/path-aware/melbourne

    skyhop compare runs/a/melbourne runs/b/melbourne --picture compared.svg --csv compared.csv
    """
    from sim import read_run
    from sim.compare import compare_figures, compare_predictions, compare_scenarios
    from skyhop.output import print_json

    if len(folders) < 2:
        raise ValueError(f"compare needs at least two runs, got {len(folders)}")
    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise ValueError(f"--picture {picture}: a picture's name ends in one of {', '.join(PICTURES)}")
    runs = dict(zip(run_names(folders), map(read_run, folders), strict=True))
    figures, scenarios, predictions = compare_figures(runs), compare_scenarios(runs), compare_predictions(runs)
    if csv is not None:
        figures.write_csv(csv)
    if picture is not None:
        from skyhop.compare_picture import draw

        draw(runs).savefig(picture)
    if as_json:
        print_json(
            {
                "runs": [
                    {
                        "name": name,
                        "folder": folder,
                        "scenario": run.scenario.name,
                        "scenario_sha256": _hash(folder),
                        "seed": run.scenario.seed,
                    }
                    for (name, run), folder in zip(runs.items(), folders, strict=True)
                ],
                "figures": figures.to_dicts(),
                "scenario_differences": scenarios.to_dicts(),
                "predictions": predictions.to_dicts(),
                "files": [path for path in (csv, picture) if path is not None],
            }
        )
    else:
        _print(runs, figures, scenarios, predictions)
        if scenarios.is_empty() and len({_hash(folder) for folder in folders}) > 1:
            typer.echo("The contents of the files that they name differ.")
        for path in (csv, picture):
            if path is not None:
                typer.echo(f"Written: {path}")


def _hash(folder: Path) -> object:
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8")).get("scenario_sha256")


def run_names(folders: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths that tell the folders apart.

    Raises ValueError if a folder is given twice.
    """
    parts = [folder.resolve().parts for folder in folders]
    for folder, own in zip(folders, parts, strict=True):
        if parts.count(own) > 1:
            raise ValueError(f"{folder}: is given twice")
    for length in range(1, max(map(len, parts))):
        names = ["/".join(own[-length:]) for own in parts]
        if len(set(names)) == len(names) and not RESERVED.intersection(names):
            return names
    return [str(folder.resolve()) for folder in folders]


def _print(
    runs: "dict[str, Run]", figures: "pl.DataFrame", scenarios: "pl.DataFrame", predictions: "pl.DataFrame"
) -> None:
    from sim.compare import TRUTH
    from skyhop.output import console, table

    out = console()
    first = next(iter(runs))
    wide = [column for name in runs for column in ([name] if name == first else [name, f"{name} - {first} (%)"])]
    titles = [column if column in runs else "%" for column in wide]
    shown = table(f"Key figures; % is the difference to {first}", "Figure", "Unit", *titles, numbers=len(titles))
    section = ""
    for row in figures.iter_rows(named=True):
        begins = row["figure"].partition(".")[0]
        if section and begins != section:
            shown.add_section()
        section = begins
        values = (_truth(row[c]) if row["unit"] == TRUTH else _text(row[c], signed=c not in runs) for c in wide)
        shown.add_row(row["figure"], row["unit"], *values)
    out.print(shown)

    if scenarios.is_empty():
        out.print("The scenarios have the same fields.")
    else:
        fields = table("Where the scenarios differ", "Field", *runs)
        for differing in scenarios.iter_rows():
            fields.add_row(*("" if value is None else value for value in differing))
        out.print(fields)

    if not predictions.is_empty():
        _print_predictions(predictions)


def _print_predictions(predictions: "pl.DataFrame") -> None:
    from skyhop.output import console, table

    shown = table(
        "Predicted and observed: medians over completed migrations",
        *("Strategy", "Run", "Migrations", "Downtime (s)", "observed", "ratio", "Duration (s)", "observed", "ratio"),
        numbers=7,
    )
    for row in predictions.drop("share_within_prediction").iter_rows():
        shown.add_row(*(_text(value, signed=False) if isinstance(value, float) else str(value) for value in row))
    console().print(shown)


def _truth(value: float | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _text(value: float | None, *, signed: bool) -> str:
    if value is None:
        return ""
    if signed:
        return f"{value:+.1f}"
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}"
