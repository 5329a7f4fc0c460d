"""The tracking service as a model: what it weighs, what a pause does to its frames and to the objects it follows."""

from mot.frames import FrameFlow, ReadingPolicy, catch_up_time, frame_flow
from mot.identities import COASTING, NOT_COASTING, IdentitySurvival, expected_identities_kept
from mot.profile import (
    MEASURED,
    MOSE_2025,
    TABLE_IV_STATE_BYTES,
    TrackerProfile,
    YoloSize,
    fitted_state_bytes,
    normalised_dirty_page_rate,
)

__all__ = [
    "COASTING",
    "MEASURED",
    "MOSE_2025",
    "NOT_COASTING",
    "TABLE_IV_STATE_BYTES",
    "FrameFlow",
    "IdentitySurvival",
    "ReadingPolicy",
    "TrackerProfile",
    "YoloSize",
    "catch_up_time",
    "expected_identities_kept",
    "fitted_state_bytes",
    "frame_flow",
    "normalised_dirty_page_rate",
]
