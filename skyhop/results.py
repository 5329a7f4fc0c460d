"""The folder of a run's results: complete or not there at all, and never in the place of something else."""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim import Run


@dataclass(frozen=True, slots=True)
class Results:
    """Where the results are: the folder, its files, and the report among them if there is one."""

    folder: Path
    files: tuple[Path, ...]
    report: Path | None


def results_folder(output: Path, name: str) -> Path:
    """The folder in `output` for the results of scenario `name`.

    Raises ValueError if something else than the results of an earlier run is in its place.
    """
    folder = output / name
    if folder.is_symlink() or (folder.exists() and not _is_ours(folder)):
        raise ValueError(
            f"{folder}: is not the result of an earlier run, so it is not replaced; move it away, or choose another "
            "place by --output"
        )
    return folder


def write_results(run: "Run", folder: Path, *, report: bool = True) -> Results:
    """Write the results of `run`, in place of those of an earlier run.

    They are written to a folder beside it and moved at the end. Raises OSError if that fails; then nothing changes.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as staging:
        new, old = Path(staging, "new"), Path(staging, "old")
        files = run.write(new)
        page = None
        if report:
            from skyhop.report import write_report

            page = write_report(run, new)
            files = [*files, page]
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    moved = tuple(folder / path.relative_to(new) for path in files)
    return Results(folder, moved, moved[-1] if page is not None else None)


def _is_ours(folder: Path) -> bool:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and "skyhop_run" in manifest
