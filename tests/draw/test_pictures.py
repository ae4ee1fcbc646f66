"""Whole pictures: those of the lectures byte for byte, and one of every family that has some."""

import json
from fractions import Fraction as F
from typing import Any
from xml.etree import ElementTree

import pytest

from refmc import FormatError, ParameterError, draw_problem
from refmc.oracle.families import FAMILIES
from spec.pictures.make import PICTURES
from tests.support import ROOT, Array, printed_under_two_hash_seeds

FOLDER = ROOT / "spec" / "pictures"
SVG = "{http://www.w3.org/2000/svg}"

PLANE: dict[str, Any] = {"X": [[0, 0], [1, 2], [2, "1/2"], [3, 3]]}
TWO = {**PLANE, "y": [-1, -1, 1, 1]}
THREE = {**PLANE, "y": ["a", "b", "c", "a"]}
SQUARED = {"name": "polynomial", "degree": 2, "scale": 1, "offset": 1}
TREE = {
    "nodes": [
        {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2},
        {"label": "a"},
        {"label": "b"},
    ]
}

DRAWN: list[dict[str, Any]] = [
    {"family": "svm.multiclass", **THREE, "C": "1/2"},
    {"family": "svm.multiclass", **THREE, "C": 1, "kernel": SQUARED},
    {"family": "svm.binary", **TWO, "C": 1},
    {"family": "svm.binary", **TWO, "C": 1, "kernel": SQUARED, "bias": False},
    {"family": "svm.hard", **TWO},
    {"family": "perceptron.binary", **TWO, "epochs": 2, "order": [[0, 1], [3, 2]]},
    {"family": "perceptron.kernel", **TWO, "kernel": SQUARED, "bias": True},
    {"family": "perceptron.multiclass", **THREE, "tau": "all_rivals"},
    {"family": "sgd.binary", **TWO, "C": 1, "eta": "1/2", "bias": True},
    {
        "family": "sgd.multiclass",
        **THREE,
        "lam": 1,
        "T": 5,
        "cost": [[0, 1, 2], [1, 0, 1], [2, 1, 0]],
    },
    {"family": "tree.grow", **THREE},
    {"family": "tree.grow", "X": [["x"], ["y"]], "y": ["a", "b"], "categorical": [0]},
    {"family": "boost.ada", **TWO, "rounds": 3},
    {"family": "boost.ada", **TWO, "rounds": 0},
    {"family": "boost.mh", **PLANE, "Y": ["a", "b", "c", "a"], "rounds": 4, "base": "two_sided"},
    {"family": "boost.mh", **PLANE, "Y": [["a"], ["a", "b"], [], ["b"]], "rounds": 2},
    {"family": "tree.prune", **THREE, "tree": TREE, "risk": "entropy"},
    {"family": "tree.prune", **THREE, "tree": TREE, "risk": "gini", "scale": "mean"},
    {"family": "code.decode", "code": [[1, -1], [-1, 0]], "f": [[1, 2]] * 14},
    {"family": "ovo.decode", "pairs": [["1", "-2", "3"]], "classes": ["a", "b", "<c>"]},
    {"family": "ova.decode", "scores": [[1, 2], [0, 0]]},
    {"family": "loss.hinge", "z": ["1/2", -5]},
    {"family": "loss.perceptron", "z": [0]},
    {"family": "loss.exponential", "z": [1]},
    {"family": "loss.logistic", "z": [1]},
    {"family": "loss.margin", "z": [1], "rho": "1/3"},
]


def parsed(picture: str) -> ElementTree.Element:
    """The picture as XML, after a look at what every picture must have, and must not."""
    root = ElementTree.fromstring(picture)
    assert root.tag == SVG + "svg"
    left, top, width, height = map(int, root.attrib["viewBox"].split())
    assert (left, top) == (0, 0)
    assert width > 0 < height
    for name in ("title", "desc"):
        (found,) = root.findall(SVG + name)
        assert found.text
    tags = {part.tag.removeprefix(SVG) for part in root.iter()}
    known = {"svg", "g", "rect", "path", "circle", "text", "title", "desc", "defs"}
    assert tags <= known | {"pattern", "marker"}
    names = {part.get("id") for part in root.iter()} - {None}
    for part in root.iter():
        for key, value in part.attrib.items():
            assert not key.startswith("on")
            assert "href" not in key
            if value.startswith("url(#"):
                assert value[5:-1] in names
            assert "nan" not in value
            assert "e+" not in value
    return root


def words(picture: str) -> list[str]:
    return [part.text or "" for part in parsed(picture).iter(SVG + "text")]


OTHER_MULTIPLES = "rbf-C.svg"  # drawn as rbf-gamma.svg is, from 14,000 more scores


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.campaign] if name == OTHER_MULTIPLES else [])
        for name in PICTURES
    ],
)
def test_a_picture_of_the_lectures_is_remade_byte_for_byte(name: str) -> None:
    picture = PICTURES[name]()
    parsed(picture)
    assert (FOLDER / name).read_bytes() == (picture + "\n").encode()


def test_the_folder_holds_just_the_pictures_and_its_index_names_each() -> None:
    assert {file.name for file in FOLDER.glob("*.svg")} == set(PICTURES)
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, make in PICTURES.items():
        file = make.__module__.removeprefix("spec.pictures.") + ".py"
        assert f"| [{name}]({name}) | `{make.__name__}` in [{file}]({file}) |" in index, name


@pytest.mark.parametrize("problem", DRAWN, ids=lambda problem: problem["family"])
def test_every_family_with_a_picture_is_drawn(problem: dict[str, Any]) -> None:
    title = parsed(draw_problem(json.dumps(problem))).find(SVG + "title")
    assert title is not None
    assert (title.text or "").startswith(problem["family"])


def test_the_other_families_say_what_can_be_drawn() -> None:
    drawn = {problem["family"] for problem in DRAWN}
    for family in FAMILIES.keys() - drawn:
        with pytest.raises(FormatError, match=r"has no picture; these have one: svm\.multiclass"):
            draw_problem({"family": family})
    assert drawn <= FAMILIES.keys()


def test_tied_regions_name_every_label_that_ties() -> None:
    problem = {
        "family": "svm.multiclass",
        "X": [[1, 0], [-1, 0], [-1, 0]],
        "y": list("abc"),
        "C": 1,
    }
    found = words(draw_problem(problem))
    assert "b or c" in found
    assert "tied" in found


def test_the_name_of_a_tie_in_a_corner_is_whole() -> None:
    X = [[0, 0], [1, 2], [2, 1]]  # the absent class z ties with a at the lower left
    problem = {"family": "svm.multiclass", "X": X, "y": ["a", "b", "c"], "C": 1}
    root = parsed(draw_problem({**problem, "classes": ["z", "a", "b", "c"]}))
    _, plot = root.iter(SVG + "svg")  # the page, and the plot in it
    tags = [part for part in plot.iter(SVG + "rect") if part.get("rx")]
    assert tags
    for box in tags:
        assert float(box.attrib["x"]) >= 0
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= float(plot.attrib["width"])


def test_support_vectors_are_ringed_and_only_they() -> None:
    problem = {"family": "svm.hard", "X": [[0, 0], [2, 0], [5, 1], [-3, 1]], "y": [-1, 1, 1, -1]}
    root = parsed(draw_problem(problem))
    rings = [part for part in root.iter(SVG + "circle") if part.get("fill") == "none"]
    assert len([ring for ring in rings if ring.get("r") == "6.00"]) == 2 + 1  # and the legend's


def test_long_parameters_are_cut_in_the_title() -> None:
    picture = draw_problem({"family": "svm.binary", **TWO, "C": "0." + "1" * 3000})
    assert "svm.binary, C = 0.111111111111111111111…" in words(picture)


def test_a_record_may_hold_fractions_and_arrays() -> None:
    assert draw_problem(
        {
            **DRAWN[0],
            "X": Array([[F(0), F(0)], [F(1), F(2)], [F(2), F(1, 2)], [F(3), F(3)]]),
            "C": F(1, 2),
        }
    ) == draw_problem(DRAWN[0])


def test_a_model_of_two_columns_of_more_says_so() -> None:
    problem = {"family": "svm.hard", "X": [[0, 9, 0], [1, 9, 1]], "y": [-1, 1]}
    picture = draw_problem(problem, [2, 0])
    assert {"x2", "x0"} <= set(words(picture))
    (caption,) = parsed(picture).findall(SVG + "desc")
    assert "columns x2 and x0 alone, not on all 3" in (caption.text or "")
    swapped = {**problem, "X": [[0, 0], [1, 1]]}
    assert draw_problem(swapped).count("<path") == picture.count("<path")


def test_a_tree_takes_columns_by_name_and_is_grown_on_them_alone() -> None:
    X = [["u", 1, 5], ["v", 2, 5], ["w", 3, 6]]
    problem = {"family": "tree.grow", "X": X, "y": ["a", "b", "c"]}
    problem |= {"columns": ["kind", "size", "0"], "categorical": ["kind"]}
    assert any(text.startswith("size ≤") for text in words(draw_problem(problem, ["size", "0"])))
    assert any(text.startswith("kind") for text in words(draw_problem(problem, ["kind", "0"])))
    assert draw_problem(problem, ["size", "0"]) == draw_problem(problem, [1, "0"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "the rows have 3, a plane needs two; choose them, such as 0,1"),
        ([0], "expected two, got [0]"),
        ([0, 1, 2], "expected two, got [0, 1, 2]"),
        ([0, 3], "3 is no column; known are positions from 0 to 2"),
        (["x0", "x1"], "'x0' is no column"),
        ([1, "1"], "expected two different ones, got x1 twice"),
        ([0, -1], "-1 is no column"),
        ([0, 10**5000], "is no column"),
        (3, "expected two, got 3"),
        ("01", "expected two, got '01'"),
    ],
)
def test_columns_that_make_no_plane_are_refused(columns: Any, message: str) -> None:
    problem = {"family": "svm.hard", "X": [[0, 9, 0], [1, 9, 1]], "y": [-1, 1]}
    with pytest.raises(ParameterError) as caught:
        draw_problem(problem, columns)
    assert message in str(caught.value)


def test_what_has_no_plane_is_refused() -> None:
    with pytest.raises(ParameterError, match="the rows have one; decision regions need two"):
        draw_problem({"family": "svm.hard", "X": [[0], [1]], "y": [-1, 1]})
    with pytest.raises(FormatError, match=r"problem\.X: missing; only rows"):
        draw_problem({"family": "svm.binary", "gram": [[1]], "y": [1], "C": 1})
    with pytest.raises(ParameterError, match=r"the picture of loss\.hinge has no plane"):
        draw_problem({"family": "loss.hinge", "z": [1]}, [0, 1])
    with pytest.raises(FormatError, match=r"field 'y' is missing"):
        draw_problem({"family": "svm.hard", "X": [[0, 1], [1, 0]]})
    with pytest.raises(FormatError, match=r"problem\.X\[1\]: 1 values"):
        draw_problem({"family": "svm.hard", "X": [[0, 1], [1]], "y": [-1, 1]})


@pytest.mark.parametrize(
    "X",
    [
        [[0, 0], [0, 0], [0, 0]],
        [[5, 1], [5, 2], [5, 3]],
        [["1e300", "1e-300"], ["2e300", "2e-300"], ["3e300", "0"]],
        [["1e12", 0], ["1000000000001", 0], ["1000000000002", 1]],
    ],
)
@pytest.mark.parametrize("y", [["a", "a", "a"], ["<b>&\"'", "漢字" * 40, "c\u0301"]])
@pytest.mark.parametrize("family", ["tree.grow", "perceptron.multiclass"])
def test_degenerate_rows_and_odd_labels_are_drawn(
    family: str, X: list[list[object]], y: list[str]
) -> None:
    parsed(draw_problem({"family": family, "X": X, "y": y}))


def test_a_margin_of_any_length_is_drawn() -> None:
    assert "margin z (ticks × 10^5000)" in draw_problem(
        {"family": "loss.hinge", "z": [3 * 10**5000]}
    )


def test_one_row_is_drawn() -> None:
    parsed(draw_problem({"family": "svm.multiclass", "X": [[1, 2]], "y": ["a"], "C": 1}))
    parsed(draw_problem({"family": "svm.hard", "X": [[1, 2]], "y": [1]}))


def test_twenty_classes_are_drawn_with_a_line_of_the_legend_each() -> None:
    X = [[i, F(i * i % 7)] for i in range(20)]
    problem = {"family": "perceptron.multiclass", "X": X, "y": [f"class {i}" for i in range(20)]}
    assert {f"class {i}" for i in range(20)} <= set(words(draw_problem(problem)))


def test_the_hash_seed_makes_no_difference() -> None:
    printed = printed_under_two_hash_seeds(
        "from refmc import draw_problem; from spec.pictures.make import PICTURES;"
        "print(PICTURES['one-vs-one-regions.svg']());"
        f"print(draw_problem({DRAWN[0]!r}))"
    )
    assert len(printed) == 1
