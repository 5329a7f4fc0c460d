"""The constants of the PAM model, what each one means, and where a set of them comes from.

Source: Calagna, Yu, Giaccone, Chiasserini, "Design, Modeling, and Implementation of Robust Migration of Stateful Edge
Microservices", IEEE TNSM 2023 (here "PAM"), Tables II and III.
"""

import math
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, get_type_hints

Ends = tuple[float, float]
"""A value at the minimum and at the maximum dirty-page rate; linear in the normalised rate r in between."""


@dataclass(frozen=True, slots=True)
class Constant:
    """What is known about one constant: symbol and equation in the paper, unit, meaning, least sensible value."""

    symbol: str
    unit: str
    source: str
    meaning: str
    least: float = 0.0

    def __str__(self) -> str:
        return f"{self.meaning}, {self.symbol}, in {self.unit}"


_LAB = "lab, see `pam.strategies`"


@dataclass(frozen=True, kw_only=True)
class PamParameters:
    """All constants of the PAM model in SI units. The defaults are the paper's Table III (COAT: Table II).

    `CONSTANTS` lists symbol, unit, equation and meaning of every field. A field of two values holds them at R_min and
    at R_max. `origin` says on which machine the set was measured. Raises ValueError if a value is not a finite number,
    is below its least sensible value, or is a pair where one number is due or the other way round.
    """

    origin: str = "PAM 2023, Tables II and III: Podman, runC, CRIU on 4-vCPU Skylake VMs, Linux 5.8"

    podman_checkpoint_factor: Annotated[float, Constant("α1", "1", "eqs. 13-14", "Podman over runC, dump", 1.0)] = 1.6
    runc_checkpoint_factor: Annotated[float, Constant("α2", "1", "eqs. 13-14", "runC over CRIU, dump", 1.0)] = 1.2
    podman_restore_factor: Annotated[float, Constant("α3", "1", "eq. 26", "Podman over runC, restore", 1.0)] = 3.3
    runc_restore_factor: Annotated[float, Constant("α4", "1", "eq. 26", "runC over CRIU, restore", 1.0)] = 1.9

    freeze_s: Annotated[float, Constant("β", "s", "eq. 15", "time to seize the process")] = 0.084
    predump_frozen_s: Annotated[float, Constant("φ^p", "s", "eq. 16", "least frozen time of a pre-dump")] = 0.006
    dump_frozen_s: Annotated[float, Constant("φ^d", "s", "eq. 17", "least frozen time of a dump")] = 0.040
    frozen_s_per_byte: Annotated[float, Constant("Γ", "s/B", "eq. 18", "frozen time per byte")] = 1e-10
    predump_frozen_scale: Annotated[float, Constant("ζ", "1", "eq. 18", "scale of Γ at pre-dump")] = 1.0
    dump_frozen_scale: Annotated[Ends, Constant("ξ", "1", "eq. 18", "scale of Γ at dump")] = (0.0, 30.0)

    memory_s: Annotated[float, Constant("δ", "s", "eqs. 19-20", "least memory time")] = 0.0018
    memory_s_per_byte: Annotated[float, Constant("Λ", "s/B", "eqs. 19-20", "memory time per byte")] = 3e-9
    dump_memory_share: Annotated[Ends, Constant("η", "1", "eqs. 20-21", "share that a dump copies")] = (0.0075, 0.75)

    page_bytes: Annotated[float, Constant("σ", "B", "eq. 2", "size of a memory page", 1.0)] = 4096.0
    predump_pages: Annotated[float, Constant("μ^p", "pages", "eq. 22", "fewest pages of a pre-dump")] = 45.0
    predump_pages_per_byte: Annotated[float, Constant("ν^p", "pages/B", "eq. 22", "pages per byte, pre-dump")] = 2.5e-4
    dump_pages: Annotated[float, Constant("μ^d", "pages", "eq. 23", "fewest pages of a dump", 1.0)] = 10.0
    dump_pages_per_byte: Annotated[Ends, Constant("ν^d", "pages/B", "eq. 23", "pages per byte, dump")] = (0.0, 2.5e-4)
    predump_encapsulation: Annotated[float, Constant("τ1", "1", "eq. 24", "bytes sent per byte, pre-dump", 1e-3)] = 1.0
    dump_encapsulation: Annotated[Ends, Constant("τ2", "1", "eq. 25", "bytes sent per byte, dump", 1e-3)] = (4.0, 1.0)
    compression: Annotated[float, Constant("ρ", "1", "eqs. 24-25", "bytes per byte, compressed", 1e-3)] = 1.0
    context_bytes: Annotated[float, Constant("ε", "B", "eqs. 24-25", "CPU context and sockets")] = 0.0

    restore_s: Annotated[float, Constant("ψ", "s", "eq. 26", "least restore time")] = 0.060
    restore_s_per_byte: Annotated[float, Constant("ω", "s/B", "eq. 26", "restore time per byte")] = 8e-10

    namespace_clear_s: Annotated[float, Constant("T^ns_clear", "s", "eq. 11, Table II", "COAT step 2")] = 0.069
    namespace_configure_s: Annotated[float, Constant("T^ns_conf", "s", "eq. 11, Table II", "COAT step 4")] = 0.101
    flow_update_s: Annotated[float, Constant("T^flow", "s", "eq. 11, Table II", "COAT step 5")] = 0.071

    tracking_period_s: Annotated[float, Constant("ΔT", "s", "Sec. IV-A", "period of counting pages", 1e-6)] = 0.1
    page_fault_s_per_byte: Annotated[float, Constant("-", "s/B", _LAB, "handling of page faults")] = 4.4e-9
    page_fault_slow_down: Annotated[float, Constant("-", "1", _LAB, "slow-down, pages missing", 1.0)] = 1.55

    def __post_init__(self) -> None:
        for name in CONSTANTS:
            _check(name, getattr(self, name))

    @cached_property
    def _hash(self) -> int:
        # Of the numbers only: the hash of a text changes from process to process, and this one may travel.
        return hash(tuple(getattr(self, name) for name in CONSTANTS))

    def __hash__(self) -> int:
        # Every plan looks itself up by the parameters: their thirty fields are hashed once.
        return self._hash

    @classmethod
    def from_toml(cls, path: str | Path) -> "PamParameters":
        """Read a complete set from a TOML file: `origin` and every field by name, pairs as arrays of two numbers.

        Raises ValueError naming the file, the field and its unit if one is unknown, missing or bad, and
        FileNotFoundError if there is no such file.
        """
        path = Path(path)
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{path}: not a TOML file: {error}") from error
        for name in sorted(values.keys() - CONSTANTS.keys() - {"origin"}):
            raise ValueError(f"{path}: unknown field {name!r}; the fields are origin, {', '.join(CONSTANTS)}")
        if not isinstance(values.get("origin"), str):
            raise ValueError(f"{path}: field 'origin' must be a text that says where the values were measured")
        for name, constant in CONSTANTS.items():
            if name not in values:
                raise ValueError(f"{path}: field {name!r} ({constant}) is missing")
        given: dict[str, Any] = {name: tuple(each) if isinstance(each, list) else each for name, each in values.items()}
        try:
            return cls(**given)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error


CONSTANTS: dict[str, Constant] = {
    name: hint.__metadata__[0]
    for name, hint in get_type_hints(PamParameters, include_extras=True).items()
    if hasattr(hint, "__metadata__")
}
"""Every numeric field of `PamParameters` and what is known about it, in their order."""


def _check(name: str, value: object) -> None:
    constant = CONSTANTS[name]
    pair_due = isinstance(getattr(PamParameters, name), tuple)
    given = value if isinstance(value, tuple) else (value,)
    right_shape = isinstance(value, tuple) == pair_due and len(given) == (2 if pair_due else 1)
    if right_shape and all(_is_number(each) and each >= constant.least for each in given):
        return
    due = "two numbers, at R_min and at R_max, each" if pair_due else "one number"
    raise ValueError(f"field {name!r} ({constant}) is {value!r}; it takes {due} of {constant.least:g} or more")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


TABLE_III = PamParameters()
"""The parameters measured in the PAM paper (Tables II and III)."""
