"""`skyhop schema`: the JSON Schema of the files that Skyhop reads."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Kind(StrEnum):
    """What a file can be."""

    SCENARIO = "scenario"
    BUDGET = "budget"


def schema(
    kind: Annotated[Kind, typer.Option(help="Which kind of file.")] = Kind.SCENARIO,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it here instead of to stdout.", show_default=False)
    ] = None,
) -> None:
    """Print the JSON Schema of a scenario or a budget: every field with its unit, range and meaning.

    Editors complete and check YAML files with it.

    Examples:

    skyhop schema

    skyhop schema --kind budget --output budget.schema.json
    """
    import json

    from scenarios import budget, schema
    from skyhop.output import print_json

    document = schema.json_schema() if kind is Kind.SCENARIO else budget.json_schema()
    if output is None:
        print_json(document)
    else:
        output.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        typer.echo(f"{output}: JSON Schema of a {kind.value}")
