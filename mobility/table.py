"""CSV tables that people hand in: read with every complaint naming the file, the line and the column."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

LARGEST_TABLE_BYTES = 256 * 1024 * 1024


def check_size(path: Path, largest_bytes: int) -> None:
    """Raise ValueError if the file is missing, empty or too large to be what it should be."""
    if not path.is_file():
        raise ValueError(f"{path}: no such file")
    size = path.stat().st_size
    if size == 0:
        raise ValueError(f"{path}: the file is empty")
    if size > largest_bytes:
        raise ValueError(f"{path}: {size} bytes are too many; at most {largest_bytes} are read")


class Row:
    """One line of a table: cells and the places of the columns, with complaints that say where they stand."""

    __slots__ = ("_cells", "_path", "_places", "line")

    def __init__(self, path: Path, line: int, cells: list[str], places: Mapping[str, int]) -> None:
        self._path = path
        self.line = line
        self._cells = cells
        self._places = places

    def error(self, message: str) -> ValueError:
        """The ValueError that says what is wrong in this line."""
        return ValueError(f"{self._path}, line {self.line}: {message}")

    def has(self, column: str) -> bool:
        """Whether the table has such a column."""
        return column in self._places

    def empty(self, column: str) -> bool:
        """Whether the cell of a column has nothing in it."""
        return not self._cells[self._places[column]].strip()

    def text(self, column: str) -> str:
        """The cell of a column; raises ValueError if it is empty."""
        value = self._cells[self._places[column]].strip()
        if not value:
            raise self.error(f"column {column!r} is empty")
        return value

    def number(self, column: str, low: float = -math.inf, high: float = math.inf) -> float:
        """The cell of a column as a finite number in [low, high]; raises ValueError if it is none."""
        text = self.text(column)
        try:
            value = float(text)
        except ValueError:
            raise self.error(f"column {column!r} is {text!r}, which is not a number") from None
        if not math.isfinite(value) or not low <= value <= high:
            bounds = "a finite number" if math.isinf(low) and math.isinf(high) else f"a number from {low:g} to {high:g}"
            raise self.error(f"column {column!r} is {text}; it must be {bounds}")
        return value


def read_table(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The rows of a CSV file with a header line that has at least the named columns.

    Raises ValueError, naming file and line, if the file is missing, empty, too large, not UTF-8, lacks a column, or
    has a line with more or fewer cells than the header.
    """
    check_size(path, LARGEST_TABLE_BYTES)
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = [name.strip() for name in next(reader, [])]
            missing = [column for column in columns if column not in header]
            if missing:
                raise ValueError(f"{path}, line 1: no column {missing[0]!r}; the columns are {', '.join(header)}")
            places = {name: place for place, name in enumerate(header)}
            for cells in reader:
                if not cells:
                    continue
                if len(cells) != len(header):
                    line = f"{path}, line {reader.line_num}"
                    raise ValueError(f"{line}: {len(cells)} cells, but the header names {len(header)} columns")
                yield Row(path, reader.line_num, cells, places)
        except csv.Error as error:
            raise ValueError(f"{path}, line {reader.line_num}: not CSV ({error})") from None
        except UnicodeDecodeError:
            raise ValueError(f"{path}: not a UTF-8 text file") from None
