"""Who steers a vehicle."""

from enum import IntEnum

from uav.testbed import FailsafeAction


class FlightMode(IntEnum):
    """Who steers: the autopilot, its last set-point while it is silent, or one of the failsafes."""

    OFFBOARD = 0
    SETPOINT_HELD = 1
    HOLD = 2
    RETURN = 3
    LAND = 4


FAILSAFE_MODE = {
    FailsafeAction.HOLD: FlightMode.HOLD,
    FailsafeAction.RETURN: FlightMode.RETURN,
    FailsafeAction.LAND: FlightMode.LAND,
}
