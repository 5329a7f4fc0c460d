"""A scenario as every command reads it: the schema's checks, and those that need the floors above it."""

from collections.abc import Sequence
from pathlib import Path

from pam.parameters import PamParameters
from scenarios.document import read
from scenarios.load import load
from scenarios.problem import InputError, Problem, did_you_mean, show
from scenarios.schema import Scenario
from sim.policies import available_policies, build_policy


def read_scenario(path: Path, overrides: Sequence[str] = ()) -> Scenario:
    """Read the scenario at `path` with `overrides` such as "policy.name=mose-mr".

    Raises `InputError` with every problem found, an unknown policy and its options among them, and ValueError if the
    file of PAM parameters does not hold a set.
    """
    scenario = load(path, Scenario, overrides)
    if scenario.migration.parameters is not None:
        PamParameters.from_toml(scenario.migration.parameters)
    name, policies = scenario.policy.name, available_policies()
    if name not in policies:
        message = f"got {show(name)}; allowed: one of {', '.join(policies)}{did_you_mean(name, tuple(policies))}"
        raise InputError([_problem(path, overrides, "name", message)])
    try:
        build_policy(name, scenario.policy.options)
    except ValueError as error:
        raise InputError([_problem(path, overrides, "options", str(error).removeprefix("policy.options: "))]) from error
    return scenario


def _problem(path: Path, overrides: Sequence[str], key: str, message: str) -> Problem:
    """A problem of `policy.key`, placed at the last override that set it, else at its line."""
    field = f"policy.{key}"
    for override in reversed(overrides):
        name = override.partition("=")[0]
        if name == "policy" or name == field or name.startswith(f"{field}."):
            return Problem(f"--set {override}", None, field, message)
    return read(path).problem(("policy", key), message)
