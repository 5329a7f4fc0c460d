"""What in a scenario must fit together, and what a person is told if it does not."""

from pathlib import Path

import pytest

from scenarios import InputError, Scenario, load

PLAIN = """version: 1
name: plain
uavs:
  - name: uav
    trajectory: {type: circle}
    services: [autopilot, tracker]
cells: {type: hexagonal}
services:
  - {name: autopilot, type: autopilot, state_bytes: 25e6, dirty_page_rate: 0.03}
  - {name: second, type: autopilot, state_bytes: 25e6, dirty_page_rate: 0.03}
  - {name: tracker, type: tracker}
network: {topology: ring}
"""
WALK = "trajectory={type: random-waypoint, area: {west_m: 0, south_m: 0, east_m: 9, north_m: 9}"
CUT = "network.failures=[{between: [a, b], at_s: 5, for_s: 10}, {between: [b, a], at_s: %s, for_s: 1}]"


def read(folder: Path, *overrides: str) -> Scenario:
    path = folder / "plain.yaml"
    path.write_text(PLAIN, encoding="utf-8")
    return load(path, Scenario, overrides)


@pytest.mark.parametrize(
    ("override", "field", "complaint"),
    [
        ("uavs[0].services=[tracker, tracker]", "uavs[0].services", "'tracker' is named twice"),
        ("uavs[0].services=[traker]", "uavs[0].services[0]", "there is no service 'traker'; services has autopilot"),
        ("uavs[0].services=[autopilot, second]", "uavs[0].services", "autopilot, second are autopilots; only one can"),
        ("services[1].name=autopilot", "services[1].name", "the name 'autopilot' is used twice"),
        ("uavs[0].trajectory={type: gpx, path: plain.yaml}", "origin", "is missing, but uav is given in latitude"),
        ("network.topology=graphml", "network", "topology graphml needs path, the GraphML file"),
        (CUT % 14, "network.failures", "the link b - a is cut at 14 s, while it is cut already until 15 s"),
        ("attachment={type: a3, handover: {time_to_trigger_s: 0.3}}", "attachment.handover.time_to_trigger_s", "0.48"),
        ("attachment={type: nearest, interruption_s: [0.3, 0.1]}", "attachment.interruption_s", "the first must not"),
        ("attachment={type: a3, handover: {interruption_s: [-1, 1]}}", "attachment.handover.interruption_s[0]", "at l"),
        (f"uavs[0].{WALK}, height_m: [80, 40]}}", "uavs[0].trajectory.height_m", "but 80 does above 40"),
        (f"uavs[0].{WALK}, speed_mps: [0, 5]}}", "uavs[0].trajectory.speed_mps[0]", "got 0; allowed: a number above 0"),
        (f"uavs[0].{WALK}, pause_s: [2, 1]}}", "uavs[0].trajectory.pause_s", "but 2 does above 1"),
        ("policy={name: mine, options: {limit: [.inf]}}", "policy.options", "nothing infinite"),
    ],
)
def test_one_thing_is_wrong_and_one_complaint_says_so(
    tmp_path: Path, override: str, field: str, complaint: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, override)
    (problem,) = caught.value.problems
    assert problem.field == field
    assert complaint in problem.message


def test_a_link_can_be_cut_again_once_it_is_back(tmp_path: Path) -> None:
    assert len(read(tmp_path, CUT % 15.1).network.failures) == 2


def test_the_shortest_list_is_too_short_only_where_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a list of at least 1 entries"):
        read(tmp_path, "uavs=[]")
    with pytest.raises(InputError) as caught:
        read(tmp_path, "uavs[0].count=0")
    assert [problem.field for problem in caught.value.problems] == ["uavs[0].count"]
