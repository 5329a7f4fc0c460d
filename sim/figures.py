"""Key figures as one flat row: a name with the unit as suffix, and a value."""

from collections.abc import Mapping, Sequence
from typing import Any

Figure = float | int | bool | str

_UNITS = {"s": "s", "m": "m", "bytes": "B", "bps": "bit/s", "hz": "1/s"}


def flatten(summary: Mapping[str, Any]) -> dict[str, Figure]:
    """Every figure of a summary by its dotted name; what there is nothing to tell about (None) is left out.

    A unit that stands at a group moves to its members: {"downtime_s": {"median": 1.0}} is "downtime.median_s".
    """
    return dict(_leaves(summary, "", ""))


def _leaves(group: Mapping[str, Any], prefix: str, suffix: str) -> list[tuple[str, Figure]]:
    leaves: list[tuple[str, Figure]] = []
    for name, value in group.items():
        if isinstance(value, Mapping):
            unit = _suffix(name)
            leaves += _leaves(value, f"{prefix}{name.removesuffix(unit)}.", unit or suffix)
        elif value is not None:
            leaves.append((f"{prefix}{name}{suffix}", value))
    return leaves


def align(summaries: Sequence[Mapping[str, Any] | None]) -> dict[str, list[Figure | None]]:
    """Columns of figures, a row a summary, group by group in order of appearance; a summary of None is a row of nulls.

    A figure that a summary lacks is null, but a count of what did not occur is 0.
    """
    rows = [None if summary is None else flatten(summary) for summary in summaries]
    names = list(dict.fromkeys(name for row in rows if row is not None for name in row))
    sections = list(dict.fromkeys(name.split(".")[0] for name in names))
    groups = list(dict.fromkeys(name.rpartition(".")[0] for name in names))
    names.sort(key=lambda name: (sections.index(name.split(".")[0]), groups.index(name.rpartition(".")[0])))
    columns: dict[str, list[Figure | None]] = {}
    for name in names:
        present = [row[name] for row in rows if row is not None and name in row]
        counts = ".by_" in name and all(isinstance(value, int) for value in present)
        columns[name] = [None if row is None else row.get(name, 0 if counts else None) for row in rows]
    return columns


def unit_of(name: str) -> str:
    """The unit that the suffix of a figure's name stands for; "1" where there is none."""
    return _UNITS.get(_suffix(name).removeprefix("_"), "1")


def _suffix(name: str) -> str:
    stem, underscore, unit = name.rpartition("_")
    return f"_{unit}" if stem and underscore and unit in _UNITS else ""
