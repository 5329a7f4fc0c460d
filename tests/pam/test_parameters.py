"""The parameter set: the paper's defaults, and what a person who writes their own is told."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

import pam
from pam import CONSTANTS, TABLE_III, PamParameters

SHIPPED = Path(pam.__file__).parent / "data" / "table-iii.toml"


def test_every_number_is_documented_with_symbol_unit_and_source() -> None:
    assert set(CONSTANTS) == {each.name for each in fields(PamParameters)} - {"origin"}
    assert all(each.symbol and each.unit and each.source and each.meaning for each in CONSTANTS.values())


def test_the_shipped_file_holds_table_iii() -> None:
    assert PamParameters.from_toml(SHIPPED) == TABLE_III


def test_a_file_changes_a_value_and_its_origin(tmp_path: Path) -> None:
    text = SHIPPED.read_text(encoding="utf-8").replace("freeze_s = 0.084", "freeze_s = 0.1")
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    assert PamParameters.from_toml(path) == replace(TABLE_III, freeze_s=0.1)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("freeze_s = 0.084", "freezing_s = 0.084", "unknown field 'freezing_s'"),
        ("freeze_s = 0.084", "", "field 'freeze_s' (time to seize the process, β, in s) is missing"),
        ("freeze_s = 0.084", "freeze_s = '84 ms'", "'84 ms'; it takes one number of 0 or more"),
        ("freeze_s = 0.084", "freeze_s = true", "field 'freeze_s'"),
        ("freeze_s = 0.084", "freeze_s = inf", "field 'freeze_s'"),
        ("freeze_s = 0.084", "freeze_s = -0.1", "field 'freeze_s'"),
        ("freeze_s = 0.084", "freeze_s = [0.1, 0.2]", "it takes one number"),
        ("dump_frozen_scale = [0.0, 30.0]", "dump_frozen_scale = 30.0", "it takes two numbers, at R_min and at R_max"),
        ("dump_frozen_scale = [0.0, 30.0]", "dump_frozen_scale = [1.0]", "it takes two numbers"),
        ("page_bytes = 4096.0", "page_bytes = 0", "size of a memory page, σ, in B"),
        ("origin = ", "# origin = ", "field 'origin' must be a text"),
        ("freeze_s = 0.084", "freeze_s = ", "not a TOML file"),
    ],
)
def test_a_bad_file_is_told_by_file_field_and_unit(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "own.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError) as caught:
        PamParameters.from_toml(path)
    assert str(path) in str(caught.value)
    assert told in str(caught.value)
