"""Calibration: the linear laws T = a + b M of one's own machine, from repeated checkpoints and restores.

The PAM paper finds each duration linear in the state size (Observations 1, 3, 4, 8). The fit is ordinary least squares
on the median of each state size, because single runs on a busy machine are long-tailed.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

STATE_COLUMN = "M_bytes"
"""The column of state sizes, in bytes."""

DURATION_COLUMNS = (
    "podman_checkpoint",
    "runc_checkpoint",
    "criu_frozen_time",
    "criu_memdump_time",
    "criu_memwrite_time",
    "podman_restore",
    "runc_restore",
    "criu_restore_time",
)
"""The columns of durations, in seconds, each of which gets a law."""


@dataclass(frozen=True, slots=True)
class LinearLaw:
    """T = a + b M with M in bytes; `r_squared` is the share of the medians' variance that the law explains."""

    intercept_s: float
    slope_s_per_byte: float
    r_squared: float


def fit_linear_laws(path: str | Path) -> dict[str, LinearLaw]:
    """Fit one law per column of `DURATION_COLUMNS` to a calibration CSV (`M_bytes` in bytes, durations in s).

    Raises ValueError naming the file, and the line and column where there is one, if a column is missing, a cell is
    not a number, or there are fewer than three state sizes.
    """
    columns = _read(Path(path))
    state_bytes = columns[STATE_COLUMN]
    sizes = np.unique(state_bytes)
    if sizes.size < 3:
        raise ValueError(f"{path}: {STATE_COLUMN} has {sizes.size} state sizes; a law needs at least 3")
    return {
        name: _fit(sizes, np.array([np.median(columns[name][state_bytes == size]) for size in sizes]))
        for name in DURATION_COLUMNS
    }


def _fit(sizes: NDArray[np.float64], medians_s: NDArray[np.float64]) -> LinearLaw:
    design = np.column_stack([np.ones_like(sizes), sizes / sizes.max()])
    intercept, slope = np.linalg.lstsq(design, medians_s, rcond=None)[0]
    residual = medians_s - design @ np.array([intercept, slope])
    spread = medians_s - medians_s.mean()
    total = float(spread @ spread)
    r_squared = 1.0 - float(residual @ residual) / total if total > 0.0 else 1.0
    return LinearLaw(float(intercept), float(slope / sizes.max()), r_squared)


def _read(path: Path) -> dict[str, NDArray[np.float64]]:
    names = (STATE_COLUMN, *DURATION_COLUMNS)
    columns: dict[str, list[float]] = {name: [] for name in names}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in names if name not in (reader.fieldnames or ())]
        if missing:
            raise ValueError(f"{path}: column {missing[0]!r} is missing; a calibration has {', '.join(names)}")
        for row in reader:
            for name in names:
                try:
                    columns[name].append(float(row[name]))
                except (TypeError, ValueError):
                    raise ValueError(
                        f"{path}, line {reader.line_num}: {name} is {row[name]!r}; it must be a number "
                        f"({'bytes' if name == STATE_COLUMN else 's'})"
                    ) from None
    return {name: np.array(values) for name, values in columns.items()}
