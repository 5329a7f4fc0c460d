"""What a tracking service weighs: YOLOv8 sizes n to x with BoT-SORT, each figure with its origin.

Two sets. `MEASURED` comes from one machine, through checkpoints of the running service. `MOSE_2025` is what Calagna et
al. ("MOSE", section VI-B) print about theirs. The paper shows state size and time per frame of each model only in a
figure without numbers (Fig. 12), so those are None there. One state size can be worked out: `TABLE_IV_STATE_BYTES`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

PAGE_BYTES = 4096
MEGABYTE = 1e6


class YoloSize(StrEnum):
    """Size of the YOLOv8 model, nano to extra large."""

    N = "n"
    S = "s"
    M = "m"
    L = "l"
    X = "x"


@dataclass(frozen=True, slots=True)
class TrackerProfile:
    """One tracking service.

    `parameters_millions` counts the weights of the network, `state_bytes` is M, `inference_s` the time of one frame
    (its inverse is the inference rate rho), `dirty_page_rate` the normalised r in [0, 1]. None means that the source
    gives no number. `origin` says where the figures come from.
    """

    size: YoloSize
    parameters_millions: float
    state_bytes: float | None
    inference_s: float | None
    dirty_page_rate: float
    origin: str


def normalised_dirty_page_rate(dirty_bytes: float, state_bytes: float) -> float:
    """Return r for a state of which `dirty_bytes` change within one tracking period Delta T.

    r = (R - R_min) / (R_max - R_min) with R = N_R / Delta T, R_min = 1 / Delta T and R_max = (M / sigma) / Delta T
    (MOSE, section IV-B): Delta T cancels. Raises ValueError unless at least a page is dirty and all fit in the state.
    """
    if not PAGE_BYTES <= dirty_bytes <= state_bytes or state_bytes < 2 * PAGE_BYTES:
        raise ValueError(
            f"dirty_bytes must lie between one page ({PAGE_BYTES} B) and state_bytes ({state_bytes:g} B, "
            f"two pages or more); got {dirty_bytes:g} B"
        )
    return (dirty_bytes - PAGE_BYTES) / (state_bytes - PAGE_BYTES)


def fitted_state_bytes(parameters_millions: float) -> float:
    """Return the state size in bytes of a network of this many million parameters, by the line through `MEASURED`.

    249 MB for interpreter and libraries plus 8.5 MB per million parameters (two single-precision copies: as loaded
    and fused). Raises ValueError for a negative number.
    """
    if not parameters_millions >= 0:
        raise ValueError(f"parameters_millions must be at least 0; got {parameters_millions}")
    return (249.0 + 8.5 * parameters_millions) * MEGABYTE


# The weights of the published YOLOv8 detection models, in millions.
_PARAMETERS_MILLIONS = {YoloSize.N: 3.2, YoloSize.S: 11.2, YoloSize.M: 25.9, YoloSize.L: 43.7, YoloSize.X: 68.2}
# Checkpoint in MB, CPU time per frame in ms at 320 px and at 640 px.
_MEASUREMENTS = {
    YoloSize.N: (275, 25, 78),
    YoloSize.S: (346, 60, 197),
    YoloSize.M: (472, 138, 499),
    YoloSize.L: (626, 260, 910),
    YoloSize.X: (830, 412, 1350),
}
# 16 to 17 MB changed over one to two seconds at 5 frames/s: a working set that is touched anew with every frame.
_DIRTY_BYTES = 16.5 * MEGABYTE


def _measured(image_px: int) -> Mapping[YoloSize, TrackerProfile]:
    origin = (
        f"measured: 2-core x86-64 without GPU, one inference thread, {image_px} px; M is the size of the checkpoint; "
        "r from 16.5 MB dirty at 5 frames/s, one figure for all sizes, so low for the larger ones"
    )
    return MappingProxyType(
        {
            size: TrackerProfile(
                size=size,
                parameters_millions=_PARAMETERS_MILLIONS[size],
                state_bytes=state_mb * MEGABYTE,
                inference_s=(small_ms if image_px == 320 else large_ms) / 1e3,
                dirty_page_rate=normalised_dirty_page_rate(_DIRTY_BYTES, state_mb * MEGABYTE),
                origin=origin,
            )
            for size, (state_mb, small_ms, large_ms) in _MEASUREMENTS.items()
        }
    )


MEASURED: Mapping[int, Mapping[YoloSize, TrackerProfile]] = MappingProxyType({px: _measured(px) for px in (320, 640)})
"""The measured profiles by image width in pixels (320, 640) and model size."""

MOSE_2025: Mapping[YoloSize, TrackerProfile] = MappingProxyType(
    {
        size: TrackerProfile(
            size=size,
            parameters_millions=millions,
            state_bytes=None,
            inference_s=None,
            dirty_page_rate=0.66,
            origin="MOSE 2025, section VI-B: r is about 0.66 for every size; parameters as published for YOLOv8",
        )
        for size, millions in _PARAMETERS_MILLIONS.items()
    }
)
"""What the paper prints about its own service, by model size."""

TABLE_IV_STATE_BYTES = 605.4 * MEGABYTE
"""State size in bytes of the service of MOSE's Table IV, whose model size the paper does not name.

Worked out: the two MOSE-MR rows give the bandwidth (651.60 and 94.20 Mbit/s) at which the planner expects a cold
migration to take exactly 15 s and 60 s, and PAM eq. 33 with PAM's Table III turns that into 605.8 and 605.1 MB. The
pre-copy rows of the same table would fit 490 to 560 MB with r = 0.66, so take it as good to some 20 %.
"""
