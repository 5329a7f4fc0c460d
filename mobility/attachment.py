"""Which cell serves which UAV from when on, and why: the result of every way to attach."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mobility.table import read_table


class Cause(IntEnum):
    """Why a UAV changed its cell."""

    INITIAL = 0
    A3 = 1
    RADIO_LINK_FAILURE = 2
    NEAREST = 3
    TABLE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Attachment:
    """Every change of the serving cell, as columns of one length N, sorted by time and then by UAV.

    `time_s` when the UAV leaves its source, `uav` its index, `source` and `target` cell indices (`source` is -1 at the
    first attachment), `cause` a `Cause`, `interruption_s` how long the UAV then has no link. A radio-link failure may
    end at the same cell. `initial_cell` (U,) is where each UAV starts. Raises ValueError unless every UAV has one
    INITIAL line, its first, and every later line starts at the cell where the one before ended.
    """

    time_s: NDArray[np.float64]
    uav: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    cause: NDArray[np.int8]
    interruption_s: NDArray[np.float64]
    initial_cell: NDArray[np.int64]

    def __post_init__(self) -> None:
        columns = (self.time_s, self.uav, self.source, self.target, self.cause, self.interruption_s)
        if len({column.shape for column in columns}) != 1 or self.time_s.ndim != 1:
            raise ValueError(f"the columns of an attachment differ in shape: {[column.shape for column in columns]}")
        if not (np.isfinite(self.time_s).all() and (self.interruption_s >= 0.0).all()):
            raise ValueError("time_s must be finite and interruption_s 0 s or more in every line of an attachment")
        if (np.lexsort((self.uav, self.time_s)) != np.arange(self.time_s.size)).any():
            raise ValueError("the lines of an attachment must be sorted by time and then by UAV")
        order = np.argsort(self.uav, kind="stable")
        uav, source, target = self.uav[order], self.source[order], self.target[order]
        first = np.append(True, uav[1:] != uav[:-1])
        if not np.array_equal(uav[first], np.arange(self.initial_cell.size)):
            raise ValueError("every UAV of an attachment needs a line, and no others may have one")
        initial = self.cause[order] == Cause.INITIAL
        if not (np.array_equal(initial, first) and (source[first] == -1).all()):
            raise ValueError("the first line of every UAV, and no other, must be INITIAL with source -1")
        if not np.array_equal(target[first], self.initial_cell):
            raise ValueError("initial_cell must be the target of the first line of every UAV")
        broken = ~first[1:] & (source[1:] != target[:-1])
        if broken.any():
            line = order[1:][broken][0]
            raise ValueError(
                f"UAV {self.uav[line]} leaves cell {self.source[line]} at {self.time_s[line]} s without being there"
            )

    def __len__(self) -> int:
        return int(self.time_s.size)

    def handover_count(self, uavs: int | None = None) -> int:
        """How many changes there are after the first attachment, in all or of one UAV."""
        chosen = self.cause != Cause.INITIAL
        return int(np.count_nonzero(chosen if uavs is None else chosen & (self.uav == uavs)))

    def cell_at(self, time_s: ArrayLike) -> NDArray[np.int64]:
        """Index (U, T) of each UAV's cell at the times (T,); before its first line, the initial one."""
        time = np.atleast_1d(np.asarray(time_s, np.float64))
        order = np.argsort(self.uav, kind="stable")
        bounds = np.searchsorted(self.uav[order], np.arange(self.initial_cell.size + 1))
        cell = np.empty((self.initial_cell.size, time.size), dtype=np.int64)
        for uav in range(self.initial_cell.size):
            lines = order[bounds[uav] : bounds[uav + 1]]
            at = np.searchsorted(self.time_s[lines], time, side="right") - 1
            cell[uav] = self.target[lines][np.maximum(at, 0)]
        return cell


class AttachmentLog:
    """Gathers changes of cells while they are found, in any order, and turns them into an `Attachment`."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.float64], ...]] = []

    def add(
        self,
        time_s: ArrayLike,
        uav: ArrayLike,
        source: ArrayLike,
        target: ArrayLike,
        cause: ArrayLike,
        interruption_s: ArrayLike,
    ) -> None:
        """Add lines: arrays of one shape, or scalars that hold for all of them."""
        columns = np.broadcast_arrays(*np.atleast_1d(time_s, uav, source, target, cause, interruption_s))
        self._parts.append(tuple(np.array(column, dtype=np.float64) for column in columns))

    def finish(self) -> Attachment:
        """The attachment, sorted. Raises ValueError if the lines do not fit together."""
        time, uav, source, target, cause, interruption = (
            np.concatenate([part[column] for part in self._parts]) for column in range(6)
        )
        order = np.lexsort((uav, time))
        cause = cause[order].astype(np.int8)
        target = target[order].astype(np.int64)
        uav = uav[order].astype(np.int64)
        first = cause == Cause.INITIAL
        if not np.array_equal(np.sort(uav[first]), np.arange(np.unique(uav).size)):
            raise ValueError("every UAV of an attachment needs one INITIAL line, and UAVs are numbered from 0")
        initial_cell = np.empty(np.count_nonzero(first), dtype=np.int64)
        initial_cell[uav[first]] = target[first]
        return Attachment(
            time[order], uav, source[order].astype(np.int64), target, cause, interruption[order], initial_cell
        )


def attach_table(
    time_s: ArrayLike, uav: ArrayLike, cell: ArrayLike, interruption_s: ArrayLike, uav_count: int
) -> Attachment:
    """Attachment from arrays of one length: from `time_s` on, cell index `cell` serves UAV index `uav`.

    Lines may come in any order. A UAV's first line is where it starts; a line that names the cell it is at already is
    no change. `interruption_s` is that of each change, an array or one number. Raises ValueError for a UAV without a
    line or with two lines at one time.
    """
    columns = np.broadcast_arrays(*np.atleast_1d(time_s, uav, cell, interruption_s))
    order = np.lexsort((columns[0], columns[1]))
    time, owner, target, gap = (column[order] for column in columns)
    absent = np.setdiff1d(np.arange(uav_count), owner)
    if absent.size:
        raise ValueError(f"UAV {absent[0]} has no line; each needs at least one")
    first = np.append(True, owner[1:] != owner[:-1])
    twice = ~first[1:] & (time[1:] == time[:-1])
    if twice.any():
        line = int(np.argmax(twice)) + 1
        raise ValueError(f"UAV {owner[line]} has two lines at {time[line]:g} s; it can have one cell at a time")
    source = np.where(first, -1, np.roll(target, 1))
    change = source != target
    changes = np.flatnonzero(change)
    lines = changes[np.lexsort((owner[changes], time[changes]))]
    return Attachment(
        time[lines].astype(np.float64),
        owner[lines].astype(np.int64),
        source[lines].astype(np.int64),
        target[lines].astype(np.int64),
        np.where(first, Cause.INITIAL, Cause.TABLE)[lines].astype(np.int8),
        np.where(first, 0.0, gap)[lines],
        target[first].astype(np.int64),
    )


def read_attachment(
    path: str | Path, uav_names: Sequence[str], cell_names: Sequence[str], interruption_s: float = 0.0
) -> Attachment:
    """Attachment from a CSV file with columns `time_s`, `uav`, `cell`: from then on that cell serves that UAV.

    As `attach_table`. Every change interrupts the link for `interruption_s` seconds, unless a column `interruption_s`
    says otherwise. Raises ValueError naming file and line for unknown names and wrong numbers.
    """
    path = Path(path)
    uav_index = {name: index for index, name in enumerate(uav_names)}
    cell_index = {name: index for index, name in enumerate(cell_names)}
    # Typed columns: a city's table has a hundred thousand lines.
    times, gaps, uavs, cells, numbers = array("d"), array("d"), array("i"), array("i"), array("i")
    for row in read_table(path, ["time_s", "uav", "cell"]):
        uav, cell, time = row.text("uav"), row.text("cell"), row.number("time_s", 0.0)
        if uav not in uav_index:
            raise row.error(f"no UAV is named {uav!r}; the first are {', '.join(uav_names[:5])}")
        if cell not in cell_index:
            raise row.error(f"no cell is named {cell!r}; the first are {', '.join(cell_names[:5])}")
        gaps.append(row.number("interruption_s", 0.0, 3600.0) if row.has("interruption_s") else interruption_s)
        times.append(time)
        uavs.append(uav_index[uav])
        cells.append(cell_index[cell])
        numbers.append(row.line)
    absent = np.setdiff1d(np.arange(len(uav_names)), uavs)
    if absent.size:
        raise ValueError(f"{path}: UAV {uav_names[absent[0]]!r} has no line; each needs at least one")
    order = np.lexsort((times, uavs))
    same = (np.diff(np.asarray(uavs)[order]) == 0) & (np.diff(np.asarray(times)[order]) == 0.0)
    if same.any():
        line = int(order[1:][same][0])
        raise ValueError(
            f"{path}, line {numbers[line]}: UAV {uav_names[uavs[line]]!r} has two cells at {times[line]:g} s; "
            "it can have one at a time"
        )
    return attach_table(times, uavs, cells, gaps, len(uav_names))
