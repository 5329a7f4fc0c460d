"""Scenarios: the schema of what a run depends on, how it is read, and the ones that are shipped.

- `Scenario`: the schema; `json_schema()` exports it.
- `load(path, Scenario, overrides)`: read and check a YAML file; `InputError` names every problem by file, line, field.
"""

from scenarios.load import InputError, load
from scenarios.schema import Scenario, json_schema

__all__ = ["InputError", "Scenario", "json_schema", "load"]
