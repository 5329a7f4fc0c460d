"""The plug-in of the guide: found by its entry point, listed, given its options, and flown."""

import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from skyhop.cli import app

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "how-to" / "policy.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE))


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The plug-in as an installer would leave it: the module, and its metadata beside it."""
    metadata = tmp_path / "my_policies-1.0.dist-info"
    metadata.mkdir()
    project = tomllib.loads(FILES["pyproject.toml"])["project"]
    points = project["entry-points"]["skyhop.policies"]
    lines = [f"{name} = {place}" for name, place in points.items()]
    (tmp_path / "my_policies.py").write_text(FILES["my_policies.py"], encoding="utf-8")
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("\n".join(["[skyhop.policies]", *lines]), encoding="utf-8")
    shutil.copy(ROOT / "scenarios" / "circle.yaml", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("installed")
def test_info_lists_the_policy_with_where_it_comes_from() -> None:
    facts = json.loads(CliRunner().invoke(app, ["info", "--json"]).stdout)
    assert facts["policies"]["dwell"] == "my_policies:Dwell"


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("dwell_s", "migrations"), [(5, 8), (1000, 0)])
def test_it_flies_with_its_options(dwell_s: int, migrations: int) -> None:
    options = ["--set", "policy.name=dwell", "--set", f"policy.options.dwell_s={dwell_s}", "--no-report", "--json"]
    result = CliRunner().invoke(app, ["run", "circle.yaml", *options])
    assert result.exit_code == 0, result.output
    # The last change of cell leads back to where the service has stayed.
    assert json.loads(result.stdout)["summary"]["migrations"]["count"] == migrations


@pytest.mark.usefixtures("installed")
def test_an_option_that_it_does_not_take_is_told_at_its_place() -> None:
    given = "policy={name: dwell, options: {speed: 1}}"
    result = CliRunner().invoke(app, ["validate", "circle.yaml", "--set", given])
    assert result.exit_code == 2
    assert "policy.options: dwell does not take" in result.stderr
