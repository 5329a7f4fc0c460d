"""What a sweep goes through: lists and ranges of values for fields of a scenario, as a grid or as samples."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from scenarios.document import Document, parse_value
from scenarios.problem import InputError, Problem

MAXIMUM_POINTS = 20_000
"""Points of a sweep at most; more are a slip of the pen rather than a plan."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A field and the values it takes one after the other; `source` is what a person typed."""

    path: str
    values: tuple[Any, ...]
    source: str


@dataclass(frozen=True, slots=True)
class Range:
    """A field and the interval it is drawn from, evenly or, if `geometric`, evenly in its logarithm.

    `whole` draws whole numbers, both ends included.
    """

    path: str
    low: float
    high: float
    geometric: bool
    source: str
    whole: bool = False

    def at(self, shares: NDArray[np.float64]) -> tuple[float, ...]:
        """The values at `shares` of the interval, each in [0, 1)."""
        high = self.high + 1.0 if self.whole else self.high
        values = self.low * (high / self.low) ** shares if self.geometric else self.low + (high - self.low) * shares
        return tuple((np.floor(values).astype(np.int64) if self.whole else values).tolist())


_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER}):({_NUMBER})(?::(\d{{1,6}}))?(:log)?")


def parse_over(text: str) -> Choices | Range:
    """Read "path=a,b,c" (YAML values), "path=low:high:count" or "path=low:high"; ":log" at the end spaces by factors.

    Raises `InputError` that says what would be right.
    """
    source = f"--over {text}"
    path, equals, given = text.partition("=")
    if not path or not equals:
        message = "must read path=value,value or path=low:high:count, as in network.bandwidth_bps=1e8:1e9:5"
        raise InputError([Problem(source, None, "", message)])
    if match := _RANGE.fullmatch(given.strip()):
        return _range(path, match, source)
    values = parse_value(Document(source), f"[{given}]", (path,), source)
    if not values:
        raise InputError([Problem(source, None, path, "needs at least one value")])
    return Choices(path, tuple(values), source)


def _range(path: str, match: re.Match[str], source: str) -> Choices | Range:
    low, high, geometric = float(match[1]), float(match[2]), match[4] is not None
    if not (low < high and isfinite(low) and isfinite(high)):
        raise InputError([Problem(source, None, path, "a range is low:high, two finite numbers, the lower one first")])
    if geometric and low <= 0.0:
        raise InputError([Problem(source, None, path, f"a range spaced by factors starts above 0, not at {low:g}")])
    if match[3] is None:
        return Range(path, low, high, geometric, source)
    count = int(match[3])
    if not 2 <= count <= MAXIMUM_POINTS:
        raise InputError([Problem(source, None, path, f"a range has 2 to {MAXIMUM_POINTS:,} values, not {count}")])
    spaced = np.geomspace(low, high, count) if geometric else np.linspace(low, high, count)
    return Choices(path, tuple(_plain(value) for value in spaced.tolist()), source)


def _plain(value: float) -> float | int:
    """A whole number as such, so that it fits fields that count."""
    return int(value) if value.is_integer() and abs(value) < 2.0**53 else value


def combine(
    axes: Sequence[Choices | Range], samples: int | None, generator: np.random.Generator
) -> list[tuple[Any, ...]]:
    """The points: every combination of the lists, each with every one of `samples` draws from the ranges.

    The draws are a Latin hypercube: each range is cut into as many slices as there are samples, and each slice is met
    once (McKay, Beckman, Conover, 1979). Returns one tuple a point, values in the order of `axes`.

    Raises:
        ValueError: ranges without `samples`, `samples` without ranges, a field twice, or too many points.
    """
    paths = [axis.path for axis in axes]
    for axis in axes:
        if paths.count(axis.path) > 1:
            raise ValueError(f"{axis.source}: {axis.path} is swept twice")
    ranges = [axis for axis in axes if isinstance(axis, Range)]
    if ranges and samples is None:
        raise ValueError(f"{ranges[0].source}: give the range a count, low:high:count, or draw from it by --sample N")
    if samples is not None and not ranges:
        raise ValueError(f"--sample {samples}: needs a range without a count to draw from, --over path=low:high")
    choices = [axis.values for axis in axes if isinstance(axis, Choices)]
    count = prod(len(values) for values in choices) * (samples or 1)
    if count > MAXIMUM_POINTS:
        raise ValueError(f"the sweep has {count:,} points; at most {MAXIMUM_POINTS:,} are run")
    draws: list[tuple[Any, ...]] = [()]
    if ranges:
        shares = qmc.LatinHypercube(d=len(ranges), rng=generator).random(samples or 1)
        draws = list(zip(*(each.at(shares[:, column]) for column, each in enumerate(ranges)), strict=True))
    points = []
    for chosen in product(*choices):
        for drawn in draws:
            left, right = iter(chosen), iter(drawn)
            points.append(tuple(next(right if isinstance(axis, Range) else left) for axis in axes))
    return points
