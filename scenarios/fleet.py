"""The part of a scenario that flies: trajectories and vehicles."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from scenarios.quantity import ExistingFile, Model, PositiveRange, Range, quantity

Point = Annotated[
    tuple[float, float, Annotated[float, Field(ge=0)]],
    Field(json_schema_extra={"unit": "m"}, description="east, north and height above ground"),
]


class Origin(Model):
    """Where the local east-north-up frame touches the earth (WGS-84)."""

    latitude_deg: float = quantity(unit="deg", ge=-90, le=90)
    """Latitude of the origin."""
    longitude_deg: float = quantity(unit="deg", ge=-180, le=180)
    """Longitude of the origin."""
    altitude_m: float = quantity(0.0, unit="m")
    """Altitude of the ground at the origin above the ellipsoid."""


class UlogTrajectory(Model):
    """The global position that a PX4 autopilot logged."""

    type: Literal["ulog"]
    path: ExistingFile
    """ULog file, relative to the scenario."""


class GpxTrajectory(Model):
    """A GPX track."""

    type: Literal["gpx"]
    path: ExistingFile
    """GPX file, relative to the scenario."""


class PlanTrajectory(Model):
    """A QGroundControl mission, flown with corner speeds."""

    type: Literal["plan"]
    path: ExistingFile
    """QGroundControl `.plan` file, relative to the scenario."""


class CsvTrajectory(Model):
    """A table of times and positions, geodetic or local."""

    type: Literal["csv"]
    path: ExistingFile
    """CSV file with a header, relative to the scenario."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Which column holds what, where the names differ: time_s, and latitude_deg, longitude_deg, altitude_m or east_m,
    north_m, up_m."""


class CircleTrajectory(Model):
    """A horizontal circle, anticlockwise from its eastern end."""

    type: Literal["circle"]
    centre_m: Point = (0.0, 0.0, 60.0)
    radius_m: float = quantity(50.0, unit="m", gt=0)
    """Radius of the circle."""
    speed_mps: float = quantity(5.0, unit="m/s", gt=0)
    """Speed along the circle."""
    laps: float = quantity(1.0, unit="1", gt=0)
    """How many times round."""


class WaypointTrajectory(Model):
    """Straight legs between points, slowing down at the corners."""

    type: Literal["waypoints"]
    points_m: tuple[Point, ...] = Field(min_length=2)
    """The corners, in order."""
    speed_mps: float = quantity(10.0, unit="m/s", gt=0)
    """Cruise speed on the legs."""
    corner_speed_mps: float = quantity(2.0, unit="m/s", gt=0)
    """Speed at which a corner is passed."""
    acceleration_mps2: float = quantity(2.0, unit="m/s²", gt=0)
    """Acceleration and braking along a leg."""


class Area(Model):
    """A rectangle on the ground."""

    west_m: float = quantity(unit="m")
    """Western edge."""
    south_m: float = quantity(unit="m")
    """Southern edge."""
    east_m: float = quantity(unit="m")
    """Eastern edge."""
    north_m: float = quantity(unit="m")
    """Northern edge."""

    @model_validator(mode="after")
    def _not_empty(self) -> "Area":
        if not (self.west_m < self.east_m and self.south_m < self.north_m):
            raise ValueError("west_m must lie below east_m, and south_m below north_m")
        return self


class SurveyTrajectory(Model):
    """A lawn-mower pattern over a rectangle."""

    type: Literal["survey"]
    area: Area
    spacing_m: float = quantity(50.0, unit="m", gt=0)
    """Distance between neighbouring lanes."""
    height_m: float = quantity(60.0, unit="m", ge=0)
    """Height above ground."""
    speed_mps: float = quantity(10.0, unit="m/s", gt=0)
    """Cruise speed on the lanes."""
    corner_speed_mps: float = quantity(2.0, unit="m/s", gt=0)
    """Speed at which a corner is passed."""
    acceleration_mps2: float = quantity(2.0, unit="m/s²", gt=0)
    """Acceleration and braking along a lane."""


class RandomWaypointTrajectory(Model):
    """From one uniformly drawn point to the next, each leg at a drawn speed."""

    type: Literal["random-waypoint"]
    area: Area
    height_m: Range = quantity((40.0, 80.0), unit="m")
    """Lowest and highest point above ground."""
    speed_mps: PositiveRange = quantity((5.0, 15.0), unit="m/s")
    """Slowest and fastest leg."""
    pause_s: Range = quantity((0.0, 0.0), unit="s")
    """Shortest and longest hover at a point."""


class GaussMarkovTrajectory(Model):
    """Speed and heading that remember themselves (Gauss-Markov), kept inside a rectangle."""

    type: Literal["gauss-markov"]
    area: Area
    height_m: float = quantity(60.0, unit="m", ge=0)
    """Height above ground."""
    speed_mps: float = quantity(10.0, unit="m/s", gt=0)
    """Mean speed."""
    speed_deviation_mps: float = quantity(2.0, unit="m/s", ge=0)
    """Standard deviation of the speed."""
    memory: float = quantity(0.95, unit="1", ge=0, lt=1)
    """Share of speed and heading kept from one second to the next."""


Trajectory = Annotated[
    UlogTrajectory
    | GpxTrajectory
    | PlanTrajectory
    | CsvTrajectory
    | CircleTrajectory
    | WaypointTrajectory
    | SurveyTrajectory
    | RandomWaypointTrajectory
    | GaussMarkovTrajectory,
    Field(discriminator="type"),
]


class Vehicle(Model):
    """What the airframe can do, where it differs from the testbed's vehicle."""

    mass_kg: float | None = quantity(None, unit="kg", gt=0)
    """Take-off mass m; the testbed's if left out."""
    brake_force_n: float | None = quantity(None, unit="N", gt=0)
    """Brake force F_b; the testbed's if left out."""
    maximum_speed_mps: float | None = quantity(None, unit="m/s", gt=0)
    """Fastest horizontal speed; the testbed's if left out."""


def _each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"{name!r} is named twice")
    return names


class Group(Model):
    """UAVs of one kind: they share a vehicle, a kind of trajectory and a list of services."""

    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Name of the UAV, or of the group: its members are then called name-0, name-1, ..."""
    count: int = quantity(1, unit="1", ge=1, le=100_000)
    """How many UAVs."""
    trajectory: Trajectory
    """How they move; random kinds draw for each UAV anew."""
    spread_m: float = quantity(0.0, unit="m", ge=0)
    """Radius of the disc over which the paths of the group are shifted at random."""
    stagger_s: float = quantity(0.0, unit="s", ge=0)
    """Each UAV starts this much later than the one before it."""
    vehicle: Vehicle | None = None
    """What the airframe can do; the vehicle of the testbed if left out."""
    services: Annotated[tuple[str, ...], AfterValidator(_each_once)] = ()
    """Names of the services that follow each of these UAVs."""
