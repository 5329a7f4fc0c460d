"""What a scenario describes, as it is built."""

from collections.abc import Callable

import pytest

from scenarios import Scenario
from sim import simulate
from sim.world import build_world

Stage = Callable[..., Scenario]


def test_a_table_of_attachments_ends_with_the_run(stage: Stage) -> None:
    run = simulate(stage(["a@0 b@10 c@60 d@60.1"]))
    assert run.handovers["time_s"].to_list() == [0.0, 10.0, 60.0]
    assert run.summary["handovers"]["count"] == 2
    assert run.migrations["destination"].to_list() == ["b", "c"]


@pytest.mark.parametrize("sectors", [1, 3])
def test_a_server_stands_beside_every_site_and_is_called_after_it(stage: Stage, sectors: int) -> None:
    suffix = "" if sectors == 1 else "-0"
    world = build_world(stage([f"a{suffix}@0"], f"cells.sectors={sectors}"))
    assert world.names.server == ("a", "b", "c", "d")
    assert len(world.names.cell) == 4 * sectors
    assert world.server_of_cell.tolist() == [site for site in range(4) for _ in range(sectors)]


def test_the_names_of_a_group_are_numbered_and_services_are_called_after_their_uav(stage: Stage) -> None:
    world = build_world(stage(["a@0", "b@0"]))
    assert world.names.uav == ("uav-0", "uav-1")
    assert world.names.service == ("uav-0/autopilot", "uav-1/autopilot")


def test_what_a_uav_does_depends_on_the_seed_and_its_name_only(stage: Stage) -> None:
    def fly(*overrides: str) -> list[list[float]]:
        area = "{west_m: 0, south_m: -300, east_m: 900, north_m: 300}"
        walk = f"uavs[0].trajectory={{type: random-waypoint, area: {area}}}"
        world = build_world(stage(["a@0", "b@0"], walk, "attachment={type: nearest}", *overrides))
        positions: list[list[float]] = world.fleet.sample([30.0])[:, 0].tolist()
        return positions

    assert fly() == fly()
    assert fly("uavs[0].count=5")[:2] == fly()
    assert fly("seed=2")[0] != fly()[0]


def test_random_movement_needs_an_end(stage: Stage) -> None:
    area = "{west_m: 0, south_m: -300, east_m: 900, north_m: 300}"
    walk = f"uavs[0].trajectory={{type: random-waypoint, area: {area}}}"
    with pytest.raises(ValueError, match="duration_s is missing"):
        build_world(stage(["a@0"], walk, "duration_s=null"))
