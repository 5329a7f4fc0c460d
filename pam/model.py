"""PAM: what a live migration of a stateful container takes, equations 2-34.

Source: Calagna, Yu, Giaccone, Chiasserini, IEEE TNSM 2023, Sections II, VI and VIII-A. All functions are pure and
elementwise: each quantity is a float or an array, and arrays broadcast. Domain: state M >= 0 bytes, normalised
dirty-page rate r in [0, 1], bandwidth L > 0 bit/s, iterations I >= 0. The planner checks what people enter; these
functions do not. The worst case is meant throughout: the dirty-page rate stays at its largest value, so that all
dump iterations are alike (after eq. 29). `pam.recursion` has the case-by-case form.

The volume of a dump is not monotone in r. As tau_2 falls and nu^d rises linearly with r, their product peaks: with
Table III at r = 2/3, a third above the volume at r = 1.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from pam.parameters import TABLE_III, Ends, PamParameters

Quantity = float | NDArray[np.float64]
"""A float, or an array of them."""


class Layer(StrEnum):
    """Where a duration is observed: the process (CRIU), the container runtime (runC) or the engine (Podman)."""

    CRIU = "criu"
    RUNC = "runc"
    PODMAN = "podman"


def between(ends: Ends, dirty_page_rate: Quantity) -> Quantity:
    """Value at normalised rate r of a constant given at R_min and R_max, linear in between."""
    return ends[0] + (ends[1] - ends[0]) * dirty_page_rate


def dirty_page_rate_limits(state_bytes: Quantity, parameters: PamParameters = TABLE_III) -> tuple[Quantity, Quantity]:
    """R_min = 1 / Delta_T and R_max = floor(M / sigma) / Delta_T in pages/s (Sec. IV-A)."""
    least = 1.0 / parameters.tracking_period_s
    return least, np.floor_divide(state_bytes, parameters.page_bytes) / parameters.tracking_period_s


def normalised_rate(pages_per_s: Quantity, state_bytes: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """Normalised rate r = (R - R_min) / (R_max - R_min) (Sec. VIII-A), kept within [0, 1].

    A state of fewer than two pages has no room between R_min and R_max: one page a period is its minimum.
    """
    least, most = dirty_page_rate_limits(state_bytes, parameters)
    return np.clip((pages_per_s - least) / np.maximum(most - least, least), 0.0, 1.0)


def pages_per_second(
    dirty_page_rate: Quantity, state_bytes: Quantity, parameters: PamParameters = TABLE_III
) -> Quantity:
    """Rate R in pages/s of a normalised rate r: the inverse of `normalised_rate`."""
    least, most = dirty_page_rate_limits(state_bytes, parameters)
    return least + dirty_page_rate * np.maximum(most - least, 0.0)


def checkpoint_factor(layer: Layer, parameters: PamParameters = TABLE_III) -> float:
    """How much longer a pre-dump or dump takes at `layer` than at CRIU: 1, alpha_2 or alpha_1 alpha_2."""
    if layer is Layer.CRIU:
        return 1.0
    runc = parameters.runc_checkpoint_factor
    return runc if layer is Layer.RUNC else parameters.podman_checkpoint_factor * runc


def restore_factor(layer: Layer, parameters: PamParameters = TABLE_III) -> float:
    """How much longer a restore takes at `layer` than at CRIU: 1, alpha_4 or alpha_3 alpha_4."""
    if layer is Layer.CRIU:
        return 1.0
    runc = parameters.runc_restore_factor
    return runc if layer is Layer.RUNC else parameters.podman_restore_factor * runc


def predump_frozen_time(state_bytes: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """T_criu^{p,frozen} = phi^p + Gamma zeta M in s (eqs. 16, 18)."""
    return parameters.predump_frozen_s + parameters.frozen_s_per_byte * parameters.predump_frozen_scale * state_bytes


def dump_frozen_time(
    state_bytes: Quantity, dirty_page_rate: Quantity, parameters: PamParameters = TABLE_III
) -> Quantity:
    """T_criu^{d,frozen} = phi^d + Gamma xi(r) M in s (eqs. 17, 18)."""
    scale = between(parameters.dump_frozen_scale, dirty_page_rate)
    return parameters.dump_frozen_s + parameters.frozen_s_per_byte * scale * state_bytes


def predump_memory_time(state_bytes: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """T_criu^{p,mem} = delta + Lambda M in s (eq. 19)."""
    return parameters.memory_s + parameters.memory_s_per_byte * state_bytes


def dump_memory_time(
    state_bytes: Quantity, dirty_page_rate: Quantity, parameters: PamParameters = TABLE_III
) -> Quantity:
    """T_criu^{d,mem} = delta + Lambda eta(r) M in s (eqs. 20, 21). At a dump it is part of the frozen time (eq. 4)."""
    share = between(parameters.dump_memory_share, dirty_page_rate)
    return parameters.memory_s + parameters.memory_s_per_byte * share * state_bytes


def predump_duration(
    state_bytes: Quantity, parameters: PamParameters = TABLE_III, layer: Layer = Layer.PODMAN
) -> Quantity:
    """T^p: freezing, frozen and memory time of the pre-dump in s (eqs. 3, 13, 15)."""
    frozen = predump_frozen_time(state_bytes, parameters)
    criu = parameters.freeze_s + frozen + predump_memory_time(state_bytes, parameters)
    return checkpoint_factor(layer, parameters) * criu


def dump_duration(
    state_bytes: Quantity,
    dirty_page_rate: Quantity,
    parameters: PamParameters = TABLE_III,
    layer: Layer = Layer.PODMAN,
) -> Quantity:
    """T^d: freezing and frozen time of a dump in s (eqs. 4, 14, 15)."""
    criu = parameters.freeze_s + dump_frozen_time(state_bytes, dirty_page_rate, parameters)
    return checkpoint_factor(layer, parameters) * criu


def restore_duration(
    state_bytes: Quantity, parameters: PamParameters = TABLE_III, layer: Layer = Layer.PODMAN
) -> Quantity:
    """T^r: the restore in s, its forking time neglected as in the paper (eqs. 8, 26)."""
    criu = parameters.restore_s + parameters.restore_s_per_byte * state_bytes
    return restore_factor(layer, parameters) * criu


def predump_pages(state_bytes: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """N^p = mu^p + nu^p M, memory pages of the pre-dump (eq. 22)."""
    return parameters.predump_pages + parameters.predump_pages_per_byte * state_bytes


def dump_pages(state_bytes: Quantity, dirty_page_rate: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """N^d = mu^d + nu^d(r) M, memory pages of a dump (eq. 23)."""
    return parameters.dump_pages + between(parameters.dump_pages_per_byte, dirty_page_rate) * state_bytes


def predump_volume(state_bytes: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """V_0 = rho (tau_1 N^p sigma + epsilon), bytes to send after the pre-dump (eqs. 2, 24)."""
    pages = predump_pages(state_bytes, parameters)
    sent = parameters.predump_encapsulation * parameters.page_bytes * pages
    return parameters.compression * (sent + parameters.context_bytes)


def volume_of_pages(pages: Quantity, dirty_page_rate: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """V_i = rho (tau_2(r) N_i sigma + epsilon), bytes to send for `pages` dirty pages (eqs. 2, 25)."""
    sent = between(parameters.dump_encapsulation, dirty_page_rate) * parameters.page_bytes * pages
    return parameters.compression * (sent + parameters.context_bytes)


def dump_volume(state_bytes: Quantity, dirty_page_rate: Quantity, parameters: PamParameters = TABLE_III) -> Quantity:
    """V_i, i > 0: bytes to send after a dump (eqs. 23, 25)."""
    return volume_of_pages(dump_pages(state_bytes, dirty_page_rate, parameters), dirty_page_rate, parameters)


def transfer_time(volume_bytes: Quantity, bandwidth_bps: Quantity) -> Quantity:
    """T^net = V / L in s; V in bytes, L in bit/s (after eq. 25)."""
    return 8.0 * volume_bytes / bandwidth_bps


def coat_duration(parameters: PamParameters = TABLE_III) -> float:
    """T_coat^add: clearing and configuring the namespace and updating the flow, in s (eq. 11)."""
    return parameters.namespace_clear_s + parameters.namespace_configure_s + parameters.flow_update_s


def first_iteration_duration(
    state_bytes: Quantity,
    bandwidth_bps: Quantity,
    parameters: PamParameters = TABLE_III,
    layer: Layer = Layer.PODMAN,
) -> Quantity:
    """T_0: pre-dump and its transfer in s (eqs. 5, 9, 27)."""
    transfer = transfer_time(predump_volume(state_bytes, parameters), bandwidth_bps)
    return predump_duration(state_bytes, parameters, layer) + transfer


def iteration_duration(
    state_bytes: Quantity,
    dirty_page_rate: Quantity,
    bandwidth_bps: Quantity,
    parameters: PamParameters = TABLE_III,
    layer: Layer = Layer.PODMAN,
) -> Quantity:
    """T_i, i > 0: one dump iteration and its transfer in s (eqs. 5, 9, 28)."""
    transfer = transfer_time(dump_volume(state_bytes, dirty_page_rate, parameters), bandwidth_bps)
    return dump_duration(state_bytes, dirty_page_rate, parameters, layer) + transfer


def downtime(
    state_bytes: Quantity,
    dirty_page_rate: Quantity,
    bandwidth_bps: Quantity,
    parameters: PamParameters = TABLE_III,
    *,
    coat: bool = True,
    layer: Layer = Layer.PODMAN,
) -> Quantity:
    """T^down: Stop&Copy in s, that is dump, transfer, restore (eqs. 7, 10, 29), and with COAT its steps (eqs. 11, 31).

    r = 1 is cold migration, whose downtime is also its duration.
    """
    last = iteration_duration(state_bytes, dirty_page_rate, bandwidth_bps, parameters, layer)
    added = coat_duration(parameters) if coat else 0.0
    return last + restore_duration(state_bytes, parameters, layer) + added


def predict(
    state_bytes: Quantity,
    dirty_page_rate: Quantity,
    bandwidth_bps: Quantity,
    iterations: Quantity,
    parameters: PamParameters = TABLE_III,
    *,
    coat: bool = True,
    layer: Layer = Layer.PODMAN,
) -> tuple[Quantity, Quantity]:
    """T^down and T^mig in s of (iterative) pre-copy with I iterations (eqs. 1, 12, 30-32)."""
    each = iteration_duration(state_bytes, dirty_page_rate, bandwidth_bps, parameters, layer)
    added = coat_duration(parameters) if coat else 0.0
    down = each + (restore_duration(state_bytes, parameters, layer) + added)
    ahead = first_iteration_duration(state_bytes, bandwidth_bps, parameters, layer) + iterations * each
    return down, ahead + down


def least_bandwidth(
    state_bytes: Quantity,
    dirty_page_rate: Quantity,
    target_downtime_s: Quantity,
    parameters: PamParameters = TABLE_III,
    *,
    coat: bool = True,
) -> Quantity:
    """L in bit/s at which the downtime equals theta^down (eq. 33); infinite where no bandwidth is enough."""
    added = coat_duration(parameters) if coat else 0.0
    processing = dump_duration(state_bytes, dirty_page_rate, parameters) + restore_duration(state_bytes, parameters)
    left_s = np.asarray(target_downtime_s - processing - added)
    bits = 8.0 * dump_volume(state_bytes, dirty_page_rate, parameters)
    shape = np.broadcast_shapes(np.shape(bits), left_s.shape)
    least: Quantity = np.divide(bits, left_s, out=np.full(shape, np.inf), where=left_s > 0.0)[()]
    return least


def most_iterations(
    state_bytes: Quantity,
    dirty_page_rate: Quantity,
    bandwidth_bps: Quantity,
    target_duration_s: Quantity,
    parameters: PamParameters = TABLE_III,
    *,
    coat: bool = True,
) -> Quantity:
    """Largest I whose predicted duration does not exceed theta^mig (eq. 34); -1 where even I = 0 takes longer.

    The paper rounds up, which overshoots the target by up to one iteration. Here it is rounded down, and the result
    is tried against `predict` so that floating-point rounding cannot overshoot either.
    """
    each = iteration_duration(state_bytes, dirty_page_rate, bandwidth_bps, parameters)
    fixed = predict(state_bytes, dirty_page_rate, bandwidth_bps, 0.0, parameters, coat=coat)[1]
    above = np.maximum(np.floor((target_duration_s - fixed) / each) + 1.0, 0.0)
    exceeds = [
        predict(state_bytes, dirty_page_rate, bandwidth_bps, above - less, parameters, coat=coat)[1] > target_duration_s
        for less in (0.0, 1.0)
    ]
    most: Quantity = np.maximum(above - np.add(exceeds[0], exceeds[1], dtype=np.float64), -1.0)
    return most
