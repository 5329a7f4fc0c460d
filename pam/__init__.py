"""PAM: what a live migration of a stateful container costs, and how to configure it.

- Vocabulary (`pam.migration`): `MigrationTask` in, `MigrationPlan` out, `MigrationRecord` of what happened.
- Parameters (`pam.parameters`): `PamParameters`, `TABLE_III`, or your own from TOML.
- Prediction (`pam.model`): `predict`, `downtime`, `least_bandwidth`, `most_iterations`, elementwise over arrays;
  `recursion` round by round with the actual dirty-page rate.
- Decision (`pam.planner`, `pam.strategies`): `plan` and `evaluate`; `worst_case_steps`, `play` and `cost`.
- Baselines (`pam.baselines`): `network_only`, `FixedConfiguration`.
- Calibration (`pam.calibration`): `fit_linear_laws` of one's own machine.
"""

from pam.baselines import (
    FIXED_COLD,
    FIXED_ITERATIVE_AUTOPILOT,
    FIXED_ITERATIVE_TRACKING,
    FixedConfiguration,
    NetworkOnly,
    network_only,
)
from pam.calibration import LinearLaw, fit_linear_laws
from pam.migration import (
    Executor,
    MigrationPlan,
    MigrationRecord,
    MigrationState,
    MigrationTask,
    Objective,
    Phase,
    PhaseRecord,
    Step,
    Strategy,
)
from pam.model import (
    Layer,
    dirty_page_rate_limits,
    downtime,
    least_bandwidth,
    most_iterations,
    normalised_rate,
    pages_per_second,
    predict,
)
from pam.parameters import CONSTANTS, TABLE_III, Constant, PamParameters
from pam.planner import evaluate, plan
from pam.recursion import Rounds, recursion
from pam.strategies import cost, play, worst_case_steps

__all__ = [
    "CONSTANTS",
    "FIXED_COLD",
    "FIXED_ITERATIVE_AUTOPILOT",
    "FIXED_ITERATIVE_TRACKING",
    "TABLE_III",
    "Constant",
    "Executor",
    "FixedConfiguration",
    "Layer",
    "LinearLaw",
    "MigrationPlan",
    "MigrationRecord",
    "MigrationState",
    "MigrationTask",
    "NetworkOnly",
    "Objective",
    "PamParameters",
    "Phase",
    "PhaseRecord",
    "Rounds",
    "Step",
    "Strategy",
    "cost",
    "dirty_page_rate_limits",
    "downtime",
    "evaluate",
    "fit_linear_laws",
    "least_bandwidth",
    "most_iterations",
    "network_only",
    "normalised_rate",
    "pages_per_second",
    "plan",
    "play",
    "predict",
    "recursion",
    "worst_case_steps",
]
