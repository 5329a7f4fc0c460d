"""UAVs: the vehicle, its stopping distance, and its flight under an autopilot that is far away and at times silent.

- Vehicle: `Vehicle`, `TABLE_IV_VEHICLE`.
- Stopping distance (PAM paper, eqs. 35 and 36): `Latencies`, `stopping_distance_m`, `stopping_lines`, the inverses
  `largest_safe_speed_mps` and `largest_downtime_s`, and their parts.
- Testbeds: `Testbed`, `Autopilot`, `FailsafeAction`, and the presets in `TESTBEDS` by name.
- Closed loop: `fly` takes references, `Silence` and `LoopLatency` to a `FlightResult`.
"""

from uav.flight import FlightResult, fly
from uav.latency import LoopLatency
from uav.mode import FlightMode
from uav.path import circle_m, cross_track_error_m
from uav.silence import Silence
from uav.stopping import (
    TABLE_IV_LATENCIES,
    TABLE_IV_LIMIT_M,
    Braking,
    Latencies,
    StoppingLine,
    braking_distance_m,
    contingency_distance_m,
    jerk_limited_braking_distance_m,
    largest_downtime_s,
    largest_safe_speed_mps,
    reaction_distance_m,
    stopping_distance_m,
    stopping_lines,
)
from uav.testbed import MOSE_2025, PX4_SITL, TESTBEDS, Autopilot, FailsafeAction, Testbed
from uav.vehicle import TABLE_IV_VEHICLE, Vehicle

__all__ = [
    "MOSE_2025",
    "PX4_SITL",
    "TABLE_IV_LATENCIES",
    "TABLE_IV_LIMIT_M",
    "TABLE_IV_VEHICLE",
    "TESTBEDS",
    "Autopilot",
    "Braking",
    "FailsafeAction",
    "FlightMode",
    "FlightResult",
    "Latencies",
    "LoopLatency",
    "Silence",
    "StoppingLine",
    "Testbed",
    "Vehicle",
    "braking_distance_m",
    "circle_m",
    "contingency_distance_m",
    "cross_track_error_m",
    "fly",
    "jerk_limited_braking_distance_m",
    "largest_downtime_s",
    "largest_safe_speed_mps",
    "reaction_distance_m",
    "stopping_distance_m",
    "stopping_lines",
]
