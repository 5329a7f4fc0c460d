"""The result tables: one schema for simulation and hardware, and the columns that fill it.

Rows are appended value by value into typed arrays, so that a hundred thousand migrations cost a few megabytes; they
become a `polars.DataFrame` once, at the end. Names and words are stored as small codes.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from struct import pack
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mobility import Cause
from pam.migration import MigrationState, Objective, Phase, Strategy
from uav import FlightMode

# A column holds numbers, truth values, or words: a fixed list of them, or names that a run brings along.
FLOAT, INTEGER, TRUTH, TEXT = "d", "q", "b", "text"
UAV, SERVICE, SERVER, CELL = "uav", "service", "server", "cell"

CAUSES = tuple(cause.name.lower().replace("_", "-") for cause in Cause)
QUANTITIES = ("mean-reference-error", "largest-reference-error", "largest-radial-error", "stopping-distance")
CONTRIBUTIONS = ("control", "video", "network", "queueing", "processing", "handover", "downtime", "braking")
FLIGHT_MODES = tuple(mode.name.lower().replace("_", "-") for mode in FlightMode)


class Column(NamedTuple):
    """Name, kind, unit and meaning of one column."""

    name: str
    kind: str | tuple[str, ...]
    unit: str
    meaning: str


SCHEMA: dict[str, tuple[Column, ...]] = {
    "migrations": (
        Column("migration", INTEGER, "1", "number of the migration, in the order of their ends"),
        Column("uav", UAV, "", "UAV that the service belongs to"),
        Column("service", SERVICE, "", "service that moved"),
        Column("source", SERVER, "", "edge server it left"),
        Column("destination", SERVER, "", "edge server it was to reach"),
        Column("strategy", tuple(Strategy), "", "how its state was moved"),
        Column("objective", tuple(Objective), "", "what the plan was to minimise"),
        Column("target_s", FLOAT, "s", "largest duration (md) or downtime (mr) asked for"),
        Column("feasible", TRUTH, "", "whether the plan met the target"),
        Column("bandwidth_bps", FLOAT, "bit/s", "bandwidth that the plan reckons with"),
        Column("reserved", TRUTH, "", "whether that bandwidth was reserved"),
        Column("iterations", INTEGER, "1", "dump iterations I before Stop&Copy"),
        Column("state", tuple(MigrationState), "", "completed, failed or cancelled"),
        Column("requested_s", FLOAT, "s", "from when on it was to begin: the decision, or ahead of a handover"),
        Column("started_s", FLOAT, "s", "when its first phase began"),
        Column("ended_s", FLOAT, "s", "when its last phase ended"),
        Column("down_from_s", FLOAT, "s", "when the service fell silent; NaN if it never did"),
        Column("downtime_s", FLOAT, "s", "how long the service was silent"),
        Column("duration_s", FLOAT, "s", "from the first phase to the last"),
        Column("transferred_bytes", FLOAT, "B", "what crossed the links"),
        Column("predicted_downtime_s", FLOAT, "s", "upper bound of the plan"),
        Column("predicted_duration_s", FLOAT, "s", "upper bound of the plan"),
        Column("predicted_bytes", FLOAT, "B", "upper bound of the plan"),
        Column("reason", TEXT, "", "why this plan, or why it did not complete"),
    ),
    "phases": (
        Column("migration", INTEGER, "1", "number of the migration"),
        Column("phase", tuple(Phase), "", "what was done"),
        Column("round", INTEGER, "1", "0 pre-dump, i dump iteration, I + 1 Stop&Copy"),
        Column("started_s", FLOAT, "s", "when it began"),
        Column("duration_s", FLOAT, "s", "how long it took"),
        Column("transferred_bytes", FLOAT, "B", "what crossed the links"),
        Column("service_down", TRUTH, "", "whether the service was silent meanwhile"),
    ),
    "handovers": (
        Column("time_s", FLOAT, "s", "when the UAV changed its cell"),
        Column("uav", UAV, "", "which UAV"),
        Column("source", CELL, "", "cell that it left; null at the first attachment"),
        Column("target", CELL, "", "cell that it entered"),
        Column("cause", CAUSES, "", "what caused it"),
        Column("interruption_s", FLOAT, "s", "how long no user data passed"),
    ),
    "latency": (
        Column("time_s", FLOAT, "s", "from when on it holds"),
        Column("uav", UAV, "", "which UAV"),
        Column("service", SERVICE, "", "which service"),
        Column("server", SERVER, "", "edge server that the service runs on"),
        Column("hops", INTEGER, "1", "links between the serving gNB and that server"),
        Column("network_s", FLOAT, "s", "there and back: radio access and links"),
        Column("queueing_s", FLOAT, "s", "mean wait for the server's CPU"),
        Column("processing_s", FLOAT, "s", "CPU time of a request"),
        Column("latency_s", FLOAT, "s", "end to end: the sum of the three"),
    ),
    "trajectory": (
        Column("time_s", FLOAT, "s", "when"),
        Column("uav", UAV, "", "which UAV"),
        Column("east_m", FLOAT, "m", "flown position"),
        Column("north_m", FLOAT, "m", "flown position"),
        Column("up_m", FLOAT, "m", "flown height above ground"),
        Column("reference_east_m", FLOAT, "m", "planned position"),
        Column("reference_north_m", FLOAT, "m", "planned position"),
        Column("reference_up_m", FLOAT, "m", "planned height above ground"),
        Column("radial_error_m", FLOAT, "m", "distance to the planned path"),
        Column("reference_error_m", FLOAT, "m", "distance to where the plan is at that time"),
        Column("mode", FLIGHT_MODES, "", "what the flight controller does"),
        Column("cell", CELL, "", "serving cell"),
    ),
    "frames": (
        Column("uav", UAV, "", "which UAV"),
        Column("service", SERVICE, "", "which tracker"),
        Column("start_s", FLOAT, "s", "when its frames stopped being read"),
        Column("outage_s", FLOAT, "s", "how long"),
        Column("arrived", INTEGER, "1", "frames that arrived meanwhile"),
        Column("lost", INTEGER, "1", "frames lost to it"),
        Column("backlog", INTEGER, "1", "frames waiting when reading went on"),
        Column("catch_up_s", FLOAT, "s", "time until the backlog was gone"),
        Column("identities_kept", FLOAT, "1", "expected share of track ids that survive"),
    ),
    "attribution": (
        Column("uav", UAV, "", "which UAV"),
        Column("quantity", QUANTITIES, "", "what is attributed"),
        Column("cause", CONTRIBUTIONS, "", "what it came from"),
        Column("metres", FLOAT, "m", "its share"),
    ),
    "cells": (
        Column("cell", CELL, "", "name of the cell"),
        Column("server", SERVER, "", "edge server beside its gNB"),
        Column("east_m", FLOAT, "m", "position of the antenna"),
        Column("north_m", FLOAT, "m", "position of the antenna"),
        Column("up_m", FLOAT, "m", "height of the antenna above ground"),
        Column("azimuth_deg", FLOAT, "deg", "clockwise from north; NaN looks all round"),
        Column("latitude_deg", FLOAT, "deg", "NaN where the scenario has no origin"),
        Column("longitude_deg", FLOAT, "deg", "NaN where the scenario has no origin"),
    ),
}

# Rows that gather before they are put into columns, and before a piece of the data frame is made of them.
_PENDING_ROWS = 1024
_PIECE_ROWS = 32_768


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a run brings along, by kind; a code is a place in its list."""

    uav: tuple[str, ...]
    service: tuple[str, ...]
    server: tuple[str, ...]
    cell: tuple[str, ...]


class Table:
    """Columns that grow row by row; codes stand for words, -1 for null.

    Rows gather in a list, then in typed arrays, then in finished pieces of the data frame: so each row is copied
    column by column, which is fast, and is never in memory twice.
    """

    def __init__(self, name: str, names: Names) -> None:
        self.columns = SCHEMA[name]
        self._names = names
        self._pending: list[tuple[Any, ...]] = []
        self._arrays = self._empty()
        self._pieces: list[pl.DataFrame] = []
        self._rows = 0
        self._texts: dict[str, int] = {}

    def extend(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows: numbers, truth values and codes, in the order of the schema."""
        self._pending += rows
        if len(self._pending) >= _PENDING_ROWS:
            self._settle()

    def text(self, text: str) -> int:
        """Code of a free text."""
        return self._texts.setdefault(text, len(self._texts))

    def __len__(self) -> int:
        return self._rows + len(self._pending)

    def frame(self) -> pl.DataFrame:
        """The table so far."""
        self._settle()
        self._finish_piece()
        return pl.concat(self._pieces, rechunk=False)

    def _empty(self) -> "list[array[Any]]":
        return [array(column.kind if column.kind in (FLOAT, TRUTH) else "i") for column in self.columns]

    def _settle(self) -> None:
        for values, column in zip(self._arrays, zip(*self._pending, strict=True), strict=False):
            # Packed as a whole: eight times as fast as value by value.
            values.frombytes(pack(f"{len(column)}{values.typecode}", *column))
        self._rows += len(self._pending)
        self._pending.clear()
        if len(self._arrays[0]) >= _PIECE_ROWS:
            self._finish_piece()

    def _finish_piece(self) -> None:
        values = dict(zip((column.name for column in self.columns), self._arrays, strict=True))
        self._pieces.append(frame_of(self.columns, values, self._names, tuple(self._texts)))
        self._arrays = self._empty()


def frame_of(
    columns: Sequence[Column], values: Mapping[str, Any], names: Names, texts: tuple[str, ...] = ()
) -> pl.DataFrame:
    """A data frame with the columns' types from arrays of numbers and codes."""
    return pl.DataFrame([_series(column, values[column.name], names, texts) for column in columns])


def _series(column: Column, values: Any, names: Names, texts: tuple[str, ...]) -> pl.Series:
    raw = pl.Series(column.name, np.asarray(values))
    if column.kind == FLOAT:
        return raw.cast(pl.Float64)
    if column.kind == INTEGER:
        return raw.cast(pl.Int32)
    if column.kind == TRUTH:
        return raw.cast(pl.Boolean)
    # The code -1 stands for null.
    codes = raw.cast(pl.Int32).replace(-1, None).cast(pl.UInt32)
    if column.kind == TEXT:
        return pl.Series(column.name, texts, dtype=pl.String).gather(codes)
    words = getattr(names, column.kind) if isinstance(column.kind, str) else tuple(map(str, column.kind))
    return codes.cat.to(pl.Enum(words))


def index_of(words: Sequence[str]) -> dict[str, int]:
    """Code of each word."""
    return {word: code for code, word in enumerate(words)}


def codes(frame: pl.DataFrame, column: str) -> NDArray[np.int64]:
    """Places in the run's list of names of a column of names; -1 for null."""
    return frame[column].to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
