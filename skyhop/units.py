"""Quantities as people write them: 25MB, 1Gbit/s, 250ms. A bare number is in the SI unit."""

import re
from dataclasses import dataclass
from math import ceil, floor, isfinite, isnan

from scenarios.problem import did_you_mean, show

_NUMBER_AND_UNIT = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S*)\s*")


@dataclass(frozen=True, slots=True)
class Dimension:
    """What can be written in several units: its name, its units with their factors, the unit first that has 1."""

    name: str
    factors: dict[str, float]
    shown: tuple[str, ...]

    def parse(self, text: str) -> float:
        """Read a number with or without a unit into SI; raises ValueError that says what would be right."""
        match = _NUMBER_AND_UNIT.fullmatch(text)
        if match is None:
            raise ValueError(f"got {show(text)}; {self.name} is a number and a unit, one of {', '.join(self.factors)}")
        number, unit = match.groups()
        factor = self.factors.get(unit or next(iter(self.factors)))
        if factor is None:
            guess = did_you_mean(unit, tuple(self.factors))
            raise ValueError(f"got the unit {show(unit)}; {self.name} takes one of {', '.join(self.factors)}{guess}")
        value = float(number) * factor
        if not isfinite(value):
            raise ValueError(f"got {show(text)}; {self.name} must be a finite number")
        return value

    def show(self, value: float) -> str:
        """Write a value in SI with four digits (a whole one without decimals), in the largest of `shown` it fills."""
        if not isfinite(value):
            return "none" if isnan(value) else "unlimited"
        fitting = [unit for unit in self.shown if abs(value) >= self.factors[unit]]
        # Zero is written in the base unit, anything else too small for all units in the smallest.
        smallest = self.shown[-1] if value else next(iter(self.factors))
        unit = fitting[0] if fitting else smallest
        scaled = value / self.factors[unit]
        decimals = 0 if scaled == 0 else max(0, 4 - len(str(int(abs(scaled)))))
        return f"{f'{scaled:,.{decimals}f}'.removesuffix('.' + '0' * decimals)} {unit}"


_SI = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}

BYTES = Dimension(
    "a size",
    {"B": 1.0} | {f"{prefix}B": factor for prefix, factor in (_SI | _BINARY).items()},
    ("TB", "GB", "MB", "kB", "B"),
)
BANDWIDTH = Dimension(
    "a bandwidth",
    {"bit/s": 1.0, "bps": 1.0} | {f"{p}{unit}": f for unit in ("bit/s", "bps") for p, f in _SI.items()},
    ("Tbit/s", "Gbit/s", "Mbit/s", "kbit/s", "bit/s"),
)
SECONDS = Dimension("a time", {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "min": 60.0}, ("s", "ms", "µs"))
METRES = Dimension("a distance", {"m": 1.0, "cm": 1e-2, "km": 1e3}, ("km", "m"))

# Of the last decimal: what the arithmetic before has cost does not push a round figure to its neighbour.
_SLACK = 1e-4


def round_down(value: float, decimals: int) -> str:
    """Write `value` with so many decimals, not above it (but for the slack)."""
    return f"{floor(value * 10**decimals + _SLACK) / 10**decimals:.{decimals}f}"


def round_up(value: float, decimals: int) -> str:
    """Write `value` with so many decimals, not below it (but for the slack)."""
    return f"{ceil(value * 10**decimals - _SLACK) / 10**decimals:.{decimals}f}"
