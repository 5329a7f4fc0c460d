"""The simulated twin: a scenario goes in, a whole flight is played event by event, tables come out.

- `simulate(scenario) -> Run`: tables as data frames, key figures, `Run.write` for the files.
- `read_run(directory)`: a run back from its files.
- `Policy`, `Situation`, `Move`: what a plug-in policy implements.
- `SCHEMA`: the result tables, column by column.
"""

from sim.engine import simulate
from sim.policies import Move, Policy, Situation
from sim.run import Run, read_run, scenario_hash
from sim.tables import SCHEMA

__all__ = ["SCHEMA", "Move", "Policy", "Run", "Situation", "read_run", "scenario_hash", "simulate"]
