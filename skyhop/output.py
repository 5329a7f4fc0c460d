"""What commands print: tables for people, or one JSON document for machines."""

import dataclasses
import json
import math
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

WIDTH_OF_A_FILE = 120
"""Columns of the output where it does not go to a terminal."""


def console(*, stderr: bool = False) -> Console:
    """A console that prints text as it is; brackets in it are no mark-up."""
    made = Console(stderr=stderr, markup=False, highlight=False)
    if not made.is_terminal:
        made.width = WIDTH_OF_A_FILE
    return made


def table(title: str, *columns: str, numbers: int = 0) -> Table:
    """An empty table; the last `numbers` columns are aligned to the right."""
    made = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    for place, column in enumerate(columns):
        made.add_column(column, justify="right" if place >= len(columns) - numbers else "left")
    return made


def print_json(document: Any) -> None:
    """Print `document` as JSON on stdout, and nothing else; in ASCII, which every console and pipe can carry."""
    typer.echo(json.dumps(plain(document), indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """`value` as JSON knows it: dataclasses and named tuples as objects, paths as text, not finite numbers as null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
