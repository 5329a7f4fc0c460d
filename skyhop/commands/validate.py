"""`skyhop validate`: can this scenario be run?"""

from typing import TYPE_CHECKING

import typer

from skyhop.commands.options import Json, Overrides, ScenarioFile

if TYPE_CHECKING:
    from scenarios.schema import Scenario


def validate(file: ScenarioFile, overrides: Overrides = None, as_json: Json = False) -> None:
    """Check a scenario and say what is wrong with it, line by line.

    Exits with 0 if it can be run, else with 2.

    Examples:

    skyhop validate scenarios/melbourne.yaml

    skyhop validate scenarios/melbourne.yaml --set policy.name=path-aware
    """
    from scenarios.problem import InputError
    from sim.run import scenario_hash
    from skyhop.output import print_json
    from skyhop.scenario import read_scenario

    try:
        scenario = read_scenario(file, overrides or ())
    except InputError as error:
        if not as_json:
            raise
        print_json({"valid": False, "problems": error.problems})
        raise typer.Exit(2) from error
    facts = {
        "name": scenario.name,
        "uavs": sum(group.count for group in scenario.uavs),
        "cells": _count_cells(scenario),
        "services": len(scenario.services),
        "scenario_sha256": scenario_hash(scenario),
    }
    if as_json:
        print_json({"valid": True} | facts)
        return
    counts = ", ".join(f"{noun}: {facts[noun.lower()]}" for noun in ("UAVs", "cells", "services"))
    typer.echo(f"{file}: ok: {facts['name']}, {counts}, SHA-256: {facts['scenario_sha256']}")


def _count_cells(scenario: "Scenario") -> int:
    from mobility import LocalFrame, read_sites
    from mobility.cells import SITE_COLUMNS

    layout, origin = scenario.cells, scenario.origin
    if layout.type == "hexagonal":
        return layout.rows * layout.columns * layout.sectors
    if layout.type == "list":
        return len(layout.sites) * layout.sectors
    if origin is None:
        raise AssertionError("the schema asks for an origin where sites come from a file")
    frame = LocalFrame(origin.latitude_deg, origin.longitude_deg, origin.altitude_m)
    return len(read_sites(layout.path, frame, {**SITE_COLUMNS, **layout.columns}, sectors=layout.sectors == 3))
