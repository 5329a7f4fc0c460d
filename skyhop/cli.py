"""The command line: one module a command, each registered by one line below."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from skyhop.commands import budget, compare, info, plan, run, schema, sweep, validate


class _Commands(TyperGroup):
    """The one place where an input that cannot be used becomes a message and exit code 2.

    Whatever Skyhop raises for people is a ValueError; a file that cannot be read or written is an OSError that knows
    its name. Anything else is a fault of ours and keeps its traceback.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ValueError as error:
            message = str(error)
        except OSError as error:
            if error.filename is None:
                raise
            message = f"{error.filename}: {error.strerror}"
        typer.echo(message, err=True)
        raise typer.Exit(2)


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from skyhop import __version__

        typer.echo(f"skyhop {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Skyhop: a digital twin of edge computing for UAVs.

    Services hop from edge server to edge server behind a flying UAV. Skyhop predicts what a hop costs, decides how to
    do it, and simulates whole flights.
    """


for command in (
    run.run,
    validate.validate,
    schema.schema,
    plan.plan,
    budget.budget,
    sweep.sweep,
    compare.compare,
    info.info,
):
    app.command()(command)


def main() -> None:
    """Run the command line; the entry point `skyhop`."""
    app()
