"""The state of many vehicles in flight, and how it moves on by one step.

Arrays have the shape (axes, N): each axis lies together. Only operations that treat every element alike are used,
so that a row comes out the same whatever is flown beside it.
"""

import numpy as np
from numpy.typing import NDArray

from uav.mode import FAILSAFE_MODE, FlightMode
from uav.reference import Reference
from uav.testbed import Autopilot, FailsafeAction, Testbed
from uav.vehicle import Vehicle

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

HEIGHT_TOLERANCE_M = 0.5
STOPPED_MPS = 0.3
POSITION_GAIN_PER_S = 0.95  # PX4's MPC_XY_P


def limited(vector: Floats, limit: Floats | float) -> Floats:
    """Vectors (2, N), shortened to `limit` where they are longer."""
    length = np.sqrt(vector[0] * vector[0] + vector[1] * vector[1])
    shortened: Floats = vector * np.minimum(1.0, limit / np.maximum(length, 1e-9))
    return shortened


def setpoint_mps(
    seen_m: Floats, stamp_s: Floats, reference: Reference, autopilot: Autopilot, vehicle: Vehicle
) -> Floats:
    """What the autopilot sends (3, N) for positions (3, N) measured at `stamp_s` (N,): v_ref + gain (p_ref - p)."""
    target, _ = reference.at(stamp_s)
    _, ahead = reference.at(stamp_s + autopilot.look_ahead_s)
    wanted = ahead + autopilot.gain_per_s * (target - seen_m)
    wanted[:2] = limited(wanted[:2], min(autopilot.speed_limit_mps, vehicle.maximum_speed_mps))
    down = min(autopilot.vertical_speed_limit_mps, vehicle.descent_speed_mps)
    up = min(autopilot.vertical_speed_limit_mps, vehicle.climb_speed_mps)
    wanted[2] = np.clip(wanted[2], -down, up)
    return wanted


class Fleet:
    """N vehicles that start on their references, at the references' speed, in offboard flight."""

    def __init__(
        self, reference: Reference, testbed: Testbed, wind_mps: tuple[float, float], step_s: float, longest_delay: int
    ) -> None:
        self._testbed, self._step_s = testbed, step_s
        self._wind = np.array(wind_mps, dtype=np.float64)[:, np.newaxis]
        self._reference = reference
        self._every = np.arange(reference.count)
        self.position_m, self._velocity = reference.at(np.zeros(reference.count))
        self._home = self.position_m.copy()
        self._past = np.repeat(self.position_m[np.newaxis], longest_delay + 1, axis=0)
        self._acceleration = np.zeros((2, reference.count))
        # The integral of the velocity loop starts settled: it carries the drag already.
        self._integral = testbed.vehicle.drag_per_s * (self._velocity[:2] - self._wind)
        self._setpoint = self._velocity.copy()
        self.mode = np.full(reference.count, FlightMode.OFFBOARD, dtype=np.int8)
        self._heard_s = np.zeros(reference.count)
        self._back_since_s = np.full(reference.count, np.inf)
        self._stopped = np.zeros(reference.count, dtype=np.bool_)
        self._anchor = self.position_m[:2].copy()
        self._all_offboard = True

    def steer(self, step: int, silent: Bools, delay: NDArray[np.int64], noise_m: Floats | None) -> None:
        """Set-points reach the rows that are not silent; each answers a position seen `delay` steps ago.

        The autopilot works in the vehicle's time: it compares a position with the reference at its time stamp.
        """
        seen = self._past[np.maximum(step - delay, 0) % self._past.shape[0], :, self._every].T
        if noise_m is not None:
            seen[:2] += noise_m
        stamp_s = np.multiply(step - delay, self._step_s, dtype=np.float64)
        wanted = setpoint_mps(seen, stamp_s, self._reference, self._testbed.autopilot, self._testbed.vehicle)
        self._setpoint = np.where(silent, self._setpoint, wanted)
        self._heard_s = np.where(silent, self._heard_s, step * self._step_s)

    def supervise(self, step: int, silent: Bools) -> None:
        """The flight controller notices silence, starts the failsafe, and lets the autopilot back in."""
        if self._all_offboard and not silent.any():
            return
        testbed, now_s = self._testbed, step * self._step_s
        failsafe = self.mode >= FlightMode.HOLD
        self._back_since_s = np.where(silent | ~failsafe, np.inf, np.minimum(self._back_since_s, now_s))
        back = failsafe & (now_s - self._back_since_s >= testbed.resume_delay_s - 1e-9)
        if not testbed.offboard_resumes:
            back[:] = False
        if testbed.failsafe is FailsafeAction.LAND:
            back &= self.position_m[2] > 0
        lost = ~failsafe & (now_s - self._heard_s >= testbed.loss_timeout_s + testbed.detection_delay_s - 1e-9)
        steered = np.where(silent, FlightMode.SETPOINT_HELD, FlightMode.OFFBOARD)
        failed = (failsafe & ~back) | lost
        self.mode = np.where(failed, FAILSAFE_MODE[testbed.failsafe], steered).astype(np.int8)
        self._all_offboard = bool((self.mode == FlightMode.OFFBOARD).all())

    def move(self, step: int) -> None:
        """The vehicles follow their velocity set-points for one step."""
        vehicle, step_s = self._testbed.vehicle, self._step_s
        target, acceleration, jerk = self._targets()
        velocity = self._velocity[:2]
        error = target[:2] - velocity
        wanted = limited(error / vehicle.velocity_time_constant_s + self._integral, acceleration)
        change = limited((wanted - self._acceleration) / vehicle.tilt_time_constant_s, jerk)
        self._acceleration = self._acceleration + change * step_s
        drag = vehicle.drag_per_s * (velocity - self._wind)
        self._integral = limited(
            self._integral + (vehicle.velocity_integral_per_s2 * step_s) * error, 0.5 * vehicle.acceleration_mps2
        )
        climb = np.clip(
            (target[2] - self._velocity[2]) / vehicle.velocity_time_constant_s,
            -vehicle.acceleration_mps2,
            vehicle.acceleration_mps2,
        )
        before = self._velocity
        self._velocity = before + step_s * np.concatenate([self._acceleration - drag, climb[np.newaxis]])
        moved = self.position_m + (0.5 * step_s) * (before + self._velocity)
        if not self._all_offboard:
            moved = self._grounded(moved)
        self.position_m = moved
        self._past[(step + 1) % self._past.shape[0]] = self.position_m

    def _targets(self) -> tuple[Floats, Floats | float, Floats | float]:
        """The velocity (3, N) that each row aims at, and its limits of acceleration and jerk."""
        testbed, vehicle = self._testbed, self._testbed.vehicle
        if self._all_offboard:
            return self._setpoint, vehicle.acceleration_mps2, vehicle.jerk_mps3
        failsafe = self.mode >= FlightMode.HOLD
        return (
            np.where(failsafe, self._failsafe_velocity(), self._setpoint),
            np.where(failsafe, vehicle.deceleration_mps2, vehicle.acceleration_mps2),
            np.where(failsafe, testbed.brake_jerk_mps3, vehicle.jerk_mps3),
        )

    def _failsafe_velocity(self) -> Floats:
        """The velocity (3, N) that the failsafe aims at: it brakes, then holds the place where it stopped."""
        testbed = self._testbed
        slow = self._velocity[0] ** 2 + self._velocity[1] ** 2 < STOPPED_MPS**2
        self._stopped = (self.mode >= FlightMode.HOLD) & (self._stopped | slow)
        self._anchor = np.where(self._stopped, self._anchor, self.position_m[:2])
        velocity = np.zeros_like(self._velocity)
        velocity[:2] = POSITION_GAIN_PER_S * (self._anchor - self.position_m[:2])
        if testbed.failsafe is FailsafeAction.LAND:
            velocity[2] = np.where(self.position_m[2] > 0, -testbed.land_speed_mps, 0.0)
        elif testbed.failsafe is FailsafeAction.RETURN:
            missing = testbed.return_height_m - self.position_m[2]
            low = missing > HEIGHT_TOLERANCE_M
            velocity[2] = np.clip(missing, 0.0, testbed.vehicle.climb_speed_mps)
            home = limited(self._home[:2] - self.position_m[:2], testbed.return_speed_mps)
            velocity[:2] = np.where(low, velocity[:2], home)
        return velocity

    def _grounded(self, moved: Floats) -> Floats:
        """The positions (3, N) moved to, but a landing vehicle goes no deeper than the ground and then stays there."""
        landing = self.mode == FlightMode.LAND
        landed = landing & (self.position_m[2] <= 0)
        self._velocity = np.where(landed, 0.0, self._velocity)
        self._acceleration = np.where(landed, 0.0, self._acceleration)
        moved[2] = np.where(landing, np.maximum(moved[2], 0.0), moved[2])
        return np.where(landed, self.position_m, moved)
