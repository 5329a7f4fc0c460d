"""What the documentation says about the project is so: links, generated references, dependencies, pictures."""

import re
import runpy
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer

from sim.policies import BUILT_IN
from skyhop.cli import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
REFERENCE = sorted(ROOT.glob("docs/reference/*.md"))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors_of(page: Path) -> set[str]:
    """The anchors that a page's headings have: small letters, spaces as hyphens, other signs left out."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def ids(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(FENCED.sub("", text_of(page))):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link}: no such file"
        assert target.is_relative_to(ROOT), f"{link}: leads out of the project"
        assert not anchor or anchor in anchors_of(target), f"{link}: no such heading"


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT], ids=ids)
def test_every_page_of_the_docs_can_be_reached_from_the_index(page: Path) -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(text_of(index))}
    assert page == index or page in linked


@pytest.mark.parametrize("page", REFERENCE, ids=ids)
def test_the_generated_reference_is_up_to_date(page: Path) -> None:
    generate = runpy.run_path(str(ROOT / "docs" / "generate.py"))
    assert generate["regenerated"](text_of(page)) == text_of(page), "run `python docs/generate.py`"


def test_every_dependency_has_its_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    optional = [each for group in project["project"]["optional-dependencies"].values() for each in group]
    named = [*project["project"]["dependencies"], *optional, *project["build-system"]["requires"]]
    wanted = {re.split(r"[^A-Za-z0-9._-]", each)[0] for each in named} - {"skyhop"}
    rows = set(re.findall(r"^\| ([A-Za-z0-9._-]+) \|", text_of(ROOT / "docs" / "dependencies.md"), re.MULTILINE))
    assert wanted <= rows, f"no line: {', '.join(sorted(wanted - rows))}"


def test_every_built_in_policy_is_described() -> None:
    described = re.findall(r"^\| `([a-z-]+)` \|", text_of(ROOT / "docs" / "reference" / "policies.md"), re.MULTILINE)
    assert set(BUILT_IN) <= set(described)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_command_that_is_only_named_could_be_typed(page: Path) -> None:
    group: Any = typer.main.get_command(app)
    inline = re.findall(r"`skyhop ([a-z]+ [^`]+)`", FENCED.sub("", text_of(page)))
    for text in [*inline, *re.findall(r"^skyhop (.+)$", text_of(page), re.MULTILINE)]:
        name, *arguments = shlex.split(text)
        group.commands[name].make_context(name, arguments, resilient_parsing=False)


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_no_page_names_a_path_of_the_machine_it_was_written_on(page: Path) -> None:
    assert not re.search(r"(?<![\w.:/])/(home|root|work|Users|tmp)/", text_of(page))


def test_the_readme_has_the_two_commands() -> None:
    assert {"make demo", "make test"} <= set(text_of(ROOT / "README.md").splitlines())


@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("docs/*.py")], ids=ids)
def test_no_page_is_too_long_to_read(page: Path) -> None:
    assert len(text_of(page).splitlines()) <= 400


def test_pictures_are_small_enough_to_load() -> None:
    pictures = list((ROOT / "docs" / "images").iterdir())
    assert pictures
    assert all(picture.stat().st_size < 300_000 for picture in pictures)
