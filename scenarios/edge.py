"""The part of a scenario that computes: edge servers, links, services and the policy that moves them."""

import json
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from mot import MEASURED, YoloSize
from pam.migration import Objective
from scenarios.quantity import ExistingFile, Model, quantity


class Server(Model):
    """An edge server; one stands beside every gNB."""

    cores: float = quantity(16.0, unit="1", gt=0)
    """CPU cores."""
    memory_bytes: float = quantity(64e9, unit="B", gt=0)
    """Memory for the state of services."""
    concurrent_migrations: int = quantity(4, unit="1", ge=1)
    """Migrations that may leave or enter at once; others wait."""


class LinkFailure(Model):
    """A link between two edge servers that is cut for a while."""

    between: tuple[str, str]
    """Names of the gNBs at its two ends."""
    at_s: float = quantity(unit="s", ge=0)
    """When it is cut."""
    for_s: float = quantity(unit="s", gt=0)
    """How long it stays cut."""


class Network(Model):
    """Links between the edge servers: full duplex, shared max-min fairly, reservable."""

    topology: Literal["mesh", "full-mesh", "ring", "tree", "graphml"] = "mesh"
    """Mesh of neighbours, every pair, ring, tree, or a GraphML file."""
    neighbours: int = quantity(6, unit="1", ge=1, le=64)
    """Mesh: how many nearest servers each is linked to, at least."""
    branches: int = quantity(4, unit="1", ge=2, le=64)
    """Tree: children of a node."""
    path: ExistingFile | None = None
    """GraphML file, nodes named as the gNBs; links may carry bandwidth_bps and latency_s."""
    bandwidth_bps: float = quantity(1e9, unit="bit/s", gt=0)
    """Capacity of a link in each direction."""
    latency_s: float = quantity(0.002, unit="s", ge=0)
    """One-way latency of a link."""
    access_latency_s: float = quantity(0.01, unit="s", ge=0)
    """One-way latency from a UAV to the server beside its gNB."""
    failures: tuple[LinkFailure, ...] = ()
    """Links that are cut during the run."""

    @model_validator(mode="after")
    def _fits_together(self) -> "Network":
        if self.topology == "graphml" and self.path is None:
            raise ValueError("topology graphml needs path, the GraphML file")
        cut_until_s: dict[frozenset[str], float] = {}
        for failure in sorted(self.failures, key=lambda failure: failure.at_s):
            link = frozenset(failure.between)
            if failure.at_s <= cut_until_s.get(link, -1.0):
                raise ValueError(
                    f"failures: the link {' - '.join(failure.between)} is cut at {failure.at_s:g} s, while it is cut "
                    f"already until {cut_until_s[link]:g} s"
                )
            cut_until_s[link] = failure.at_s + failure.for_s
        return self


class _Service(Model):
    name: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Name that groups of UAVs refer to."""
    state_bytes: float = quantity(unit="B", gt=0, le=1e12)
    """State size M: what a migration has to move."""
    dirty_page_rate: float = quantity(unit="1", ge=0, le=1)
    """Normalised dirty-page rate r that plans reckon with: the worst over the service's life."""
    actual_dirty_page_rate: float | None = quantity(None, unit="1", ge=0, le=1)
    """Normalised dirty-page rate that the simulation plays; the planned one if left out."""
    cores: float = quantity(0.5, unit="1", ge=0)
    """CPU cores that the service needs."""
    request_rate_hz: float = quantity(20.0, unit="1/s", ge=0)
    """Requests of one UAV."""
    processing_s: float = quantity(0.01, unit="s", ge=0)
    """CPU time of one request."""
    objective: Objective = Objective.MINIMIZE_DOWNTIME
    """What a migration is to minimise: md (downtime) or mr (resources)."""
    target_s: float = quantity(5.0, unit="s", gt=0)
    """Largest migration duration (md) or downtime (mr)."""
    critical: bool = False
    """A critical service is never moved by post-copy or hybrid, whose page-fault phase can lose it."""


class AutopilotService(_Service):
    """Flies the UAV: while it is down, the last velocity set-point holds until the flight controller's failsafe."""

    type: Literal["autopilot"]


class TrackerService(_Service):
    """Tracks objects in the UAV's video: while it is down, frames queue or are lost.

    What is left out of state, dirty-page rate and times is that of the measured service with the given `model`.
    """

    type: Literal["tracker"]
    model: Literal["n", "s", "m", "l", "x"] = "n"
    """Size of the YOLOv8 model, nano to extra large."""
    image_px: Literal[320, 640] = quantity(320, unit="px")
    """Width of the images it works on."""
    state_bytes: float = quantity(MEASURED[320][YoloSize.N].state_bytes, unit="B", gt=0, le=1e12)
    """State size M; that of the measured model if left out."""
    dirty_page_rate: float = quantity(MEASURED[320][YoloSize.N].dirty_page_rate, unit="1", ge=0, le=1)
    """Normalised dirty-page rate r that plans reckon with; that of the measured model if left out."""
    frame_rate_hz: float = quantity(10.0, unit="1/s", gt=0)
    """Frames that the camera sends."""
    inference_s: float = quantity(MEASURED[320][YoloSize.N].inference_s, unit="s", gt=0)
    """Time of one inference; that of the measured model if left out."""
    request_rate_hz: float = quantity(10.0, unit="1/s", ge=0)
    """Requests of one UAV; the frame rate if left out."""
    processing_s: float = quantity(MEASURED[320][YoloSize.N].inference_s, unit="s", ge=0)
    """CPU time of one request; the time of one inference if left out."""
    reading: Literal["newest", "queue"] = "queue"
    """Reading policy: the newest frame only, or a bounded queue of all of them."""
    queue_frames: int = quantity(64, unit="1", ge=1)
    """Queue: frames it holds; more are lost."""
    coasting: bool = True
    """Whether the Kalman filters coast over missed frames."""

    @model_validator(mode="before")
    @classmethod
    def _as_measured(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        size, image_px = data.get("model", "n"), data.get("image_px", 320)
        if size not in tuple(YoloSize) or image_px not in tuple(MEASURED):
            return data  # the fields themselves say what is wrong
        profile = MEASURED[image_px][YoloSize(size)]
        filled = {
            "state_bytes": profile.state_bytes,
            "dirty_page_rate": profile.dirty_page_rate,
            "inference_s": profile.inference_s,
        } | data
        return {
            "processing_s": filled["inference_s"],
            "request_rate_hz": filled.get("frame_rate_hz", 10.0),
        } | filled


class GenericService(_Service):
    """Any other service that follows a UAV."""

    type: Literal["generic"]


Service = Annotated[AutopilotService | TrackerService | GenericService, Field(discriminator="type")]


def _finite(options: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(options, allow_nan=False)
    except ValueError as error:
        raise ValueError("options take text, truth values and numbers, but nothing infinite") from error
    return options


class Policy(Model):
    """What decides when a service moves, where to and how. `skyhop info` lists the installed policies."""

    name: str = "mose-md"
    """never, nearest-cold, mose, mose-md, mose-mr, latency-threshold, path-aware, or one that a plug-in brings."""
    options: Annotated[dict[str, Any], AfterValidator(_finite)] = Field(default_factory=dict)
    """Options of that policy."""


class Migration(Model):
    """How migrations are costed."""

    parameters: ExistingFile | None = None
    """TOML file of PAM parameters; the paper's Table III if left out."""
    connection_kept: bool = True
    """COAT: keep address and connections of the service, which takes three more steps."""
    resume_s: float = quantity(0.3, unit="s", ge=0)
    """Time to resume the source after a failed migration."""
    restart_s: float = quantity(5.0, unit="s", ge=0)
    """Time to start a service anew when post-copy has lost it."""
