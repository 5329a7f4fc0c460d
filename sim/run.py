"""What a run leaves: tables, key figures, and the files they are kept in."""

import hashlib
import json
import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from scenarios.schema import Scenario
from sim.mcap import write_mcap
from sim.tables import SCHEMA

# Whatever takes part in the figures; the manifest names their versions.
_COMPONENTS = ("skyhop", "numpy", "scipy", "simpy", "networkx", "polars", "pydantic", "matplotlib")


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run: the scenario and its hash, its tables by name as polars data frames, and its key figures.

    The tables are those of `sim.tables.SCHEMA`; each is an attribute too, such as `run.migrations`.
    """

    scenario: Scenario
    scenario_sha256: str
    tables: dict[str, pl.DataFrame]
    summary: dict[str, Any]

    @property
    def migrations(self) -> pl.DataFrame:
        """Every migration: plan, outcome, KPIs."""
        return self.tables["migrations"]

    @property
    def phases(self) -> pl.DataFrame:
        """Every phase of every migration."""
        return self.tables["phases"]

    @property
    def handovers(self) -> pl.DataFrame:
        """Every change of cell."""
        return self.tables["handovers"]

    @property
    def latency(self) -> pl.DataFrame:
        """The end-to-end latency of every service, whenever it changes."""
        return self.tables["latency"]

    @property
    def trajectory(self) -> pl.DataFrame:
        """Where every UAV was to be and was."""
        return self.tables["trajectory"]

    @property
    def frames(self) -> pl.DataFrame:
        """What every outage did to the frames of a tracker."""
        return self.tables["frames"]

    @property
    def cells(self) -> pl.DataFrame:
        """Where the cells are."""
        return self.tables["cells"]

    @property
    def attribution(self) -> pl.DataFrame:
        """Which cause each metre of error and of stopping distance came from."""
        return self.tables["attribution"]

    def manifest(self) -> dict[str, Any]:
        """What this run can be traced to: the scenario and its hash, the seed, the versions of what computed it."""
        return {
            "skyhop_run": 1,
            **provenance(self.scenario, self.scenario_sha256),
            "tables": {name: {"rows": frame.height} for name, frame in self.tables.items()},
        }

    def write(self, directory: Path) -> list[Path]:
        """Write the tables as Parquet, `manifest.json`, `summary.json`, `scenario.json` and `flight.mcap`."""
        directory.mkdir(parents=True, exist_ok=True)
        written = []
        for name, frame in self.tables.items():
            path = directory / f"{name}.parquet"
            units = {column.name: column.unit for column in SCHEMA[name]}
            metadata = {
                "scenario_sha256": self.scenario_sha256,
                "seed": str(self.scenario.seed),
                "units": json.dumps(units),
            }
            frame.write_parquet(path, compression="zstd", metadata=metadata)
            written.append(path)
        for name, document in (
            ("manifest.json", self.manifest()),
            ("summary.json", self.summary),
            ("scenario.json", _without_folders(self.scenario.model_dump())),
        ):
            path = directory / name
            path.write_text(json.dumps(document, indent=2, allow_nan=False) + "\n", encoding="utf-8")
            written.append(path)
        written.append(write_mcap(self, directory / "flight.mcap"))
        return written


def provenance(scenario: Scenario, scenario_sha256: str) -> dict[str, Any]:
    """What figures can be traced to: the scenario by name and hash, the seed, the versions of what computed them."""
    return {
        "scenario": scenario.name,
        "scenario_sha256": scenario_sha256,
        "seed": scenario.seed,
        "versions": {name: version(name) for name in _COMPONENTS} | {"python": platform.python_version()},
    }


def read_run(directory: Path) -> Run:
    """Read a run back from its folder.

    Raises:
        ValueError: the folder holds no run, or a file in it is damaged or missing.
    """
    try:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        document = json.loads((directory / "scenario.json").read_text(encoding="utf-8"))
        summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
        if manifest["skyhop_run"] != 1:
            raise ValueError(f"written by another version of Skyhop: {manifest['skyhop_run']!r}")
        tables = {name: pl.read_parquet(directory / f"{name}.parquet") for name in SCHEMA}
        scenario = Scenario.model_validate(document, context={"files": "elsewhere"})
    except (OSError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"{directory}: not a readable run of Skyhop: {error}") from error
    return Run(scenario, manifest["scenario_sha256"], tables, summary)


def scenario_hash(scenario: Scenario) -> str:
    """SHA-256 of everything the figures depend on: the scenario and the contents of the files it names."""
    document = scenario.model_dump()
    digest = hashlib.sha256()
    for path in _paths(document):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update(json.dumps(_without_folders(document), sort_keys=True).encode("utf-8"))
    return digest.hexdigest()


def _paths(node: Any) -> list[Path]:
    if isinstance(node, Path):
        return [node]
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, tuple | list) else ()
    return [path for value in inner for path in _paths(value)]


def _without_folders(node: Any) -> Any:
    """The document with the names of its files only, so that the same scenario hashes alike in every folder."""
    if isinstance(node, Path):
        return node.name
    if isinstance(node, dict):
        return {key: _without_folders(value) for key, value in node.items()}
    return [_without_folders(value) for value in node] if isinstance(node, tuple | list) else node
