"""One UAV of a run: the rows of all tables that speak of it."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sim.run import Run

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Subject:
    """A UAV with its services and its share of the tables; `end_s` is the end of the run."""

    uav: str
    services: tuple[str, ...]
    critical: tuple[str, ...]
    end_s: float
    trajectory: pl.DataFrame
    handovers: pl.DataFrame
    latency: pl.DataFrame
    migrations: pl.DataFrame
    phases: pl.DataFrame
    frames: pl.DataFrame
    attribution: pl.DataFrame

    def short(self, service: str) -> str:
        """The name of a service without its UAV's."""
        return service.removeprefix(f"{self.uav}/")

    def position_at(self, time_s: Floats) -> Floats:
        """East and north (N, 2) in metres at the times (N,), on straight lines between the samples."""
        known_s = self.trajectory["time_s"].to_numpy()
        axes = [np.interp(time_s, known_s, self.trajectory[axis].to_numpy()) for axis in ("east_m", "north_m")]
        return np.stack(axes, axis=-1)


def uavs_of(run: Run) -> list[str]:
    """Names of all UAVs of a run, each of which is attached to a cell at some time."""
    return [str(name) for name in run.handovers["uav"].unique(maintain_order=True)]


def subject_of(run: Run) -> Subject | None:
    """The UAV to look at closely: the one with the longest stopping distance, else the first; None without UAVs."""
    names = uavs_of(run)
    if not names:
        return None
    uav = run.summary["stopping_distance"]["uav"] or names[0]
    own = {name: frame.filter(pl.col("uav") == uav) for name, frame in run.tables.items() if "uav" in frame.columns}
    services = tuple(str(name) for name in own["latency"]["service"].unique(maintain_order=True))
    autopilots = {service.name for service in run.scenario.services if service.type == "autopilot"}
    return Subject(
        uav=uav,
        services=services,
        critical=tuple(name for name in services if name.removeprefix(f"{uav}/") in autopilots),
        end_s=run.summary["flight"]["duration_s"],
        phases=run.phases.filter(pl.col("migration").is_in(own["migrations"]["migration"].implode())),
        **{name: own[name] for name in ("trajectory", "handovers", "latency", "migrations", "frames", "attribution")},
    )


def outages(migrations: pl.DataFrame) -> Floats:
    """Start and length (N, 2) in seconds of the silences of migrations."""
    silent = migrations.filter(pl.col("down_from_s").is_finite() & (pl.col("downtime_s") > 0))
    return silent.select("down_from_s", "downtime_s").to_numpy()


def attached_servers(run: Run, subject: Subject) -> tuple[Floats, list[str]]:
    """When the UAV entered a cell (N,), and the edge server beside that cell's gNB."""
    server = dict(run.cells.select(pl.col("cell", "server").cast(pl.String)).iter_rows())
    cells = subject.handovers["target"].cast(pl.String)
    return subject.handovers["time_s"].to_numpy(), [server[cell] for cell in cells]
