"""`skyhop plan`: what would one migration cost, and which strategy should it use?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pam.migration import MigrationPlan, MigrationTask, Objective, Phase, Step, Strategy
from skyhop.commands.options import Json, reader
from skyhop.units import BANDWIDTH, BYTES, SECONDS

if TYPE_CHECKING:
    from pam import NetworkOnly, PamParameters

Size = Annotated[
    float,
    typer.Option(parser=reader(BYTES.parse), metavar="SIZE", help="State size M, such as 25MB.", show_default=False),
]
Rate = Annotated[float, typer.Option(metavar="0..1", help="Normalised dirty-page rate r.", show_default=False)]
Bandwidth = Annotated[
    float,
    typer.Option(parser=reader(BANDWIDTH.parse), metavar="BANDWIDTH", help="What the path can give, such as 1Gbit/s."),
]
Goal = Annotated[Objective, typer.Option(help="Minimise downtime (md) or resources (mr).")]
Target = Annotated[
    float,
    typer.Option(
        parser=reader(SECONDS.parse),
        metavar="TIME",
        help="Largest duration (md) or downtime (mr), such as 5s or 900ms.",
    ),
]
Parameters = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="PAM parameters, a TOML file; the paper's Table III if left out."),
]
Coat = Annotated[bool, typer.Option("--coat/--no-coat", help="Keep address and connections of the service (COAT).")]


def plan(
    state: Size,
    dirty_rate: Rate,
    bandwidth: Bandwidth = "1Gbit/s",  # type: ignore[assignment]
    objective: Goal = Objective.MINIMIZE_DOWNTIME,
    target: Target = "5s",  # type: ignore[assignment]
    parameters: Parameters = None,
    coat: Coat = True,
    as_json: Json = False,
) -> None:
    """Plan one migration: the strategy MOSE chooses, what it costs by PAM, and what the others would.

    Numbers without a unit are in bytes, bit/s and seconds. Exits with 0 if the target can be met, else with 1.

    Examples:

    skyhop plan --state 25MB --dirty-rate 0.03

    skyhop plan --state 20MB --dirty-rate 0.25 --objective mr --target 2s --bandwidth 500Mbit/s
    """
    import pam
    from skyhop.output import print_json

    values = pam.TABLE_III if parameters is None else pam.PamParameters.from_toml(parameters)
    task = MigrationTask("service", "source", "destination", objective, target, state, dirty_rate, bandwidth, coat)
    chosen = pam.plan(task, values)
    plans = [
        pam.evaluate(task, strategy, chosen.bandwidth_bps, _iterations(strategy, chosen), values)
        for strategy in Strategy
    ]
    dirtying = pam.pages_per_second(dirty_rate, state, values) * values.page_bytes
    baseline = pam.network_only(state, dirtying, chosen.bandwidth_bps)
    if as_json:
        print_json(
            {
                "plan": chosen,
                "strategies": [_summary(each) for each in plans],
                "network_only": {
                    "rounds": int(baseline.rounds),
                    "downtime_s": float(baseline.downtime_s),
                    "duration_s": float(baseline.duration_s),
                },
                "parameters": values.origin,
            }
        )
    else:
        _print(chosen, plans, baseline, values)
    raise typer.Exit(0 if chosen.feasible else 1)


def _iterations(strategy: Strategy, chosen: MigrationPlan) -> int:
    return max(chosen.iterations, 1) if strategy is Strategy.ITERATIVE_PRE_COPY else 0


def _summary(plan: MigrationPlan) -> dict[str, object]:
    return {
        "strategy": plan.strategy,
        "iterations": plan.iterations,
        "downtime_s": plan.predicted_downtime_s,
        "duration_s": plan.predicted_duration_s,
        "page_fault_s": _page_fault_s(plan),
        "bytes": plan.predicted_bytes,
        "feasible": plan.feasible,
    }


def _page_fault_s(plan: MigrationPlan) -> float:
    return sum(_duration_s(step, plan.bandwidth_bps) for step in plan.steps if step.phase is Phase.PAGE_FAULT)


def _duration_s(step: Step, bandwidth_bps: float) -> float:
    from pam.model import transfer_time

    return step.processing_s + float(transfer_time(step.volume_bytes, bandwidth_bps))


def _print(chosen: MigrationPlan, plans: list[MigrationPlan], baseline: "NetworkOnly", values: "PamParameters") -> None:
    from skyhop.output import console, table

    out = console()
    task = chosen.task
    facts = table("Plan" if chosen.feasible else "The target cannot be met; the best there is", "", "", numbers=0)
    facts.show_header = False
    for name, value in (
        ("Strategy", chosen.strategy.value),
        ("Bandwidth", f"{BANDWIDTH.show(chosen.bandwidth_bps)} of {BANDWIDTH.show(task.available_bandwidth_bps)}"),
        ("Iterations I", str(chosen.iterations)),
        ("Downtime", f"at most {SECONDS.show(chosen.predicted_downtime_s)}"),
        ("Duration", f"at most {SECONDS.show(chosen.predicted_duration_s)}"),
        ("Moved", f"at most {BYTES.show(chosen.predicted_bytes)}"),
        ("Why", chosen.reason),
        ("Parameters", values.origin),
    ):
        facts.add_row(name, value)
    out.print(facts)

    steps = table("Phase by phase", "Round", "Phase", "Service", "Moves", "Takes", numbers=2)
    for label, step in _rounds(chosen):
        volume = BYTES.show(step.volume_bytes) if step.volume_bytes else ""
        takes = SECONDS.show(_duration_s(step, chosen.bandwidth_bps))
        steps.add_row(label, step.phase.value, "down" if step.service_down else "up", volume, takes)
    out.print(steps)

    side = table(
        f"All strategies at {BANDWIDTH.show(chosen.bandwidth_bps)}",
        *("Strategy", "Target", "I", "Downtime", "Duration", "Pages missing", "Moves"),
        numbers=5,
    )
    for each in plans:
        late_s = _page_fault_s(each)
        side.add_row(
            each.strategy.value,
            "met" if each.feasible else "missed",
            str(each.iterations) if each.iterations else "",
            SECONDS.show(each.predicted_downtime_s),
            SECONDS.show(each.predicted_duration_s),
            SECONDS.show(late_s) if late_s else "",
            BYTES.show(each.predicted_bytes),
        )
    side.add_section()
    times = (SECONDS.show(float(baseline.downtime_s)), SECONDS.show(float(baseline.duration_s)))
    side.add_row("network only (He et al.)", "", str(int(baseline.rounds)), *times, "", "")
    out.print(side)
    out.print(
        "Post-copy and hybrid lie beyond PAM; their figures rest on measurements with CRIU's lazy pages. While pages "
        f"are missing the service is {values.page_fault_slow_down:g} times slower."
    )


def _rounds(plan: MigrationPlan) -> list[tuple[str, Step]]:
    """The steps with the names of their rounds; the dump iterations, all alike, once."""
    labelled = []
    for step in plan.steps:
        if step.round == 0:
            labelled.append(("pre-dump", step))
        elif step.phase is Phase.PAGE_FAULT:
            labelled.append(("afterwards", step))
        elif step.round > plan.iterations:
            labelled.append(("Stop&Copy", step))
        elif step.round == 1:
            labelled.append(("1" if plan.iterations == 1 else f"1 to {plan.iterations}, each", step))
    return labelled
