"""Path loss and line of sight against the typed 3GPP tables of the package tr3gpp."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tr3gpp import tr36777, tr38901

from mobility import Scenario, los_probability, path_loss_db, shadowing_sigma_db

ANNEX = tr36777.annex("B")
SECTION = tr38901.section("7.4")
AERIAL_NAME = {Scenario.UMA: "UMa-AV", Scenario.UMI: "UMi-AV", Scenario.RMA: "RMa-AV"}
GROUND_NAME = {Scenario.UMA: "UMa", Scenario.UMI: "UMi-StreetCanyon", Scenario.RMA: "RMa"}
FREQUENCY_GHZ = 3.5
LINKS = [(height, distance) for height in (25.0, 39.0, 60.0, 99.0, 120.0, 300.0) for distance in (30.0, 200.0, 1500.0)]
VARIABLES = {"h_{UT}": "hUT", "h_{BS}": "hBS", "d_{3D}": "dTD", "d_{2D}": "dTWO", "d_{2D-out}": "dTWO", "f_c": "fc"}


def tex_value(tex: str, **values: float) -> float:
    """The number that one LaTeX formula of the tables stands for."""
    text = tex.replace("\\left", "").replace("\\right", "").replace("\\;", "").replace("[", "(").replace("]", ")")
    for name, plain in VARIABLES.items():
        text = text.replace(name, f" {plain} ")
    text = text.replace("\\{", "(").replace("\\}", ")").replace("\\log_{10}", " lg").replace("\\pi", " pi ")
    text = re.sub(r"\\d?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", text)
    text = text.replace("\\", " ").replace("^{", "**{").replace("^", "**").replace("{", "(").replace("}", ")")
    # A product in TeX is two factors side by side: a star goes between them, but not after the name of a function.
    lexemes = re.findall(r"[A-Za-z_]\w*|\d+(?:\.\d+)?|\*\*|[-+*/(),]", text)
    functions = {"lg", "max", "min", "exp"}
    out: list[str] = []
    for lexeme in lexemes:
        ends_factor = bool(out) and (out[-1] == ")" or (out[-1][0].isalnum() and out[-1] not in functions))
        if ends_factor and (lexeme == "(" or lexeme[0].isalnum()):
            out.append("*")
        out.append(lexeme)
    names = {"lg": math.log10, "max": max, "min": min, "exp": math.exp, "pi": math.pi, **values}
    return float(eval(" ".join(out), {"__builtins__": {}}, names))  # noqa: S307


def row_for(rows: list, height_m: float):  # type: ignore[type-arg, no-untyped-def]
    """The row of a table of Annex B that holds at a height."""
    for row in rows:
        bounds = [float(number) for number in re.findall(r"([\d.]+)m", row.height_range.split(",")[0])]
        if bounds[0] < height_m <= bounds[1]:
            return row
    return None


def model(scenario: Scenario, height_m: float, d2d_m: float, antenna_m: float = 25.0) -> tuple[float, float, float]:
    """Probability of line of sight and both path losses of one link."""
    d2d, height, antenna = np.array([d2d_m]), np.array([height_m]), np.array([antenna_m])
    d3d = np.hypot(d2d, height - antenna)
    los, nlos = path_loss_db(scenario, d2d, d3d, height, antenna, FREQUENCY_GHZ)
    return los_probability(scenario, d2d, height)[0], los[0], nlos[0]


def test_the_probability_of_sight_at_50_m_height_and_200_m_distance_is_the_published_one() -> None:
    assert model(Scenario.UMA, 50.0, 200.0)[0] == pytest.approx(0.9672, abs=5e-5)


@pytest.mark.parametrize("scenario", Scenario)
def test_aerial_line_of_sight_follows_table_b1(scenario: Scenario) -> None:
    rows = ANNEX.los_probability(scenario=AERIAL_NAME[scenario])
    for height, distance in LINKS:
        text = row_for(rows, height).los_probability
        expected = 1.0
        if text != "100%":
            p1 = tex_value(re.search(r"p_1 =\s*(.*?);", text + ";", re.S)[1], hUT=height)  # type: ignore[index]
            d1 = tex_value(re.search(r"d_1 =\s*(.*?)(;|$)", text, re.S)[1], hUT=height)  # type: ignore[index]
            share = min(d1 / distance, 1.0)
            expected = share + math.exp(-distance / p1) * (1.0 - share)
        assert model(scenario, height, distance)[0] == pytest.approx(expected, rel=1e-12), (height, distance)


@pytest.mark.parametrize("scenario", Scenario)
def test_aerial_path_loss_follows_table_b2(scenario: Scenario) -> None:
    name = AERIAL_NAME[scenario]
    for height, distance in LINKS:
        d3d = math.hypot(distance, height - 25.0)
        values = {"hUT": height, "dTD": d3d, "fc": FREQUENCY_GHZ}
        free_space = 20.0 * math.log10(40.0 * math.pi * FREQUENCY_GHZ / 3.0) + 20.0 * math.log10(d3d)
        los_tex = row_for(ANNEX.pathloss(scenario=name, condition="LOS"), height).pathloss.split("=", 1)[1]
        los = tex_value(los_tex.replace("PL'", " freespace "), freespace=free_space, **values)
        _, model_los, model_nlos = model(scenario, height, distance)
        assert model_los == pytest.approx(los, abs=1e-9), (height, distance)
        row = row_for(ANNEX.pathloss(scenario=name, condition="NLOS"), height)
        if row is not None:
            nlos_tex = row.pathloss.split("=", 1)[1].replace(f"PL_{{{name}-LOS}}", " los ")
            assert model_nlos == pytest.approx(tex_value(nlos_tex, los=los, **values), abs=1e-9), (height, distance)


@pytest.mark.parametrize("scenario", Scenario)
def test_aerial_shadowing_follows_table_b3(scenario: Scenario) -> None:
    for height in (25.0, 39.0, 99.0, 250.0):
        both = shadowing_sigma_db(scenario, np.array([height]))
        for condition, sigma in zip(("LOS", "NLOS"), both, strict=True):
            row = row_for(ANNEX.shadow_fading_std(scenario=AERIAL_NAME[scenario], condition=condition), height)
            if row is not None:
                expected = tex_value(row.sf_std.split("=", 1)[1], hUT=height)
                assert sigma[0] == pytest.approx(expected), (condition, height)


@pytest.mark.parametrize("scenario", [Scenario.UMA, Scenario.UMI])
@pytest.mark.parametrize("distance", [50.0, 250.0, 3000.0])
def test_ground_path_loss_follows_table_7_4_1_1(scenario: Scenario, distance: float) -> None:
    antenna, height = (25.0 if scenario is Scenario.UMA else 10.0), 1.5
    d3d = math.hypot(distance, antenna - height)
    break_point = 4.0 * (antenna - 1.0) * (height - 1.0) * FREQUENCY_GHZ * 1e9 / 299_792_458.0
    values = {"hUT": height, "hBS": antenna, "dTD": d3d, "fc": FREQUENCY_GHZ, "dBP": break_point}
    formula = SECTION.pathloss(scenario=GROUND_NAME[scenario], condition="LOS").formula
    near, far = (re.search(rf"PL_{k} = (.*?)(;|$)", formula)[1] for k in (1, 2))  # type: ignore[index]
    los = tex_value((near if distance <= break_point else far).replace("d'_{BP}", " dBP "), **values)
    nlos_formula = SECTION.pathloss(scenario=GROUND_NAME[scenario], condition="NLOS").formula
    nlos = tex_value(re.search(r"PL'_\{\w+-NLOS\} = (.*)$", nlos_formula)[1], **values)  # type: ignore[index]
    _, model_los, model_nlos = model(scenario, height, distance, antenna)
    assert model_los == pytest.approx(los, abs=1e-9)
    assert model_nlos == pytest.approx(max(los, nlos), abs=1e-9)


@pytest.mark.parametrize("distance", [50.0, 250.0, 3000.0])
def test_rural_ground_path_loss_follows_table_7_4_1_1(distance: float) -> None:
    d3d = math.hypot(distance, 35.0 - 1.5)
    values = {"h": 5.0, "W": 20.0, "hUT": 1.5, "hBS": 35.0, "dTD": d3d, "fc": FREQUENCY_GHZ}
    formula = SECTION.pathloss(scenario="RMa", condition="LOS").formula
    los = tex_value(re.search(r"PL_1 = (.*?);", formula)[1], **values)  # type: ignore[index]
    nlos_formula = SECTION.pathloss(scenario="RMa", condition="NLOS").formula
    nlos = tex_value(re.search(r"PL'_\{RMa-NLOS\} = (.*)$", nlos_formula)[1], **values)  # type: ignore[index]
    _, model_los, model_nlos = model(Scenario.RMA, 1.5, distance, 35.0)
    assert model_los == pytest.approx(los, abs=1e-9)
    assert model_nlos == pytest.approx(max(los, nlos), abs=1e-9)


@pytest.mark.parametrize("scenario", Scenario)
def test_ground_shadowing_follows_table_7_4_1_1(scenario: Scenario) -> None:
    for condition, sigma in zip(("LOS", "NLOS"), shadowing_sigma_db(scenario, np.array([1.5])), strict=True):
        row = SECTION.pathloss(scenario=GROUND_NAME[scenario], condition=condition)
        assert sigma[0] == row.shadow_fading_std_db[0].value_db


@pytest.mark.parametrize(
    ("scenario", "height", "distance", "expected"),
    [
        (Scenario.UMA, 1.5, 18.0, 1.0),
        (Scenario.UMA, 1.5, 100.0, 0.18 + math.exp(-100.0 / 63.0) * 0.82),
        (
            Scenario.UMA,
            22.5,
            100.0,
            (0.18 + math.exp(-100 / 63) * 0.82) * (1 + 0.95**1.5 * 1.25 * math.exp(-100 / 150)),
        ),
        (Scenario.UMI, 10.0, 100.0, 0.18 + math.exp(-100.0 / 36.0) * 0.82),
        (Scenario.RMA, 1.5, 510.0, math.exp(-0.5)),
    ],
)
def test_ground_line_of_sight_follows_table_7_4_2_1(
    scenario: Scenario, height: float, distance: float, expected: float
) -> None:
    assert model(scenario, height, distance)[0] == pytest.approx(expected)


@given(
    scenario=st.sampled_from(Scenario),
    height=st.floats(0.0, 400.0),
    distance=st.floats(0.0, 5000.0),
)
def test_probability_stays_a_probability_and_obstacles_never_help(
    scenario: Scenario, height: float, distance: float
) -> None:
    probability, los, nlos = model(scenario, height, distance)
    assert 0.0 <= probability <= 1.0 + 1e-12
    assert math.isfinite(los)
    assert math.isfinite(nlos)
    if height <= 10.0:
        assert nlos >= los


def test_mixed_heights_give_what_each_height_gives_alone() -> None:
    heights, distance = np.array([1.5, 20.0, 60.0, 150.0]), np.full(4, 300.0)
    together = path_loss_db(Scenario.UMA, distance, distance, heights, np.full(4, 25.0), FREQUENCY_GHZ)
    for k, height in enumerate(heights):
        one = np.array([300.0])
        alone = path_loss_db(Scenario.UMA, one, one, np.array([height]), np.array([25.0]), FREQUENCY_GHZ)
        assert (together[0][k], together[1][k]) == pytest.approx((alone[0][0], alone[1][0]))


def test_single_precision_stays_single() -> None:
    one = np.array([300.0], dtype=np.float32)
    for height in (1.5, 60.0):
        h = np.array([height], dtype=np.float32)
        results = (los_probability(Scenario.UMA, one, h), *path_loss_db(Scenario.UMA, one, one, h, one, 3.5))
        assert {result.dtype for result in (*results, *shadowing_sigma_db(Scenario.UMA, h))} == {np.dtype(np.float32)}
