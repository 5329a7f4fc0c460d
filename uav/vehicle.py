"""The vehicle: mass, limits and the response of its velocity loop."""

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Vehicle:
    """A multicopter that is steered by velocity set-points.

    `mass_kg` (m_UAV) and `brake_force_n` (F_b) give the braking of the PAM paper's eq. 36. The limits
    `maximum_speed_mps` (horizontal), `climb_speed_mps`, `descent_speed_mps`, `acceleration_mps2` and `jerk_mps3`
    bound every manoeuvre. The velocity loop is PX4's: proportional gain 1 / `velocity_time_constant_s`, integral gain
    `velocity_integral_per_s2`, the integral held to half the acceleration limit; the thrust vector follows the wanted
    acceleration with the lag `tilt_time_constant_s`. `drag_per_s` is rotor drag: deceleration per m/s of air speed.

    The defaults are PX4's: MPC_XY_VEL_MAX 12, MPC_Z_V_AUTO_UP 3, MPC_Z_V_AUTO_DN 1.5, MPC_ACC_HOR_MAX 5,
    MPC_JERK_MAX 8, 1 / MPC_XY_VEL_P_ACC = 1 / 1.8 s, MPC_XY_VEL_I_ACC 0.4. PX4 publishes no tilt lag and no drag:
    0.15 s and 0.1 1/s are typical of a quadcopter of 1 to 3 kg.

    Raises ValueError if a field is not finite or out of range.
    """

    mass_kg: float
    brake_force_n: float
    maximum_speed_mps: float = 12.0
    climb_speed_mps: float = 3.0
    descent_speed_mps: float = 1.5
    acceleration_mps2: float = 5.0
    jerk_mps3: float = 8.0
    drag_per_s: float = 0.1
    velocity_time_constant_s: float = 0.55
    velocity_integral_per_s2: float = 0.4
    tilt_time_constant_s: float = 0.15

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            may_be_zero = field.name in ("drag_per_s", "velocity_integral_per_s2")
            least = "at least 0" if may_be_zero else "more than 0"
            if not math.isfinite(value) or value < 0 or (value == 0 and not may_be_zero):
                raise ValueError(f"vehicle {field.name} = {value}: must be a finite number, {least}")

    @property
    def deceleration_mps2(self) -> float:
        """The braking deceleration F_b / m_UAV behind eq. 36 of the PAM paper, in m/s²."""
        return self.brake_force_n / self.mass_kg


TABLE_IV_VEHICLE = Vehicle(mass_kg=3.0, brake_force_n=5.0)
"""The UAV of the PAM paper's Table IV: 3 kg, braked by 5 N; all else as in `Vehicle`."""
