"""What the loader accepts, and what it says when something is wrong."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from scenarios.document import MAXIMUM_DEPTH, MAXIMUM_FILE_BYTES
from scenarios.load import InputError, load


class Strategy(StrEnum):
    COLD = "cold"
    PRE_COPY = "pre-copy"


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


class Circle(Part):
    kind: Literal["circle"]
    radius_m: float = Field(gt=0, le=1000, json_schema_extra={"unit": "m"})
    """Radius of the circle."""


class Line(Part):
    kind: Literal["line"]
    points: list[tuple[float, float]] = Field(min_length=2, json_schema_extra={"unit": "m"})
    share: float = Field(1.0, ge=0, le=1, json_schema_extra={"unit": "1"})


def _beside(path: Path, information: ValidationInfo) -> Path:
    assert information.context is not None
    resolved = Path(information.context["directory"]) / path
    if not resolved.is_file():
        raise ValueError(f"there is no file {path}")
    return resolved


class Service(Part):
    name: str = Field(max_length=20)
    state_bytes: float = Field(gt=0, description="State size M.", json_schema_extra={"unit": "B"})
    strategy: Strategy = Strategy.COLD
    iterations: int | None = Field(None, ge=1)
    rate: float | Literal["auto"] = "auto"
    trace: Annotated[Path, AfterValidator(_beside)] | None = None


class Flight(Part):
    name: str
    path: Annotated[Circle | Line, Field(discriminator="kind")]
    services: list[Service] = Field(default_factory=list)
    spare: Service | None = None
    weights: dict[str, float] = Field(default_factory=dict)
    live: bool = False

    @model_validator(mode="after")
    def _spare_is_another_one(self) -> "Flight":
        if self.spare is not None and self.spare.name in {service.name for service in self.services}:
            raise ValueError(f"spare has the name of a service, {self.spare.name}")
        return self


CIRCLE = "name: a\npath:\n  kind: circle\n  radius_m: 1e2\n"


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "flight.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def complaints(folder: Path, text: str | bytes, *overrides: str) -> list[str]:
    """What a person reads, a line each, the folder left out."""
    with pytest.raises(InputError) as caught:
        load(write(folder, text), Flight, overrides)
    return (
        str(caught.value)
        .replace(str(folder), "")
        .replace("/flight", "flight")
        .replace("\\flight", "flight")
        .split("\n")
    )


def test_a_good_file_becomes_a_model(tmp_path: Path) -> None:
    text = CIRCLE + "services:\n- {name: yes, state_bytes: 1.5E+6, strategy: pre-copy}\nlive: true\n"
    flight = load(write(tmp_path, text), Flight)
    assert flight.path == Circle(kind="circle", radius_m=100.0)
    assert flight.services == [Service(name="yes", state_bytes=1.5e6, strategy=Strategy.PRE_COPY, iterations=None)]
    assert flight.live is True


@pytest.mark.parametrize(
    ("written", "read"), [("1e6", 1e6), ("-.5", -0.5), ("0x10", 16.0), ("010", 10.0), ("+2E-3", 0.002), ("7.", 7.0)]
)
def test_numbers_are_read_as_people_write_them(tmp_path: Path, written: str, read: float) -> None:
    assert load(write(tmp_path, f"{CIRCLE}weights: {{a: {written}}}\n"), Flight).weights == {"a": read}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_survives_the_file(tmp_path_factory: pytest.TempPathFactory, number: float) -> None:
    path = write(tmp_path_factory.getbasetemp(), f"{CIRCLE}weights: {{a: {number!r}}}\n")
    assert load(path, Flight).weights == {"a": number}


@pytest.mark.parametrize("text", ["no", "on", "12:30", "2024-01-01", "1_000"])
def test_what_only_looks_like_a_number_or_a_truth_is_text(tmp_path: Path, text: str) -> None:
    assert load(write(tmp_path, CIRCLE.replace("name: a", f"name: {text}")), Flight).name == text


def test_validators_know_the_folder_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").touch()
    text = CIRCLE + "spare: {name: x, state_bytes: 1, trace: trace.csv}\n"
    assert load(write(tmp_path, text), Flight).spare == Service.model_construct(
        name="x", state_bytes=1.0, trace=tmp_path / "trace.csv"
    )


def test_a_value_out_of_range_is_named_with_range_unit_and_meaning(tmp_path: Path) -> None:
    assert complaints(tmp_path, CIRCLE.replace("1e2", "-3")) == [
        "flight.yaml:4: path.radius_m: got -3; allowed: a number above 0 and at most 1000, in m (Radius of the circle)"
    ]


def test_all_problems_are_reported_at_once_in_the_order_of_the_lines(tmp_path: Path) -> None:
    text = (
        CIRCLE
        + """services:
- name: x
  state_byts: 4
- name: y
  state_bytes: 1
  strategy: Cald
  iterations: 0
  rate: fast
  trace: none.csv
- state_bytes: .inf
weights: {a: x}
live: 3
"""
    )
    assert complaints(tmp_path, text) == [
        "flight.yaml:7: services[0].state_byts: unknown field; did you mean state_bytes?",
        'flight.yaml:10: services[1].strategy: got "Cald"; allowed: one of cold, pre-copy; did you mean cold?',
        "flight.yaml:11: services[1].iterations: got 0; allowed: a whole number at least 1",
        'flight.yaml:12: services[1].rate: got "fast"; allowed: a number or auto',
        'flight.yaml:13: services[1].trace: got "none.csv"; there is no file none.csv',
        "flight.yaml:14: services[2].name: is missing; needs text of at most 20 characters",
        "flight.yaml:14: services[2].state_bytes: got Infinity; allowed: a number above 0, in B (State size M)",
        'flight.yaml:15: weights.a: got "x"; allowed: a number',
        "flight.yaml:16: live: got 3; allowed: true or false",
    ]


def test_an_unknown_field_far_from_any_is_answered_with_all_names(tmp_path: Path) -> None:
    assert complaints(tmp_path, CIRCLE + "  wobble: 1\n") == [
        "flight.yaml:5: path.wobble: unknown field; known here: kind, radius_m"
    ]


def test_a_missing_field_is_placed_at_what_should_hold_it(tmp_path: Path) -> None:
    assert complaints(tmp_path, "name: a\npath:\n  kind: circle\n") == [
        "flight.yaml:2: path.radius_m: is missing; needs a number above 0 and at most 1000, in m (Radius of the circle)"
    ]
    assert complaints(tmp_path, "path: {kind: circle, radius_m: 1}\n") == [
        "flight.yaml:1: name: is missing; needs text"
    ]


def test_a_discriminator_misspelt_or_missing_lists_the_kinds(tmp_path: Path) -> None:
    assert complaints(tmp_path, CIRCLE.replace("circle", "circel")) == [
        'flight.yaml:3: path.kind: got "circel"; allowed: one of circle, line; did you mean circle?'
    ]
    assert complaints(tmp_path, "name: a\npath: {radius_m: 1}\n") == [
        "flight.yaml:2: path.kind: is missing; needs one of circle, line"
    ]
    assert complaints(tmp_path, "name: a\npath: 5\n") == [
        "flight.yaml:2: path: got 5; allowed: a mapping whose kind is one of circle, line"
    ]


def test_entries_of_a_list_inherit_its_unit(tmp_path: Path) -> None:
    text = "name: a\npath:\n  kind: line\n  share: 2\n  points:\n  - [0, 0]\n  - [0, x]\n  - [0]\n"
    assert complaints(tmp_path, text) == [
        "flight.yaml:4: path.share: got 2; allowed: a number from 0 to 1",
        'flight.yaml:7: path.points[1][1]: got "x"; allowed: a number, in m',
        "flight.yaml:8: path.points[2][1]: is missing; needs a number, in m",
    ]
    assert complaints(tmp_path, "name: a\npath: {kind: line, points: []}\n") == [
        "flight.yaml:2: path.points: got a list of 0; allowed: a list of at least 2 entries, in m"
    ]


def test_a_rule_between_fields_is_placed_at_the_mapping(tmp_path: Path) -> None:
    text = CIRCLE + "services: [{name: x, state_bytes: 1}]\nspare: {name: x, state_bytes: 1}\n"
    assert complaints(tmp_path, text) == ["flight.yaml:1: spare has the name of a service, x"]


def test_a_key_given_twice_is_an_error(tmp_path: Path) -> None:
    assert complaints(tmp_path, CIRCLE + "  radius_m: 3\n") == [
        "flight.yaml:5: path.radius_m: is given twice, first on line 4"
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "flight.yaml: the file is empty"),
        ("# nothing\n", "flight.yaml: the file is empty"),
        ("- 1\n- 2\n", "flight.yaml:1: the file must hold a mapping of fields to values; got a list of 2"),
        ("a: 1\nb: [1\nc: 2\n", "flight.yaml:3: not valid YAML: while parsing a flow sequence expected ',' or ']'"),
        ("a: &x [1]\nb: *x\n", "flight.yaml:2: not valid YAML: aliases (*name) are not allowed"),
        ("a: 1\n--- \nb: 1\n", "flight.yaml:2: not valid YAML: expected a single document"),
        ("[" * 500, f"flight.yaml:1: not valid YAML: nested deeper than {MAXIMUM_DEPTH} levels"),
        ("a: 1\nb: !!python/object/apply:os.abort []\n", "flight.yaml:2: b: the tag"),
        ("a: 1\nb: !!set {x}\n", "flight.yaml:2: b: the tag"),
        ("? [a]\n: 1\n", "flight.yaml:1: a field name must be plain text"),
        ("a: " + "9" * 5000, "flight.yaml:1: a: a number of 5000 digits is too long"),
        ("a: !!int x", 'flight.yaml:1: a: got "x", which is no int'),
        ("a: 1\nb: \x01\n", "flight.yaml:2: holds a character that YAML does not allow"),
        (b"a: 1\nb: \xff\n", "flight.yaml:2: the file is not UTF-8 text"),
        (b" " * (MAXIMUM_FILE_BYTES + 1), "flight.yaml: the file has 2,000,001 bytes; at most 2,000,000 are read"),
    ],
)
def test_a_file_that_is_no_scenario_is_refused_in_plain_words(
    tmp_path: Path, text: str | bytes, complaint: str
) -> None:
    assert complaints(tmp_path, text)[0].startswith(complaint)


def test_text_from_the_file_cannot_control_the_terminal(tmp_path: Path) -> None:
    text = CIRCLE + '"\\e[31mred": 1\nlive: "\\e[2J"\n'
    assert "\x1b" not in "".join(complaints(tmp_path, text))


def test_a_file_that_is_not_there_is_answered_with_its_neighbour(tmp_path: Path) -> None:
    write(tmp_path, CIRCLE)
    with pytest.raises(InputError, match=r"fligth\.yaml: there is no such file; did you mean flight\.yaml\?"):
        load(tmp_path / "fligth.yaml", Flight)
    with pytest.raises(InputError, match="cannot be read"):
        load(tmp_path, Flight)


@given(st.binary(max_size=60))
def test_no_bytes_make_the_loader_fail_otherwise(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    with pytest.raises(InputError):
        load(write(tmp_path_factory.getbasetemp(), content), Flight)


def test_overrides_replace_values_and_fill_in_what_is_absent(tmp_path: Path) -> None:
    overrides = ["path.radius_m=3e1", "spare={name: z, state_bytes: 5}", "spare.iterations=7", "weights.new=2"]
    flight = load(write(tmp_path, CIRCLE), Flight, overrides)
    assert flight.path == Circle(kind="circle", radius_m=30.0)
    assert flight.spare == Service(name="z", state_bytes=5.0, iterations=7)
    assert flight.weights == {"new": 2.0}
    text = CIRCLE + "services:\n- {name: x, state_bytes: 1}\n- {name: y, state_bytes: 1}\n"
    assert load(write(tmp_path, text), Flight, ["services[1].state_bytes=9"]).services[1].state_bytes == 9.0


@pytest.mark.parametrize(
    ("override", "complaint"),
    [
        ("path.radus_m=3", "path.radus_m: unknown field; did you mean radius_m?"),
        ("nmae=x", "nmae: unknown field; did you mean name?"),
        ("name.first=x", "name.first: unknown field"),
        ("services[0].name=x", "services[0]: there is no such entry; the list has 0, counted from 0"),
        ("path.radius_m=-3", "path.radius_m: got -3; allowed: a number above 0 and at most 1000, in m"),
        ("spare.name=x", "spare.state_bytes: is missing; needs a number above 0, in B (State size M)"),
        ("services=[1", "services: not valid YAML: while parsing a flow sequence expected"),
        ("name", "must read path=value, as in services[0].state_bytes=1e6"),
        (".name=x", "must read path=value"),
        ("=x", "must read path=value"),
    ],
)
def test_a_bad_override_is_named_as_it_was_typed(tmp_path: Path, override: str, complaint: str) -> None:
    assert complaints(tmp_path, CIRCLE, override)[0].startswith(f"--set {override}: {complaint}")


def test_problems_carry_their_parts(tmp_path: Path) -> None:
    path = write(tmp_path, CIRCLE.replace("1e2", "x"))
    with pytest.raises(InputError) as caught:
        load(path, Flight)
    (problem,) = caught.value.problems
    assert (problem.file, problem.line, problem.field) == (str(path), 4, "path.radius_m")
