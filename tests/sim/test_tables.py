"""The result tables: typed columns with unit and meaning, filled row by row, kept in Parquet."""

import json
import re
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pam.migration import MigrationState, Objective, Phase, Strategy
from scenarios import Scenario
from sim import SCHEMA, simulate
from sim.tables import CAUSES, FLIGHT_MODES, FLOAT, INTEGER, TEXT, TRUTH, Column, Names, Table, codes, frame_of

NAMES = Names(uav=("uav-0", "uav-1"), service=("autopilot",), server=("a", "b", "c"), cell=("a/0", "a/1", "b/0"))
COLUMNS = [pytest.param(column, id=f"{table}.{column.name}") for table in SCHEMA for column in SCHEMA[table]]


def test_a_table_without_rows_has_its_columns_all_the_same() -> None:
    for name, columns in SCHEMA.items():
        frame = Table(name, NAMES).frame()
        assert frame.height == 0
        assert frame.schema == {column.name: polars_type(column) for column in columns}


def polars_type(column: Column) -> pl.DataType:
    plain = {FLOAT: pl.Float64(), INTEGER: pl.Int32(), TRUTH: pl.Boolean(), TEXT: pl.String()}
    if isinstance(column.kind, tuple):
        return pl.Enum([str(word) for word in column.kind])
    return plain.get(column.kind) or pl.Enum(getattr(NAMES, column.kind))


def phases(count: int) -> Iterator[tuple[Any, ...]]:
    for number in range(count):
        yield number, number % len(Phase), number % 7, number / 4, 0.25, 1e3 * number, number % 3 == 0


@pytest.mark.parametrize("batch", [1, 1000, 5000, 70_000])
def test_rows_of_several_pieces_come_out_in_order(batch: int) -> None:
    count = 70_000
    table = Table("phases", NAMES)
    rows = list(phases(count))
    for start in range(0, count, batch):
        table.extend(rows[start : start + batch])
        assert len(table) == min(start + batch, count)
    frame = table.frame()
    number = np.arange(count)
    words = np.array([str(phase) for phase in Phase])
    assert frame.height == len(table) == count
    np.testing.assert_array_equal(frame["migration"].to_numpy(), number)
    np.testing.assert_array_equal(frame["phase"].cast(pl.String).to_numpy(), words[number % len(Phase)])
    np.testing.assert_array_equal(frame["round"].to_numpy(), number % 7)
    np.testing.assert_array_equal(frame["started_s"].to_numpy(), number / 4)
    np.testing.assert_array_equal(frame["transferred_bytes"].to_numpy(), 1e3 * number)
    np.testing.assert_array_equal(frame["service_down"].to_numpy(), number % 3 == 0)


def test_a_table_can_be_looked_at_and_go_on_growing() -> None:
    table = Table("phases", NAMES)
    rows = list(phases(3000))
    table.extend(rows[:1500])
    assert table.frame().height == 1500
    table.extend(rows[1500:])
    assert table.frame()["migration"].to_list() == list(range(3000))


def test_a_row_with_a_value_too_few_is_refused() -> None:
    table = Table("phases", NAMES)
    table.extend([*phases(1), (1, 0, 0)])
    with pytest.raises(ValueError, match="shorter"):
        table.frame()


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), min_size=1))
def test_codes_stand_for_names_and_minus_one_for_null(pairs: list[tuple[int, int]]) -> None:
    columns = [column for column in SCHEMA["handovers"] if column.name in ("source", "target")]
    source, target = (array("i", values) for values in zip(*pairs, strict=True))
    frame = frame_of(columns, {"source": source, "target": target}, NAMES)
    assert frame["source"].to_list() == [NAMES.cell[code] if code >= 0 else None for code in source]
    assert codes(frame, "source").tolist() == list(source)
    assert codes(frame, "target").tolist() == list(target)


def test_every_text_comes_back_with_its_row_and_equal_ones_share_a_code() -> None:
    table = Table("migrations", NAMES)
    zeros = [0] * (len(SCHEMA["migrations"]) - 1)
    reasons = ["link failed", "", "cancelled — “so”", "link failed"]
    assert [table.text(reason) for reason in reasons] == [0, 1, 2, 0]
    many = [reasons[number % 4] for number in range(40_000)]
    for reason in many[:39_999]:
        table.extend([(*zeros, table.text(reason))])
    table.extend([(*zeros, table.text("a text that comes late"))])
    assert table.frame()["reason"].to_list() == [*many[:39_999], "a text that comes late"]


def test_words_are_those_of_the_vocabulary_in_its_order() -> None:
    kinds = {(table, column.name): column.kind for table in SCHEMA for column in SCHEMA[table]}
    assert kinds["migrations", "strategy"] == tuple(Strategy)
    assert kinds["migrations", "objective"] == tuple(Objective)
    assert kinds["migrations", "state"] == tuple(MigrationState)
    assert kinds["phases", "phase"] == tuple(Phase)
    for words in (CAUSES, FLIGHT_MODES):
        assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", word) for word in words)


@pytest.mark.parametrize("column", COLUMNS)
def test_every_column_has_a_meaning_and_a_number_has_a_unit(column: Column) -> None:
    assert len(column.meaning) >= 4
    assert (column.unit != "") == (column.kind in (FLOAT, INTEGER))
    suffixes = {"_s": "s", "_bytes": "B", "_bps": "bit/s", "_m": "m", "_deg": "deg"}
    for suffix, unit in suffixes.items():
        if column.name.endswith(suffix):
            assert column.unit == unit


def test_no_table_has_two_columns_of_a_name() -> None:
    for columns in SCHEMA.values():
        assert len({column.name for column in columns}) == len(columns)


def test_parquet_keeps_types_and_tells_units_scenario_and_seed(stage: Callable[..., Scenario], tmp_path: Path) -> None:
    run = simulate(stage(["a@0 b@20 c@40"], "seed=7"))
    run.write(tmp_path / "run")
    assert run.tables.keys() == SCHEMA.keys()
    assert run.migrations.height == 2
    assert run.handovers["source"].null_count() == 1
    for name, frame in run.tables.items():
        path = tmp_path / "run" / f"{name}.parquet"
        read = pl.read_parquet(path)
        assert read.schema == frame.schema
        assert read.equals(frame)
        metadata = pl.read_parquet_metadata(path)
        assert metadata["seed"] == "7"
        assert metadata["scenario_sha256"] == run.scenario_sha256
        assert json.loads(metadata["units"]) == {column.name: column.unit for column in SCHEMA[name]}
