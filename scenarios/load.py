"""Read a YAML file into a pydantic model, and say in plain words what is wrong with it.

Every problem names the file, the line, the field, what was given and what is allowed.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from scenarios.document import Document, parse_value, read
from scenarios.fields import JsonSchema, Schema
from scenarios.problem import FieldPath, InputError, Problem, did_you_mean, known_names, nearest, show, spell

__all__ = ["InputError", "Problem", "load"]

M = TypeVar("M", bound=BaseModel)


def load(path: Path, model: type[M], overrides: Sequence[str] = ()) -> M:
    """Read the YAML file at `path` as a `model`.

    `overrides` are texts such as "services[0].state_bytes=1e6", applied in order before validation; the values are
    YAML. Validators find the folder of the file as ``info.context["directory"]``. Raises `InputError` with every
    problem found.
    """
    document = read(path)
    for override in overrides:
        _apply_override(document, _schema(model), override)
    try:
        return model.model_validate(document.data, context={"directory": path.parent})
    except ValidationError as error:
        raise InputError(_explain(error, document, _schema(model))) from error


@cache
def _schema(model: type[BaseModel]) -> Schema:
    return Schema(model.model_json_schema())


_STEP = re.compile(r"\.?([^.\[\]=\s]+)|\[([0-9]{1,9})\]")


def _steps(text: str) -> FieldPath:
    """The path that `text` spells, as in services[0].state_bytes; empty if it spells none."""
    path: list[str | int] = []
    position = 0
    while match := _STEP.match(text, position):
        path.append(match[1] if match[2] is None else int(match[2]))
        position = match.end()
    return () if position != len(text) or text.startswith(".") else tuple(path)


def _apply_override(document: Document, schema: Schema, override: str) -> None:
    """Set one field of the document; raises InputError if the schema does not know it."""
    source = f"--set {override}"
    text, equals, value = override.partition("=")
    path = _steps(text)
    if not equals or not path:
        raise InputError([Problem(source, None, "", "must read path=value, as in services[0].state_bytes=1e6")])
    container: Any = document.data
    node = schema.root
    for depth, key in enumerate(path):
        here = tuple(path[: depth + 1])
        inner = schema.child(node, key, container)
        holds_key = isinstance(container, list if isinstance(key, int) else dict)
        if isinstance(key, int) and isinstance(container, list) and key >= len(container):
            message = f"there is no such entry; the list has {len(container)}, counted from 0"
            raise InputError([Problem(source, None, spell(here), message)])
        if inner is None or not holds_key:
            message = f"unknown field{known_names(str(key), schema.names(node, container))}"
            raise InputError([Problem(source, None, spell(here), message)])
        if depth == len(path) - 1:
            document.places = {known: at for known, at in document.places.items() if known[: depth + 1] != here}
            container[key] = parse_value(document, value, here, source)
            return
        node = inner
        if isinstance(key, str) and container.get(key) is None:
            container[key] = [] if isinstance(path[depth + 1], int) else {}
            document.places[here] = (source, None)
        container = container[key]


def _explain(error: ValidationError, document: Document, schema: Schema) -> list[Problem]:
    problems: dict[Problem, None] = {}
    guessed: set[str] = set()
    errors = error.errors(include_url=False)
    for details in errors:
        if details["type"] == "too_short" and _another_inside(details["loc"], errors):
            continue  # a list with a bad entry counts as one too short
        path, node, value, parents = _locate(details["loc"], document.data, schema)
        if details["type"] == "extra_forbidden":
            names = schema.names(*parents)
            guessed.update(spell((*path[:-1], name)) for name in nearest(str(path[-1]), names))
            problems[document.problem(path, f"unknown field{known_names(str(path[-1]), names)}")] = None
        else:
            problems[_complaint(details, document, schema, path, node, value)] = None
    kept = (p for p in problems if not (p.field in guessed and p.message.startswith(_MISSING)))
    return sorted(kept, key=lambda problem: (problem.line or 0, problem.field))


_MISSING = "is missing"


def _another_inside(place: FieldPath, errors: Sequence[ErrorDetails]) -> bool:
    return any(len(error["loc"]) > len(place) and error["loc"][: len(place)] == place for error in errors)


def _complaint(
    details: ErrorDetails, document: Document, schema: Schema, path: FieldPath, node: JsonSchema, value: Any
) -> Problem:
    kind, node = details["type"], schema.resolve(node)
    if kind in ("value_error", "assertion_error"):
        message = str(details.get("ctx", {}).get("error", details["msg"]))
        field, colon, rest = message.partition(": ")
        if colon and (inner := _steps(field)) and inner[0] in schema.names(node, value):
            return document.problem((*path, *inner), rest)
        shown = "" if isinstance(value, dict | list) else f"got {show(value)}; "
        return document.problem(path, shown + message)
    if kind.startswith("union_tag"):
        path = (*path, node["discriminator"]["propertyName"])
        value = details.get("ctx", {}).get("tag")
        kind = "missing" if kind == "union_tag_not_found" else kind
        allowed = f"one of {', '.join(schema.values(node))}"
    else:
        allowed = schema.allowed(node) if node else details["msg"]
    if kind == "missing":
        return document.problem(path, f"{_MISSING}; needs {allowed}")
    guess = did_you_mean(value, schema.values(node)) if isinstance(value, str) else ""
    return document.problem(path, f"got {show(value)}; allowed: {allowed}{guess}")


def _locate(loc: FieldPath, data: Any, schema: Schema) -> tuple[FieldPath, JsonSchema, Any, tuple[JsonSchema, Any]]:
    """Turn pydantic's location into path, schema and value of the field, and schema and value of what holds it."""
    path: list[str | int] = []
    node, parents = schema.resolve(schema.root), (schema.root, data)
    value: Any = data
    for key in loc:
        if isinstance(key, str) and key in node.get("discriminator", {}).get("mapping", {}):
            node = schema.resolve({"$ref": node["discriminator"]["mapping"][key]})
            continue
        inner = schema.child(node, key, value)
        try:
            inside: Any = value[key]
        except (LookupError, TypeError):
            if inner is None:
                continue  # pydantic's name for one alternative of a union, or its mark for a key
            inside = None
        parents = (node, value)
        path.append(key)
        node, value = inner or {}, inside
    return tuple(path), node, value, parents
