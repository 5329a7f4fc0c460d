"""A scenario: everything a run depends on, in one document."""

from typing import Any, Literal

from pydantic import Field, model_validator

from scenarios.coverage import A3Attachment, Attachment, Layout
from scenarios.edge import Migration, Network, Policy, Server, Service
from scenarios.fleet import Group, Origin
from scenarios.problem import did_you_mean
from scenarios.quantity import Model, quantity


class Flight(Model):
    """How the flight stack reacts when its autopilot service falls silent."""

    simulate: bool = True
    """Whether to fly the closed loop; without it a run tells nothing of trajectory errors."""
    testbed: Literal["px4-sitl", "mose-2025"] = "px4-sitl"
    """Preset of loss time-out, detection delay, resume delay and failsafe."""
    sample_s: float = quantity(0.1, unit="s", ge=0.02, le=10)
    """Spacing of the samples of a trajectory in the results."""
    stopping_distance_m: float = quantity(30.0, unit="m", gt=0)
    """Safety threshold D*: the stopping distance must stay below it."""
    video_latency_s: float = quantity(0.03, unit="s", ge=0)
    """Latency of the video from the UAV to its service, T^v."""
    wind_mps: tuple[float, float] = quantity((0.0, 0.0), unit="m/s")
    """Wind, how fast it blows towards east and towards north."""


class Scenario(Model):
    """A whole flight: who flies, over which cells, served by what, moved how."""

    version: Literal[1]
    """Version of this schema."""
    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Name of the scenario, and of the folder of its results."""
    description: str = Field(default="", max_length=2000)
    """What it shows."""
    seed: int = quantity(1, unit="1", ge=0, lt=2**63)
    """Root of every random stream."""
    duration_s: float | None = quantity(None, unit="s", gt=0, le=1e6)
    """Length of the run; as long as the longest trajectory if left out."""
    origin: Origin | None = None
    """Local frame; needed where anything is given in latitude and longitude."""
    uavs: tuple[Group, ...] = Field(min_length=1)
    """Groups of UAVs."""
    cells: Layout
    """Sites of the gNBs."""
    attachment: Attachment = A3Attachment(type="a3")
    """How a UAV gets its cell."""
    servers: Server = Server()
    """The edge server beside every gNB."""
    network: Network = Network()
    """Links between the edge servers."""
    services: tuple[Service, ...] = ()
    """What follows the UAVs."""
    policy: Policy = Policy()
    """What decides about migrations."""
    migration: Migration = Migration()
    """How migrations are costed."""
    flight: Flight = Flight()
    """How the flight stack reacts."""

    @model_validator(mode="after")
    def _names_meet(self) -> "Scenario":
        # A message that begins with a field is shown at that field's line.
        for what, names in (("uavs", [g.name for g in self.uavs]), ("services", [s.name for s in self.services])):
            for index, name in enumerate(names):
                if name in names[:index]:
                    raise ValueError(f"{what}[{index}].name: the name {name!r} is used twice")
        known = {service.name: service.type for service in self.services}
        for index, group in enumerate(self.uavs):
            for place, name in enumerate(group.services):
                if name not in known:
                    raise ValueError(
                        f"uavs[{index}].services[{place}]: there is no service {name!r}; services has "
                        f"{', '.join(sorted(known)) or 'none'}{did_you_mean(name, list(known))}"
                    )
            autopilots = [name for name in group.services if known[name] == "autopilot"]
            if len(autopilots) > 1:
                raise ValueError(f"uavs[{index}].services: {', '.join(autopilots)} are autopilots; only one can fly")
        if self.origin is None and self._geodetic():
            raise ValueError(f"origin: is missing, but {self._geodetic()} is given in latitude and longitude")
        return self

    def _geodetic(self) -> str:
        if self.cells.type == "sites":
            return "cells"
        return next((g.name for g in self.uavs if g.trajectory.type in ("ulog", "gpx", "plan")), "")


def json_schema() -> dict[str, Any]:
    """JSON Schema of a scenario (draft 2020-12), with the unit of every quantity under the key `unit`."""
    schema = Scenario.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
