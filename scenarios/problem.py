"""What is wrong with an input, in words for people."""

import difflib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

FieldPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input.

    `file` is the file as the caller named it, or the override ("--set path=value") at fault; `line` counts from 1
    and is None where there is none; `field` is the path of the field ("services[0].state_bytes"), empty for the
    file as a whole.
    """

    file: str
    line: int | None
    field: str
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.field, self.message) if part)


class InputError(ValueError):
    """An input that cannot be used; `problems` lists everything found, `str(error)` is for people to read."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def spell(path: FieldPath) -> str:
    """Write a field path as a person would: ("services", 0, "name") is services[0].name."""
    parts = [f"[{key}]" if isinstance(key, int) else f".{_plain(key)}" for key in path]
    return "".join(parts).removeprefix(".")


def _plain(name: str) -> str:
    return name if re.fullmatch(r"[\w+-]{1,60}", name) else show(name)


def show(value: Any) -> str:
    """Write a value from the file in at most 60 plain characters."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 60 else f"{text[:57]}..."


def nearest(name: str, names: Sequence[str]) -> list[str]:
    """Return the one of `names` that `name` was probably meant to be, if any, ignoring case."""
    by_lower = {candidate.lower(): candidate for candidate in names}
    return [by_lower[found] for found in difflib.get_close_matches(name.lower()[:200], by_lower, n=1)]


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return the end of a message that offers the nearest of `names`, empty if none is near."""
    return "".join(f"; did you mean {found}?" for found in nearest(name, names))


def known_names(name: str, names: Sequence[str]) -> str:
    """Return the end of a message that offers the nearest of `names`, or else all of them."""
    return did_you_mean(name, names) or (f"; known here: {', '.join(names)}" if names else "")
