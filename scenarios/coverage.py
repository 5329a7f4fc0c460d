"""The part of a scenario that covers: gNB sites, radio, handover."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from mobility.a3 import TIMES_TO_TRIGGER_MS
from scenarios.quantity import ExistingFile, Model, Range, quantity


class HexagonalLayout(Model):
    """Sites on a hexagonal grid, centred on the origin of the local frame."""

    type: Literal["hexagonal"]
    rows: int = quantity(5, unit="1", ge=1, le=200)
    """Rows of sites, south to north."""
    columns: int = quantity(5, unit="1", ge=1, le=200)
    """Sites in a row, west to east."""
    inter_site_distance_m: float = quantity(500.0, unit="m", gt=0)
    """Distance between neighbouring sites."""
    antenna_height_m: float = quantity(25.0, unit="m", gt=0)
    """Height of the antennas above ground."""
    sectors: Literal[1, 3] = 1
    """Cells of a site: one round, or three down-tilted sectors."""


class SiteLayout(Model):
    """Sites from a CSV of coordinates."""

    type: Literal["sites"]
    path: ExistingFile
    """CSV file with a header, relative to the scenario."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Which column holds what, where the names differ: name, latitude_deg, longitude_deg; antenna_height_m and
    sector_azimuth_deg if the file has them."""
    antenna_height_m: float = quantity(25.0, unit="m", gt=0)
    """Height of the antennas where the file gives none."""
    sectors: Literal[1, 3] = 1
    """Cells of a site: one round, or three down-tilted sectors."""


class Position(Model):
    """A named site."""

    name: str = Field(min_length=1, max_length=64)
    """Name of the gNB."""
    east_m: float = quantity(unit="m")
    """Distance to the east of the origin."""
    north_m: float = quantity(unit="m")
    """Distance to the north of the origin."""


class ListedLayout(Model):
    """Sites given one by one."""

    type: Literal["list"]
    sites: tuple[Position, ...] = Field(min_length=1)
    """The gNBs."""
    antenna_height_m: float = quantity(25.0, unit="m", gt=0)
    """Height of the antennas above ground."""
    sectors: Literal[1, 3] = 1
    """Cells of a site: one round, or three down-tilted sectors."""


Layout = Annotated[HexagonalLayout | SiteLayout | ListedLayout, Field(discriminator="type")]


class Antenna(Model):
    """A column of antenna elements, tilted down."""

    downtilt_deg: float = quantity(12.0, unit="deg", ge=-90, le=90)
    """Electrical tilt below the horizon."""
    vertical_elements: int = quantity(7, unit="1", ge=1, le=64)
    """Elements in the column."""


class Radio(Model):
    """Channel and cell power; TR 36.777 above its heights, TR 38.901 below."""

    scenario: Literal["RMa-AV", "UMa-AV", "UMi-AV"] = "UMa-AV"
    """Deployment of TR 36.777 Annex B."""
    frequency_ghz: float = quantity(3.5, unit="GHz", ge=0.5, le=100)
    """Carrier frequency."""
    transmit_power_dbm: float = quantity(49.0, unit="dBm", ge=-50, le=100)
    """Power of a cell over the whole carrier."""
    resource_blocks: int = quantity(273, unit="1", ge=1, le=3300)
    """Width of the carrier in resource blocks of 12 subcarriers."""
    subcarrier_spacing_khz: float = quantity(30.0, unit="kHz", ge=1, le=1000)
    """Subcarrier spacing."""
    interference_load: float = quantity(0.3, unit="1", ge=0, le=1)
    """Share of the time in which every other cell transmits, and so interferes."""
    antenna: Antenna | None = Antenna()
    """Antenna of a cell; null is isotropic."""


def _of_the_standard(time_s: float) -> float:
    if round(time_s * 1e3, 6) not in TIMES_TO_TRIGGER_MS:
        times = ", ".join(f"{time / 1e3:g}" for time in TIMES_TO_TRIGGER_MS)
        raise ValueError(f"TS 38.331 has the times {times} s")
    return time_s


class Handover(Model):
    """A3 event of TS 38.331, 5.5.4.4, and what a handover interrupts."""

    hysteresis_db: float = quantity(3.0, unit="dB", ge=0, le=15, multiple_of=0.5)
    """Hys: how much better than the serving cell a neighbour must be."""
    offset_db: float = quantity(0.0, unit="dB", ge=-15, le=15, multiple_of=0.5)
    """Off: offset added to the serving cell."""
    time_to_trigger_s: Annotated[float, AfterValidator(_of_the_standard)] = quantity(0.48, unit="s", ge=0, le=5.12)
    """How long the condition must hold; one of the times of TS 38.331."""
    interruption_s: Range = quantity((0.05, 0.15), unit="s")
    """Shortest and longest interruption of user data by a handover."""


class A3Attachment(Model):
    """Cells by received power: the radio chain and the A3 event."""

    type: Literal["a3"]
    step_s: float = quantity(0.1, unit="s", ge=0.01, le=1)
    """How often the UAV measures."""
    radio: Radio = Radio()
    """Channel and cell power."""
    handover: Handover = Handover()
    """When a UAV changes its cell."""


class NearestAttachment(Model):
    """The nearest cell, without any radio."""

    type: Literal["nearest"]
    step_s: float = quantity(0.1, unit="s", ge=0.01, le=10)
    """How often the distance is looked at."""
    hysteresis_m: float = quantity(0.0, unit="m", ge=0)
    """How much nearer a neighbour must be."""
    interruption_s: Range = quantity((0.05, 0.15), unit="s")
    """Shortest and longest interruption of user data by a handover."""


class TableAttachment(Model):
    """Attachment given outright: a CSV of time_s, uav, cell."""

    type: Literal["table"]
    path: ExistingFile
    """CSV file with a header, relative to the scenario; a column interruption_s may tell that of each change."""
    interruption_s: float = quantity(0.1, unit="s", ge=0)
    """Interruption of user data by a change, where the file does not tell."""


Attachment = Annotated[A3Attachment | NearestAttachment | TableAttachment, Field(discriminator="type")]
