"""`skyhop budget`: can the vehicle stop in time while its service is being migrated?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from skyhop.commands.options import Json, Overrides

if TYPE_CHECKING:
    from scenarios.budget import Budget
    from skyhop.budget import Assessment

PICTURES = (".svg", ".png", ".pdf")

BudgetFile = Annotated[Path, typer.Argument(metavar="FILE", help="The budget, a YAML file.", show_default=False)]
Picture = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help=f"Draw it over the speed; FILE ends in {', '.join(PICTURES)}."),
]


def budget(file: BudgetFile, overrides: Overrides = None, picture: Picture = None, as_json: Json = False) -> None:
    """Hold the stopping distance during a migration against the safety threshold D*, line by line in metres.

    Exits with 0 if it is met, with 1 if not, with 2 on bad input.

    Examples:

    skyhop budget scenarios/budgets/table-iv.yaml

    skyhop budget scenarios/budgets/table-iv.yaml --set vehicle.speed_mps=8 --picture budget.svg
    """
    from scenarios.budget import Budget
    from scenarios.load import load
    from skyhop.budget import assess
    from skyhop.output import plain, print_json

    if picture is not None and picture.suffix.lower() not in PICTURES:
        raise ValueError(f"--picture {picture}: a picture's name ends in one of {', '.join(PICTURES)}")
    document = load(file, Budget, overrides or ())
    assessment = assess(document)
    if picture is not None:
        from skyhop.budget_picture import draw

        draw(document, assessment).savefig(picture)
    if as_json:
        facts = plain(assessment) | {"margin_m": assessment.margin_m, "met": assessment.met}
        print_json({"name": document.name} | facts | ({"picture": picture} if picture else {}))
    else:
        _print(document, assessment, picture)
    raise typer.Exit(0 if assessment.met else 1)


def _print(budget: "Budget", assessment: "Assessment", picture: Path | None) -> None:
    from math import isnan

    from rich.text import Text

    from skyhop.output import console, table
    from skyhop.units import SECONDS

    out = console()
    title = f"Stopping budget {budget.name} at {budget.vehicle.speed_mps:g} m/s"
    lines = table(title, "Contribution", "Takes", "Metres", numbers=2)
    for line in assessment.lines:
        takes = "" if isnan(line.duration_s) else SECONDS.show(line.duration_s)
        lines.add_row(line.name, takes, f"{line.distance_m:.2f}")
    lines.add_section()
    lines.add_row("stopping distance", "", f"{assessment.stopping_distance_m:.2f}")
    lines.add_row("safety threshold D*", "", f"{assessment.threshold_m:.2f}")
    lines.add_row("margin", "", f"{assessment.margin_m:.2f}")
    out.print(lines)
    verdict, style = ("met", "bold green") if assessment.met else ("not met", "bold red")
    out.print(Text(f"D* is {verdict}.", style=style))
    for sentence in _limits(budget, assessment):
        out.print(sentence)
    if picture is not None:
        out.print(f"Picture: {picture}")


def _limits(budget: "Budget", assessment: "Assessment") -> tuple[str, str, str]:
    """The inverses in words, rounded to the safe side."""
    from math import isfinite, isnan

    from skyhop.units import round_down, round_up

    speed, downtime = assessment.largest_safe_speed_mps, assessment.largest_downtime_s
    bandwidth_mbps = assessment.least_bandwidth_bps / 1e6
    safe = "none" if isnan(speed) else f"{round_down(speed, 2)} m/s"
    tolerable = "none" if isnan(downtime) else f"{round_down(downtime, 3)} s" if isfinite(downtime) else "any"
    least = f"{round_up(bandwidth_mbps, 2)} Mbit/s" if isfinite(bandwidth_mbps) else "none is enough"
    return (
        f"Largest safe speed: {safe}",
        f"Largest tolerable downtime: {tolerable} (this migration: {assessment.downtime_s:.3f} s)",
        f"Least bandwidth: {least} (given: {budget.link.bandwidth_bps / 1e6:.2f} Mbit/s)",
    )
