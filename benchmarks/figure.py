"""A figure that a benchmark measures, and the bound that it should keep; one line of text each way."""

import re
from dataclasses import dataclass

_LINE = re.compile(
    r"(?P<name>[^:]+): (?P<value>[\d,.]+) (?P<unit>.+) \((?P<bound>at least|at most) (?P<aim>[\d,.]+): (met|missed)\)"
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured `value` in `unit` that should be `bound`, "at least" or "at most", an `aim` in the same unit."""

    name: str
    value: float
    unit: str
    bound: str
    aim: float

    @property
    def met(self) -> bool:
        """Whether the value keeps its bound."""
        return self.value >= self.aim if self.bound == "at least" else self.value <= self.aim

    def __str__(self) -> str:
        return f"{self.name}: {number(self.value)} {self.unit} ({self.bound} {number(self.aim)}: {self.verdict})"

    @property
    def verdict(self) -> str:
        """In a word."""
        return "met" if self.met else "missed"

    @classmethod
    def parse(cls, line: str) -> "Figure | None":
        """The figure that a line tells of, None if it tells of none."""
        found = _LINE.fullmatch(line.strip())
        if found is None:
            return None
        value, aim = (float(found[each].replace(",", "")) for each in ("value", "aim"))
        return cls(found["name"], value, found["unit"], found["bound"], aim)


def number(value: float) -> str:
    """A number for people: whole from 100 on, else with three digits that count."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
