"""`skyhop validate`: can this scenario be run?"""

import typer

from skyhop.commands.options import Json, Overrides, ScenarioFile


def validate(file: ScenarioFile, overrides: Overrides = None, as_json: Json = False) -> None:
    """Check a scenario and the files that it names, and say what is wrong with them, line by line.

    Exits with 0 if it can be run, else with 2.

    Examples:

    skyhop validate scenarios/melbourne.yaml

    skyhop validate scenarios/melbourne.yaml --set policy.name=path-aware
    """
    from scenarios.problem import InputError
    from sim.run import scenario_hash
    from sim.topology import build_topology
    from sim.world import attach, build_cells, build_fleet, build_frame, server_names
    from skyhop.output import print_json
    from skyhop.scenario import read_scenario

    try:
        scenario = read_scenario(file, overrides or ())
    except InputError as error:
        if not as_json:
            raise
        print_json({"valid": False, "problems": error.problems})
        raise typer.Exit(2) from error
    frame = build_frame(scenario)
    fleet, _ = build_fleet(scenario, frame)
    cells = build_cells(scenario.cells, frame)
    if scenario.attachment.type == "table":
        attach(scenario, fleet, cells, scenario.duration_s or fleet.end_s)
    build_topology(scenario.network, server_names(cells, scenario.cells.sectors), cells.site_position_m)
    facts = {
        "name": scenario.name,
        "uavs": len(fleet),
        "cells": len(cells),
        "services": len(scenario.services),
        "scenario_sha256": scenario_hash(scenario),
    }
    if as_json:
        print_json({"valid": True} | facts)
        return
    counts = ", ".join(f"{noun}: {facts[noun.lower()]}" for noun in ("UAVs", "cells", "services"))
    typer.echo(f"{file}: ok: {facts['name']}, {counts}, SHA-256: {facts['scenario_sha256']}")
