from dataclasses import replace

import pytest

from uav import TABLE_IV_VEHICLE, Vehicle


def test_table_iv_is_a_vehicle_of_3_kg_braked_by_5_n() -> None:
    assert (TABLE_IV_VEHICLE.mass_kg, TABLE_IV_VEHICLE.brake_force_n) == (3.0, 5.0)
    assert TABLE_IV_VEHICLE.deceleration_mps2 == pytest.approx(5.0 / 3.0)


@pytest.mark.parametrize("field", ["mass_kg", "brake_force_n", "jerk_mps3", "velocity_time_constant_s"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_vehicle_without_mass_force_or_time_constant_is_refused(field: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"vehicle {field} = .*more than 0"):
        replace(TABLE_IV_VEHICLE, **{field: value})


def test_a_vehicle_may_fly_without_drag_but_not_with_less() -> None:
    assert Vehicle(1.0, 1.0, drag_per_s=0.0).drag_per_s == 0.0
    with pytest.raises(ValueError, match="drag_per_s"):
        Vehicle(1.0, 1.0, drag_per_s=-0.1)
