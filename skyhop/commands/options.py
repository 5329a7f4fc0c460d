"""Arguments and options that several commands take."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

ScenarioFile = Annotated[Path, typer.Argument(metavar="FILE", help="The scenario, a YAML file.", show_default=False)]

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Set a field, such as policy.name=never. May be repeated.",
        show_default=False,
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def reader(parse: Callable[[str], float]) -> Callable[[str], float]:
    """A parser for an option, from a function that raises ValueError: its message reaches the person who typed."""

    def read(text: str) -> float:
        try:
            return parse(text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error

    return read
