"""A stopping budget: vehicle, service and link of one migration, and the safety threshold it is held against."""

from typing import Any, Literal

from pydantic import Field

from scenarios.quantity import ExistingFile, Model, quantity
from uav.stopping import Braking


class BudgetVehicle(Model):
    """The vehicle that has to stop."""

    mass_kg: float = quantity(3.0, unit="kg", gt=0)
    """Take-off mass m_UAV."""
    brake_force_n: float = quantity(5.0, unit="N", gt=0)
    """Brake force F_b."""
    speed_mps: float = quantity(unit="m/s", ge=0, le=200)
    """Air speed v at which the obstacle appears."""
    tail_wind_mps: float = quantity(0.0, unit="m/s", ge=-100, le=100)
    """Wind along the track, which adds to the speed over the ground; a head wind is negative."""
    actuation_s: float = quantity(0.0, unit="s", ge=0)
    """Time from the arrival of the stop to the first braking, in the flight controller."""
    braking: Braking = Braking.FORCE
    """How it brakes: with the constant brake force, or with its jerk limited besides."""
    jerk_mps3: float = quantity(8.0, unit="m/s³", gt=0)
    """Largest jerk, for braking: jerk-limited."""


class BudgetService(Model):
    """The service that sees the obstacle and sends the stop, while it is being migrated."""

    state_bytes: float = quantity(unit="B", gt=0, le=1e12)
    """State size M."""
    dirty_page_rate: float = quantity(unit="1", ge=0, le=1)
    """Normalised dirty-page rate r, the worst over the service's life."""
    strategy: Literal["cold", "pre-copy"] = "pre-copy"
    """How it is moved; pre-copy stands for any number of iterations, whose worst-case downtimes are alike."""
    connection_kept: bool = True
    """COAT: keep address and connections of the service, which takes three more steps."""
    parameters: ExistingFile | None = None
    """TOML file of PAM parameters; the paper's Table III if left out."""
    video_latency_s: float = quantity(0.03, unit="s", ge=0)
    """Latency of the video from the UAV to the service, T^v."""
    processing_s: float = quantity(0.01, unit="s", ge=0)
    """Time in which the service detects an obstacle, T^proc."""
    queueing_s: float = quantity(0.0, unit="s", ge=0)
    """Time a frame waits for the service."""


class BudgetLink(Model):
    """What lies between the edge servers, and between them and the UAV."""

    bandwidth_bps: float = quantity(1e9, unit="bit/s", gt=0)
    """What the migration gets on the path from source to destination, L."""
    network_latency_s: float = quantity(0.0, unit="s", ge=0)
    """One-way latency from the service to the UAV."""
    handover_interruption_s: float = quantity(0.0, unit="s", ge=0)
    """Interruption of user data by a handover that falls together with the migration."""


class Budget(Model):
    """What a UAV needs to stop while the service that watches its way is being migrated (PAM, Sec. VIII-B)."""

    version: Literal[1]
    """Version of this schema."""
    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Name of the budget."""
    description: str = Field(default="", max_length=2000)
    """What it is about."""
    stopping_distance_m: float = quantity(unit="m", gt=0)
    """Safety threshold D*: the stopping distance must not exceed it."""
    vehicle: BudgetVehicle
    """The vehicle that has to stop."""
    service: BudgetService
    """The service that is being migrated."""
    link: BudgetLink = BudgetLink()
    """What lies between."""


def json_schema() -> dict[str, Any]:
    """JSON Schema of a budget (draft 2020-12), with the unit of every quantity under the key `unit`."""
    schema = Budget.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema
