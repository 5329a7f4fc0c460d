"""A YAML file as plain data that knows its lines.

The file is hostile until shown otherwise: its size and depth are limited, aliases and tags are refused, and nothing
in it is ever executed.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scenarios.problem import FieldPath, InputError, Problem, did_you_mean, show, spell

MAXIMUM_FILE_BYTES = 2_000_000
MAXIMUM_DEPTH = 40


class _Loader(yaml.SafeLoader):
    """YAML with the scalars of version 1.2 (1e6 is a number; no, on and 12:30 are text), without aliases."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012  (PyYAML fills it per class)
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        mark: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not allowed", problem_mark=mark)
        if self.depth >= MAXIMUM_DEPTH:
            problem = f"nested deeper than {MAXIMUM_DEPTH} levels"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


_TAG = "tag:yaml.org,2002:"
_FLOAT = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
for _kind, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", _FLOAT, list("-+.0123456789")),
):
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(rf"^(?:{_pattern})$"), _first)


@dataclass(slots=True)
class Document:
    """Plain data, and for each field path the file (or override) and the line it comes from."""

    file: str
    data: Any = None
    places: dict[FieldPath, tuple[str, int | None]] = field(default_factory=dict)

    def problem(self, path: FieldPath, message: str) -> Problem:
        """Return a problem at `path`, placed where `path` or its nearest ancestor was written."""
        known = next((path[:n] for n in range(len(path), -1, -1) if path[:n] in self.places), None)
        file, line = (self.file, None) if known is None else self.places[known]
        return Problem(file, line, spell(path), message)


def read(path: Path) -> Document:
    """Read the file at `path`; raises `InputError` if it is not a YAML mapping in UTF-8."""
    document = Document(str(path))
    try:
        size = path.stat().st_size
        if size > MAXIMUM_FILE_BYTES:
            message = f"the file has {size:,} bytes; at most {MAXIMUM_FILE_BYTES:,} are read"
            raise InputError([document.problem((), message)])
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        names = [entry.name for entry in path.parent.glob("*.y*ml")] if path.parent.is_dir() else []
        message = f"there is no such file{did_you_mean(path.name, names)}"
        raise InputError([document.problem((), message)]) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError([Problem(document.file, line, "", "the file is not UTF-8 text")]) from error
    except OSError as error:
        raise InputError([document.problem((), f"cannot be read: {error.strerror}")]) from error
    document.data = parse_value(document, text, (), None)
    if document.data is None:
        raise InputError([document.problem((), "the file is empty")])
    if not isinstance(document.data, dict):
        message = f"the file must hold a mapping of fields to values; got {show(document.data)}"
        raise InputError([document.problem((), message)])
    return document


def parse_value(document: Document, text: str, path: FieldPath, override: str | None) -> Any:
    """Parse `text` as the value at `path`, noting the places; `override` names the override it comes from."""
    file = document.file if override is None else override
    try:
        node = yaml.compose(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None and override is None else None
        reason = " ".join(part for part in (error.context, error.problem) if part)
        raise InputError([Problem(file, line, spell(path), f"not valid YAML: {reason}")]) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1 if override is None else None
        raise InputError([Problem(file, line, spell(path), "holds a character that YAML does not allow")]) from error
    problems: list[Problem] = []
    value = None if node is None else _build(document, node, path, override, problems)
    if problems:
        raise InputError(problems)
    return value


def _build(document: Document, node: yaml.Node, path: FieldPath, override: str | None, problems: list[Problem]) -> Any:
    def place(of: yaml.Node) -> tuple[str, int | None]:
        return (document.file, of.start_mark.line + 1) if override is None else (override, None)

    document.places.setdefault(path, place(node))
    if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None:
                problems.append(Problem(*place(key_node), spell(path), "a field name must be plain text"))
            elif key in mapping:
                first = document.places[(*path, key)][1]
                message = "is given twice" if first is None else f"is given twice, first on line {first}"
                problems.append(Problem(*place(key_node), spell((*path, key)), message))
            else:
                document.places[(*path, key)] = place(key_node)
                mapping[key] = _build(document, value_node, (*path, key), override, problems)
        return mapping
    if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
        return [_build(document, item, (*path, n), override, problems) for n, item in enumerate(node.value)]
    try:
        if isinstance(node, yaml.ScalarNode):
            return _scalar(node.tag.removeprefix(_TAG), node.value)
        message = f"the tag {node.tag} is not allowed"
    except ValueError as error:
        message = str(error)
    problems.append(Problem(*place(node), spell(path), message))
    return None


def _scalar(kind: str, text: str) -> Any:
    if len(text) > 100 and kind in ("int", "float"):
        raise ValueError(f"a number of {len(text)} digits is too long")
    try:
        match kind:
            case "str":
                return text
            case "null":
                return None
            case "bool":
                return {"true": True, "false": False}[text.lower()]
            case "int":
                return int(text, 0 if text[:2] in ("0o", "0x") else 10)
            case "float":
                return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    except (ValueError, KeyError) as error:
        raise ValueError(f"got {show(text)}, which is no {kind}") from error
    raise ValueError(f"the tag {kind} is not allowed")
