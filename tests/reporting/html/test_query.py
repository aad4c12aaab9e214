"""The query language of the matrix, in node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import resources
from typing import Any

import pytest

NODE = shutil.which("node")
SCRIPT = resources.files("conformance.reporting.html").joinpath("static", "query.js")
KNOWN = {
    "target": ["keras3-torch", "keras3-jax", "tf_keras"],
    "aspect": ["value", "dtype", "static shape"],
    "dtype": ["float32", "int32"],
    "theme": ["linear algebra", "activations"],
    "edition": ["keras-3", "keras-2.2"],
}
RUN = """
const { parse, matches } = require(process.argv[1]);
const { texts, rows, known } = JSON.parse(require("fs").readFileSync(0, "utf8"));
for (const row of rows) for (const cell of row.cells) {
  for (const key of ["taken", "dtypes"]) cell[key] = new Map(cell[key]);
}
console.log(JSON.stringify(texts.map((text) => {
  const query = parse(text, known);
  return [rows.filter((row) => matches(query, row, known)).map((row) => row.name), query.problems];
})));
"""
pytestmark = pytest.mark.skipif(NODE is None, reason="needs node")


def cell(
    target: str, letters: str, dtypes: list[Any] | None = None, edition: str = "keras-3"
) -> dict[str, Any]:
    return {
        "target": target,
        "edition": edition,
        "letters": letters,
        "taken": [],
        "dtypes": dtypes or [],
    }


ROWS = [
    {
        "name": "dot",
        "theme": "linear algebra",
        "cells": [
            cell("keras3-torch", "VC.", [[0, [1]]]),
            cell("keras3-jax", "CC."),
            cell("tf_keras", "CD.", edition="keras-2.2"),
        ],
    },
    {
        "name": "relu",
        "theme": "activations",
        "cells": [
            cell("keras3-torch", "CV.", [[1, [0]]]),
            cell("keras3-jax", "CV.", [[1, [0, 1]]]),
            cell("tf_keras", "", edition="keras-2.2"),
        ],
    },
    {
        "name": "ctc_decode",
        "theme": "activations",
        "cells": [cell("keras3-torch", "UU."), cell("keras3-jax", "M.."), cell("tf_keras", "CCX")],
    },
]


def ask(*texts: str) -> list[tuple[list[str], list[str]]]:
    """The matching rows and the problems of each query."""
    assert NODE is not None
    data = json.dumps({"texts": texts, "rows": ROWS, "known": KNOWN})
    answer = subprocess.run(
        [NODE, "-e", RUN, str(SCRIPT)], input=data, capture_output=True, text=True, check=True
    )
    return [(rows, problems) for rows, problems in json.loads(answer.stdout)]


QUERIES = {
    "": ["dot", "relu", "ctc_decode"],
    "o": ["dot", "ctc_decode"],
    "O d": ["dot", "ctc_decode"],
    "-o": ["relu"],
    "fails:torch": ["dot", "relu"],
    "fails:torch passes:jax": ["dot"],
    "fails:torch passes:jax dtype:int32": ["dot"],
    "fails:torch dtype:int32": ["dot"],
    "fails:jax dtype:int32": ["relu"],
    "dtype:float32": ["relu"],
    "fails:torch aspect:dtype": ["relu"],
    "passes:torch aspect:dtype": ["dot"],
    "fails:any": ["dot", "relu", "ctc_decode"],
    "fails:all": ["relu"],
    "fails:keras aspect:value": ["dot"],
    "lacks:torch": ["ctc_decode"],
    "changes:jax": ["ctc_decode"],
    "diverges:tf_keras": ["dot"],
    "-fails:torch": ["ctc_decode"],
    "theme:activations -lacks:any": ["relu"],
    'theme:"linear algebra"': ["dot"],
    '-theme:"Linear Algebra" fails:KERAS3-torch': ["relu"],
    "edition:keras-2.2": ["dot"],
    'aspect:"static shape"': ["ctc_decode"],
}


def test_queries_choose_rows() -> None:
    assert dict(zip(QUERIES, ask(*QUERIES), strict=True)) == {
        text: (rows, []) for text, rows in QUERIES.items()
    }


def test_a_wrong_term_is_named_and_ignored() -> None:
    (unknown, target, dtype, empty, theme) = ask(
        "fial:torch dot", "fails:torhc", "dtype:int23", "fails:", "theme:linear"
    )
    assert unknown[0] == ["dot"]
    assert unknown[1][0].startswith("no key “fial:”; the keys are fails: lacks: ")
    assert target == (["dot", "relu", "ctc_decode"], ["no target has “torhc” in its name"])
    assert dtype[1] == ["no dtype “int23”; there are float32, int32"]
    assert theme[1] == ['no theme “linear”; there are "linear algebra", activations']
    assert empty[1] == ["“fails:” needs a value"]


def test_odd_text_is_only_text() -> None:
    answers = ask("constructor:x", "__proto__:x", 'fails:"', "-", '"<b>"')
    every = ["dot", "relu", "ctc_decode"]
    assert [rows for rows, _ in answers] == [every, [], every, [], []]
    assert answers[0][1][0].startswith("no key “constructor:”")
    assert answers[2][1] == ["“fails:” needs a value"]
