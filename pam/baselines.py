"""What PAM and MOSE are compared with: the network-only model and fixed configurations.

Sources: He, Toosi, Buyya, "SLA-aware multiple migration planning and scheduling in SDN-NFV-enabled clouds", JSS 2021
(the state of the art in the PAM paper's Section VII); the rows "State of the Art" of the MOSE paper's Tables III, IV.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pam.migration import MigrationPlan, MigrationTask, Strategy
from pam.model import Quantity
from pam.parameters import TABLE_III, PamParameters
from pam.planner import evaluate


@dataclass(frozen=True, slots=True)
class NetworkOnly:
    """Prediction of the network-only model: rounds of pre-copy n, downtime and duration in s."""

    rounds: NDArray[np.float64]
    downtime_s: NDArray[np.float64]
    duration_s: NDArray[np.float64]


def network_only(
    state_bytes: Quantity,
    dirty_bytes_per_s: Quantity,
    bandwidth_bps: Quantity,
    *,
    compression: float = 1.0,
    threshold_s: float = 0.5,
    most_rounds: int = 30,
    before_s: float = 0.0,
    after_s: float = 0.0,
) -> NetworkOnly:
    """Predict pre-copy from transfers alone (He, Toosi, Buyya); the quantities broadcast.

    With the ratio q = D / L of dirtying to sending, round i sends rho M q^i. Rounds go on until the next one takes no
    longer than `threshold_s`, at most `most_rounds`, then the service stops for the last: n = ceil(log_q(T_d L / rho
    M)), T_mig = rho M / L (1 - q^(n + 1)) / (1 - q) + T_pre + T_post, where the sum is n + 1 rounds at q = 1. A
    round cannot send more than the whole state, so a ratio above 1 counts as 1. Raises ValueError unless state and
    bandwidth are above 0 and the dirtying is 0 or more.
    """
    state, dirtying, bandwidth = np.broadcast_arrays(
        *(np.asarray(each, dtype=np.float64) for each in (state_bytes, dirty_bytes_per_s, bandwidth_bps))
    )
    if not (np.all(state > 0.0) and np.all(bandwidth > 0.0) and np.all(dirtying >= 0.0)):
        raise ValueError("state_bytes (bytes) and bandwidth_bps (bit/s) must be above 0, dirty_bytes_per_s 0 or more")
    whole_s = 8.0 * compression * state / bandwidth
    # Just inside (0, 1) the logarithm exists and the sum goes over into its limits, 1 and n + 1.
    log_ratio = np.log(np.clip(8.0 * dirtying / bandwidth, 1e-300, 1.0 - 1e-12))
    rounds = np.clip(np.ceil(np.log(threshold_s / whole_s) / log_ratio), 0.0, most_rounds)
    sends = np.expm1((rounds + 1.0) * log_ratio) / np.expm1(log_ratio)
    return NetworkOnly(
        rounds=rounds,
        downtime_s=whole_s * np.exp(rounds * log_ratio) + after_s,
        duration_s=whole_s * sends + before_s + after_s,
    )


@dataclass(frozen=True, slots=True)
class FixedConfiguration:
    """A migration configured once for all services: strategy, bandwidth in bit/s and iterations I."""

    strategy: Strategy
    bandwidth_bps: float = 1e9
    iterations: int = 0

    def plan(self, task: MigrationTask, parameters: PamParameters = TABLE_III) -> MigrationPlan:
        """Cost this configuration for `task`, with no more bandwidth than is available; see `pam.planner.evaluate`."""
        bandwidth_bps = min(self.bandwidth_bps, task.available_bandwidth_bps)
        return evaluate(task, self.strategy, bandwidth_bps, self.iterations, parameters)


FIXED_COLD = FixedConfiguration(Strategy.COLD)
"""Cold migration at 1 Gbit/s (MOSE, Tables III and IV)."""

FIXED_ITERATIVE_AUTOPILOT = FixedConfiguration(Strategy.ITERATIVE_PRE_COPY, iterations=1)
"""Iterative pre-copy at 1 Gbit/s with I = 1, for the UAV autopilot (MOSE, Table III)."""

FIXED_ITERATIVE_TRACKING = FixedConfiguration(Strategy.ITERATIVE_PRE_COPY, iterations=15)
"""Iterative pre-copy at 1 Gbit/s with I = 15, for multi-object tracking (MOSE, Table IV)."""
