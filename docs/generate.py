"""Writes the generated parts of docs/reference/: `python docs/generate.py`, from the repository root.

Each part stands between `<!-- generated: NAME -->` and `<!-- end -->`; what is around it is written by hand.
"""

import json
import re
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any

import typer

import scenarios
from pam import CONSTANTS, TABLE_III
from scenarios import budget
from scenarios.fields import Schema
from sim.tables import SCHEMA
from skyhop.cli import app

REFERENCE = Path(__file__).parent / "reference"
PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; bars and line breaks in cells are made harmless."""
    titles = list(header)
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|').replace(chr(10), ' ') for cell in line)} |" for line in lines
    )


def schema_tables(document: dict[str, Any], root: str, page: str) -> str:
    """A section for every part of a schema that is described on `page`, in the order of its use."""
    schema = Schema(document)
    sections: dict[str, str] = {}
    pending = [root]
    while pending:
        name = pending.pop(0)
        if name in sections:
            continue
        node = document if name == root else document["$defs"][name]
        pending += _parts(node["properties"])
        rows = [_field(schema, field, about, node, page) for field, about in node["properties"].items()]
        titles = ("Field", "Unit", "Default", "Allowed", "Meaning")
        sections[name] = f"## {name}\n\n{node['description']}\n\n{table(titles, rows)}\n"
    return "\n".join(text for name, text in sections.items() if _page_of(name, page) == page)


def _page_of(part: str, page: str) -> str:
    """Where a part is described: the many kinds of trajectories have a page of their own."""
    if page == "budget.md":
        return page
    return "trajectories.md" if part.endswith("Trajectory") or part == "Area" else "scenario.md"


def _field(schema: Schema, name: str, about: Any, holder: Any, page: str) -> tuple[str, ...]:
    resolved, parts = schema.resolve(about), _parts(about)
    links = []
    for part in parts:
        place = _page_of(part, page)
        links.append(f"[{part}]({'' if place == page else place}#{part.lower()})")
    allowed = ", ".join(links) or _allowed(schema, resolved)
    if parts and "array" in (about.get("type"), resolved.get("type")):
        allowed = f"a list of {allowed}"
    default = "**required**" if name in holder.get("required", ()) else _default(about)
    unit = resolved.get("unit", "")
    meaning = resolved.get("description", "Selects this kind." if "const" in about else "")
    return f"`{name}`", "" if unit == "1" else unit, default, allowed, meaning


def _parts(node: Any) -> list[str]:
    """Names of the parts that a field refers to, in order."""
    if isinstance(node, dict):
        own = [node["$ref"].rsplit("/", 1)[-1]] if "$ref" in node else []
        inner = [part for key, value in node.items() if key != "discriminator" for part in _parts(value)]
        return [part for part in dict.fromkeys(own + inner) if part not in ("Objective", "Braking")]
    return [part for value in node for part in _parts(value)] if isinstance(node, list) else []


def _default(about: dict[str, Any]) -> str:
    if "default" not in about:
        return "empty"
    value = about["default"]
    if isinstance(value, dict):
        return f"`type: {value['type']}`" if "type" in value else "its defaults"
    if isinstance(value, float):
        return f"`{value:g}`"
    return {"null": "none", "[]": "empty", '""': "empty"}.get(json.dumps(value), f"`{json.dumps(value)}`")


def _allowed(schema: Schema, node: dict[str, Any]) -> str:
    words = schema.allowed({key: value for key, value in node.items() if key not in ("unit", "description")})
    return words if len(words) < 120 else words[:117] + "..."


def result_tables() -> str:
    """A section for every table of a run."""
    kinds = {"d": "number", "q": "whole number", "b": "true or false", "text": "text"}
    sections = []
    for name, columns in SCHEMA.items():
        rows = []
        for column in columns:
            words = column.kind if isinstance(column.kind, tuple) else ()
            kind = ", ".join(f"`{word}`" for word in words) or kinds.get(str(column.kind), f"name of a {column.kind}")
            rows.append((f"`{column.name}`", "" if column.unit == "1" else column.unit, kind, column.meaning))
        sections.append(f"### {name}.parquet\n\n{table(('Column', 'Unit', 'Holds', 'Meaning'), rows)}\n")
    return "\n".join(sections)


def pam_symbols() -> str:
    """A row for every constant of PAM."""
    rows = []
    for field, constant in CONSTANTS.items():
        value = getattr(TABLE_III, field)
        shown = f"{value[0]:g} to {value[1]:g}" if isinstance(value, tuple) else f"{value:g}"
        unit = "" if constant.unit == "1" else constant.unit
        rows.append((constant.symbol, constant.meaning, f"`{field}`", constant.source, shown, unit))
    return table(("Symbol", "Meaning", "Field", "Source", "Value", "Unit"), rows) + "\n"


def commands() -> str:
    """A section for every command: what it does, its arguments and options, and its examples."""
    group: Any = typer.main.get_command(app)
    sections = []
    for name, command in group.commands.items():
        about, _, examples = command.help.partition("Examples:")
        rows = [_parameter(each) for each in command.params]
        lines = "\n".join(line.strip() for line in examples.splitlines() if line.strip())
        head = f"## skyhop {name}\n\n{about.strip()}\n\n{table(('Option', 'Default', 'Meaning'), rows)}\n"
        sections.append(f"{head}\n<!-- not run: the examples are for reading -->\n```sh\n{lines}\n```\n")
    return "\n".join(sections)


def _parameter(parameter: Any) -> tuple[str, str, str]:
    flags = ", ".join(f"`{flag}`" for flag in (*parameter.opts, *parameter.secondary_opts))
    default = parameter.default
    choices = "|".join(each.value for each in type(default)) if isinstance(default, Enum) else ""
    value = parameter.metavar or choices
    shown = flags if flags.startswith("`--") else ""
    shown = f"{shown} `{value}`".strip() if value else shown
    text = default.value if isinstance(default, Enum) else default.as_posix() if isinstance(default, Path) else default
    if parameter.required:
        return shown, "**required**", parameter.help
    if parameter.secondary_opts:
        text = parameter.opts[0] if default else parameter.secondary_opts[0]
    return shown, f"`{text}`" if isinstance(text, str) else "", parameter.help


PARTS: dict[str, Callable[[], str]] = {
    "scenario": lambda: schema_tables(scenarios.json_schema(), "Scenario", "scenario.md"),
    "trajectories": lambda: schema_tables(scenarios.json_schema(), "Scenario", "trajectories.md"),
    "budget": lambda: schema_tables(budget.json_schema(), "Budget", "budget.md"),
    "results": result_tables,
    "pam-symbols": pam_symbols,
    "commands": commands,
}


def regenerated(page: str) -> str:
    """The text of a page with its generated parts made anew. Raises KeyError for a part that nothing generates."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[3]}", page)


def main() -> None:
    """Write the generated parts of every page of the reference."""
    for path in sorted(REFERENCE.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        path.write_text(regenerated(text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
