"""The folder of a sweep: outcomes as they come, each whole or not there, and the table of all of them."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from sim.figures import align


class SweepFolder:
    """A folder that belongs to one sweep: `sweep.json`, `points/00012.json` and `sweep.parquet`."""

    def __init__(self, path: Path, manifest: Mapping[str, Any], *, restart: bool) -> None:
        """Make `path` the folder of the sweep that `manifest` describes, or go on with what it holds of it.

        Raises:
            ValueError: it holds another sweep and `restart` does not ask to give that up, or something else.
        """
        self.path = path
        self._manifest = path / "sweep.json"
        self._table = path / "sweep.parquet"
        self._points = path / "points"
        if self._manifest.exists():
            self._check(manifest, restart)
        elif path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise ValueError(f"{path}: holds something else than a sweep; choose another place by --output")
        self._points.mkdir(parents=True, exist_ok=True)
        text = json.dumps(manifest, indent=2, allow_nan=False) + "\n"
        _replace(self._manifest, lambda partial: _write_text(partial, text))

    def _check(self, manifest: Mapping[str, Any], restart: bool) -> None:
        try:
            found = json.loads(self._manifest.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{self._manifest}: is damaged: {error}") from error
        changed = [name for name, value in manifest.items() if found.get(name) != value]
        if restart:
            self._table.unlink(missing_ok=True)
            for file in self._points.glob("*.json"):
                file.unlink()
        elif changed:
            raise ValueError(
                f"{self.path}: holds another sweep, which differs in {', '.join(changed)}; choose another place by "
                "--output, or start afresh and give up its points by --restart"
            )

    def _file(self, number: int) -> Path:
        return self._points / f"{number:05}.json"

    def is_done(self, number: int) -> bool:
        """Whether the key figures of a point are there."""
        try:
            outcome = json.loads(self._file(number).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return False
        return isinstance(outcome, dict) and outcome.get("figures") is not None

    def keep(self, number: int, outcome: str) -> None:
        """Write the outcome of a point."""
        _replace(self._file(number), lambda partial: _write_text(partial, outcome))

    def table(self, points: Mapping[int, Mapping[str, Any]]) -> pl.DataFrame:
        """Write and return the table: number, swept values, error (null if there is none), then the key figures."""
        outcomes = [json.loads(self._file(number).read_text(encoding="utf-8")) for number in points]
        columns: dict[str, list[Any]] = {"point": list(points)}
        for path in dict.fromkeys(path for values in points.values() for path in values):
            columns[path] = [values[path] for values in points.values()]
        columns["error"] = [outcome["error"] for outcome in outcomes]
        columns |= align([outcome["figures"] for outcome in outcomes])
        frame = pl.DataFrame([_series(name, values) for name, values in columns.items()])
        _replace(self._table, lambda partial: frame.write_parquet(partial, compression="zstd"))
        return frame


def _series(name: str, values: list[Any]) -> pl.Series:
    kinds = {type(value) for value in values} - {type(None)}
    if kinds == {bool}:
        return pl.Series(name, values, dtype=pl.Boolean)
    if kinds == {int}:
        return pl.Series(name, values, dtype=pl.Int64)
    if kinds and kinds <= {int, float}:
        return pl.Series(name, [None if value is None else float(value) for value in values], dtype=pl.Float64)
    # Swept lists and mappings are written as JSON.
    words = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pl.Series(name, words, dtype=pl.String)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _replace(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file so that it is whole or not there, whenever the process is killed."""
    partial = path.with_name(f"{path.name}.partial")
    write(partial)
    partial.replace(path)
