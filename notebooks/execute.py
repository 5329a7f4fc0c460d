"""Executes notebooks: `python notebooks/execute.py` from the repository root refreshes all of them in place.

What they hold afterwards depends on the code only: no times, no user, no place on a disk.
"""

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).parent
TIMEOUT_S = 300


def read(path: Path) -> NotebookNode:
    """The notebook at `path`."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return notebook


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run every cell of `notebook` in `folder`, which its paths are relative to; its outputs replace the old ones.

    Raises nbclient's CellExecutionError, which shows the cell and what went wrong, if one fails.
    """
    resources = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook,
        timeout=TIMEOUT_S,
        kernel_name="python3",
        resources=resources,
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
    )
    client.execute()
    # The rest of what nbclient notes here is the version of Python.
    notebook.metadata["language_info"] = {"name": "python"}


def main() -> None:
    """Execute every notebook beside this file and write it back."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        notebook = read(path)
        execute(notebook, FOLDER)
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
