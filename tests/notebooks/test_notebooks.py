"""The notebooks run from top to bottom, without a warning, and hold what they held when they were committed."""

import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from notebooks.execute import FOLDER, execute, read

FIGURES = {"first-flight": 5, "pam": 6}
ROOT = FOLDER.parent


@pytest.fixture(scope="module", params=sorted(FIGURES))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def committed(name: str) -> NotebookNode:
    return read(FOLDER / f"{name}.ipynb")


@pytest.fixture(scope="module")
def executed(name: str, tmp_path_factory: pytest.TempPathFactory) -> NotebookNode:
    """The notebook run anew in another place, beside the scenarios, with warnings as errors."""
    root = tmp_path_factory.mktemp(name)
    shutil.copytree(FOLDER, root / "notebooks", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    (root / "scenarios").mkdir()
    shutil.copy(ROOT / "scenarios" / "circle.yaml", root / "scenarios")
    notebook = read(FOLDER / f"{name}.ipynb")
    strict = nbformat.v4.new_code_cell("import warnings\n\nwarnings.simplefilter('error')")  # type: ignore[no-untyped-call]
    notebook.cells.insert(0, strict)
    with pytest.MonkeyPatch.context() as patch:
        # Nobody's own start-up files and kernels take part.
        for variable in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(variable, str(root / variable.lower()))
        execute(notebook, root / "notebooks")
    del notebook.cells[0]
    return notebook


def test_every_cell_runs_without_a_word_on_stderr(executed: NotebookNode) -> None:
    outputs = _outputs(executed)
    assert outputs
    assert all(each.output_type != "error" for each in outputs)
    assert all(each.name == "stdout" for each in outputs if each.output_type == "stream")


def test_every_figure_is_drawn(name: str, executed: NotebookNode, committed: NotebookNode) -> None:
    for notebook in (executed, committed):
        assert sum("image/png" in each.get("data", {}) for each in _outputs(notebook)) == FIGURES[name]


def test_the_committed_words_and_numbers_are_those_of_today(executed: NotebookNode, committed: NotebookNode) -> None:
    assert _texts(executed) == _texts(committed), "refresh them by `python notebooks/execute.py`"


def test_what_is_committed_tells_nothing_of_who_ran_it(name: str, committed: NotebookNode) -> None:
    text = (FOLDER / f"{name}.ipynb").read_text(encoding="utf-8")
    assert len(text) < 600_000
    assert str(ROOT) not in text
    assert str(Path.home()) not in text
    assert all(not cell.metadata for cell in committed.cells)


def test_table_iv_needs_38_61_mbit_per_s_at_5_m_per_s() -> None:
    assert "Table IV at 5 m/s needs 38.61 Mbit/s" in _said("pam")


def test_the_durations_at_10_and_100_mb_are_the_papers() -> None:
    said = _said("pam")
    assert "M =  10 MB, R_min, I = 5: PAM  2.423 s" in said
    assert "M = 100 MB, R_max, I = 5: PAM 12.513 s" in said


def test_the_volume_of_a_dump_at_100_mb_is_the_papers() -> None:
    assert "volume of a dump (MB)      R_min   0.164   R_max 102.441" in _said("pam")


def _outputs(notebook: NotebookNode) -> list[NotebookNode]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _texts(notebook: NotebookNode) -> list[str]:
    """What the outputs say, pictures aside."""
    outputs = _outputs(notebook)
    shown = [each.data["text/plain"] for each in outputs if "data" in each and "image/png" not in each.data]
    return [each.text for each in outputs if each.output_type == "stream"] + shown


def _said(name: str) -> str:
    return "".join(_texts(read(FOLDER / f"{name}.ipynb")))
