"""Failures of composition in reports: the program as a picture and as lines, and who agrees."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from conformance.cli.files.documents import documented
from conformance.program import Binding, Function, Input, Program, Ref, Step, to_json
from conformance.reporting.failures import failure_lines
from conformance.reporting.flow import composed_program, flow_lines, flow_picture, nodes
from conformance.reporting.formats import format_files, write
from conformance.reporting.listing import ListedFailure
from conformance.reporting.paint import Paint, make_console
from conformance.results import (
    Aspect,
    Composed,
    Failure,
    FunctionResult,
    Origin,
    Results,
    Verdict,
)
from tests.reporting.pages import Page, site_pages
from tests.reporting.records import HOSTILE, aspect_result, failure, results

BODY = Function("body", ("e",), (Step("i", "maximum", (Ref("e"), Ref("y"))),), Ref("i"))
PROGRAM = Program(
    (
        Input("x", (3, 2), "float32", Binding.PLACEHOLDER_NONE),
        Input("y", (2,), "float64", Binding.VARIABLE),
    ),
    (
        Step("a", "tanh", (Ref("x"),)),
        Step("b", "exp", (Ref("a"),)),
        Step("c", "map_fn", (BODY, Ref("x"))),
        Step("d", "dot", (Ref("b"), Ref("a")), (("axis", 1),)),
    ),
    ("d", "c"),
)


def composed(message: str = "differs") -> Failure:
    origin = Origin(profile="fuzz", seed=0, trial="program 7")
    return failure(program=to_json(PROGRAM), origin=origin, message=message)


def target(name: str, *failures: Failure, programs: int = 10, seed: int = 0) -> Results:
    verdict = Verdict.VIOLATES if failures else Verdict.CONFORMS
    cells = [
        FunctionResult("dot", "linear algebra", [aspect_result(Aspect.VALUE, verdict, *failures)])
    ]
    made_of = results(name, cells, seed=seed, profile="fuzz")
    return replace(made_of, composed=Composed(size=[2, 20], programs=programs))


def test_every_tensor_is_below_all_that_it_is_made_of() -> None:
    nodes_by_name = {node.name: node for node in nodes(PROGRAM)}
    assert {n: node.layer for n, node in nodes_by_name.items()} == dict(
        zip("xyabcd", (0, 0, 1, 2, 1, 3), strict=True)
    )
    assert nodes_by_name["c"].sources == ["y", "x"], "what a body takes from outside counts, too"
    assert nodes_by_name["x"].what == "float32 (?, ?)"
    assert [n for n, node in nodes_by_name.items() if node.is_output] == ["c", "d"]


def test_lines_tell_what_takes_each_tensor() -> None:
    lines = [line for _, line in flow_lines(PROGRAM)]
    assert "a = tanh(x) → b, d" in lines
    assert "d = dot(b, a, axis=1) → an output" in lines
    assert "    i = K.maximum(e, y)" in lines


def test_boxes_do_not_overlap_and_lines_pass_beside_them() -> None:
    root = flow_picture(PROGRAM, "one")
    boxes = [r for g in root.iter("g") for r in g.findall("rect")[:1]]
    assert len(boxes) == len(nodes(PROGRAM))
    edges = [[float(box.get(k, "")) for k in ("x", "y", "width", "height")] for box in boxes]
    for (x0, y0, w, h), (x1, y1, _, _) in combinations(edges, 2):
        assert abs(x0 - x1) >= w or abs(y0 - y1) >= h
    arrows = [p for p in root.iter("path") if p.get("class") == "head"]
    assert len(arrows) == sum(len(node.sources) for node in nodes(PROGRAM))


def test_a_picture_is_told_to_who_does_not_see_it() -> None:
    root = flow_picture(PROGRAM, "one")
    title, description = root.find("title"), root.find("desc")
    assert title is not None
    assert description is not None
    assert (root.get("aria-labelledby"), root.get("aria-describedby")) == (
        title.get("id"),
        description.get("id"),
    )
    assert title.text == "4 steps from 2 inputs to c, d"
    assert "d = K.dot(b, a, axis=1)" in (description.text or "")
    assert root.get("role") == "img"


def test_a_failure_of_another_sort_has_no_program() -> None:
    assert composed_program(failure()) is None
    plain = Origin(profile="default", seed=0, trial="call 3")
    assert composed_program(failure(program=to_json(PROGRAM), origin=plain)) is None
    damaged = Origin(profile="fuzz", seed=0, trial="program 3")
    assert composed_program(failure(program={"inputs": 3}, origin=damaged)) is None
    assert composed_program(composed()) == PROGRAM


def page(folder: Path, *contents: Results) -> Page:
    write(folder, format_files("html", list(contents), documented()))
    return site_pages(folder)["functions/dot.html"]


def test_the_page_of_a_function_shows_the_program_and_who_agrees(tmp_path: Path) -> None:
    html = page(
        tmp_path,
        target("a", composed()),
        target("b"),
        target("few", programs=7),
        target("other", seed=1),
    )
    assert len(html.all("svg", **{"class": "flow"})) == 1
    assert not html.unbalanced
    assert len(html.ids) == len(set(html.ids))
    others = html.text.partition("without the failure: ")[2]
    assert others.startswith("b ")


def test_two_variants_of_a_failure_share_no_identity(tmp_path: Path) -> None:
    html = page(tmp_path, target("a", composed()), target("b", composed(message="another")))
    assert len(html.all("svg", **{"class": "flow"})) == 2
    assert len(html.ids) == len(set(html.ids))


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_others_make_no_elements(text: str) -> None:
    step = Step(text, text, (Ref("x"), text))
    hostile = Program(PROGRAM.inputs, (step,), (text,))
    root = ElementTree.fromstring(ElementTree.tostring(flow_picture(hostile, "one")))
    assert {e.tag.partition("}")[2] for e in root.iter()} <= {
        *("svg", "title", "desc", "g", "rect", "text", "path")
    }


def test_show_tells_the_program_in_lines() -> None:
    failure = composed()
    entry = ListedFailure("dot", aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure), failure)
    lines = [line.plain for line in failure_lines(entry, Paint(make_console()))]
    start = next(n for n, line in enumerate(lines) if "program, each step" in line)
    assert lines[start + 1].strip() == "x: float32 (?, ?), fed → a, c"
