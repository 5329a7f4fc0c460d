"""Every block of the documentation does what it shows: commands, Python, files, scenarios and budgets.

A comment just before a block tells what it is: `<!-- file: NAME -->` is written for the blocks after it,
`<!-- a scenario -->`, `<!-- a budget -->` and `<!-- part of a scenario -->` must be valid, and
`<!-- not run: REASON -->` is left alone. The blocks of a page run one after the other in one folder.
"""

import math
import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from scenarios import load
from scenarios.budget import Budget
from skyhop.cli import app
from skyhop.scenario import read_scenario

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"(?:^<!-- ([^\n]*) -->\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# What a scenario needs besides the part that a page shows, by field.
BASE = {
    "version": "version: 1\n",
    "name": "name: part\n",
    "uavs": "uavs: [{name: uav, trajectory: {type: circle}}]\n",
    "cells": "cells: {type: hexagonal, rows: 2, columns: 2}\n",
}
# Pages that fly the shipped flight several times.
SLOW = {"docs/tutorial.md"}


class Block(NamedTuple):
    """A fenced block: the comment before it, its language and its text."""

    comment: str
    language: str
    text: str


def blocks_of(page: Path) -> list[Block]:
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [Block(*parts) for parts in found]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=named(page), marks=[pytest.mark.slow] if named(page) in SLOW else [])
        for page in PAGES
        if blocks_of(page)
    ],
)
def test_the_blocks_of_a_page_do_what_they_show(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copytree(ROOT / "pam" / "data", tmp_path / "pam" / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks_of(page):
        if block.comment.startswith("file: "):
            path = Path(block.comment.removeprefix("file: "))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif not block.comment.startswith("not run: "):
            CHECKS[block.language](block, names)


def test_blocks_are_left_alone_only_for_a_reason() -> None:
    for page in PAGES:
        for block in blocks_of(page):
            if block.comment.startswith("not run"):
                assert re.fullmatch(r"not run: \S.{10,}", block.comment), f"{named(page)}: {block.text}"


def run_python(block: Block, names: dict[str, Any]) -> None:
    exec(compile(block.text, "<page>", "exec"), names)  # noqa: S102  (the documentation is ours)


def run_commands(block: Block, _names: dict[str, Any]) -> None:
    for line in block.text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            check_command(line, [])


def run_console(block: Block, _names: dict[str, Any]) -> None:
    """Commands after `$`, and below each the lines that it prints; `...` stands for any number of lines."""
    text = block.text.replace("\\\n", " ")
    starts = [found.start() for found in re.finditer(r"^\$ ", text, re.MULTILINE)] + [len(text)]
    assert starts[0] == 0, f"a console block begins with a command: {text}"
    for begin, end in pairwise(starts):
        command, *printed = text[begin + 2 : end].splitlines()
        check_command(command, printed)


def check_command(command: str, printed: list[str]) -> None:
    """Run a command of Skyhop; fails unless it exits as shown (with 0 where nothing is said) and prints the lines."""
    program, *arguments = shlex.split(command)
    assert program == "skyhop", f"only skyhop is run: {command}"
    code = next((int(line[11:-1]) for line in printed if line.startswith("[exit code ")), 0)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, f"{command}\n{result.output}\n{result.exception!r}"
    output = iter(result.output.splitlines())
    for line in printed:
        if line.strip() and line != "..." and not line.startswith("[exit code "):
            assert any(alike(line, other) for other in output), f"{command} does not print: {line}\n{result.output}"


def alike(shown: str, printed: str) -> bool:
    """Whether two lines have the same words, and numbers that agree to 2 %: machines differ in the last digits.

    A line that ends in `...` shows the beginning of one.
    """
    words, other = shown.removesuffix("...").split(), printed.split()
    if shown.endswith("..."):
        other = other[: len(words)]
    begin, end = " ".join(words), " ".join(other)
    if NUMBER.sub("#", begin) != NUMBER.sub("#", end):
        return False
    pairs = zip(values_in(begin), values_in(end), strict=True)
    return all(math.isclose(one, another, rel_tol=0.02, abs_tol=0.011) for one, another in pairs)


def values_in(line: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(line)]


def check_yaml(block: Block, _names: dict[str, Any]) -> None:
    file, text = Path("block.yaml"), block.text
    if block.comment == "part of a scenario":
        own = re.findall(r"^(\w+):", text, re.MULTILINE)
        text = "".join(line for field, line in BASE.items() if field not in own) + text
    file.write_text(text, encoding="utf-8")
    if block.comment == "a budget":
        load(file, Budget)
    else:
        assert block.comment in ("a scenario", "part of a scenario"), f"what is it? {block.text}"
        read_scenario(file)


def nothing(_block: Block, _names: dict[str, Any]) -> None:
    """Text that is only read."""


CHECKS = {
    "python": run_python,
    "sh": run_commands,
    "console": run_console,
    "yaml": check_yaml,
    "text": nothing,
}
