"""`skyhop info`: what is installed here."""

import os
import platform
import re
import shutil
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path

from skyhop.commands.options import Json

TOOLS = {"px4": "PX4_SITL_BIN", "mediamtx": "MEDIAMTX_BIN", "criu": "", "podman": ""}
"""Programs that hardware in the loop needs, each with the environment variable that can name its place."""


def info(as_json: Json = False) -> None:
    """Say what is installed: versions, policies, shipped scenarios, and the programs of a testbed.

    Examples:

    skyhop info

    skyhop info --json
    """
    from sim.policies import available_policies
    from skyhop import __version__
    from skyhop.output import console, print_json, table

    facts = {
        "skyhop": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "dependencies": _dependencies(),
        "policies": available_policies(),
        "scenarios": _shipped("."),
        "budgets": _shipped("budgets"),
        "tools": {name: _find(name, variable) for name, variable in TOOLS.items()},
    }
    if as_json:
        print_json(facts)
        return
    shown = table("What is installed here", "", "")
    shown.show_header = False
    for name, fact in facts.items():
        rows = fact if isinstance(fact, dict) else {"": fact} if isinstance(fact, str) else dict.fromkeys(fact, "")
        for place, (key, value) in enumerate(rows.items()):
            text = " ".join(part for part in (key, "not found" if value is None else value) if part)
            shown.add_row(name if place == 0 else "", text, end_section=place == len(rows) - 1)
    console().print(shown)


def _dependencies() -> dict[str, str | None]:
    """The packages that Skyhop names as needed (those of extras are not), with the versions installed."""
    named = [line for line in requires("skyhop") or () if "extra ==" not in line]
    return {name: _version(name) for name in sorted(re.split(r"[^A-Za-z0-9._-]", line)[0] for line in named)}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _shipped(folder: str) -> list[str]:
    return sorted(entry.name for entry in files("scenarios").joinpath(folder).iterdir() if entry.name.endswith(".yaml"))


def _find(name: str, variable: str) -> str | None:
    """Where a program is: where its environment variable says, else on the PATH; None if it is not there."""
    place = os.environ.get(variable) if variable else None
    if place:
        return place if Path(place).is_file() else None
    return shutil.which(name)
