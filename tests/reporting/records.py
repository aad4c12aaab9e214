"""Results made by hand: every verdict, ordinary targets, and hostile ones."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from conformance.results import (
    ASPECTS,
    Array,
    Aspect,
    AspectResult,
    Citation,
    Failure,
    FunctionResult,
    ReleaseDrift,
    Replacement,
    Results,
    RunInfo,
    TargetInfo,
    Verdict,
    summarise,
)

HOSTILE = [
    "a|b",
    "back`tick``s",
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07osc",
    "[bold]markup[/bold] [/]",
    "two\nlines\r\nthree",
    "bell\x07 nul\x00 c1\x9b31m\x85",
    "../../etc/passwd",
    "right\u202eto left",
    "lone \udcff surrogate",
    "*stars* _under_ ~~gone~~ # head",
    "</details> ``` out",
    "long " * 200,
    ":smile: é 漢字",
    "",
]

JUDGED = tuple(v for v in Verdict if v not in (Verdict.NOT_RUN, Verdict.CHANGED, Verdict.ERROR))
"""The verdicts of a run that came to its end, on a target that promises the documents."""
ROW = Replacement("keras3.toml", "dot", "keras.ops.dot(x, y)")

SCRIPT = "from keras import backend as K\nx = K.variable([[1.0, 2.0]])\nprint(K.eval(x))\n"


def array(
    values: list[float | int | bool | str], shape: list[int], dtype: str = "float32"
) -> Array:
    return Array(dtype, shape, values)


_CITING = (Verdict.VIOLATES, Verdict.CHANGED)


def failure(verdict: Verdict = Verdict.VIOLATES, **changes: object) -> Failure:
    row = f"; {ROW}" if verdict is Verdict.CHANGED else ""
    fields: dict[str, object] = {
        "id": "f1a2",
        "verdict": verdict,
        "kind": "shape",
        "message": f"gives (2,); expected (2, 1) (ko-2.2:1053{row})",
        "count": 3,
        "citation": Citation("ko-2.2", 1053) if verdict in _CITING else None,
        "replacement": ROW if verdict is Verdict.CHANGED else UNSET,
        "convention": "ties" if verdict is Verdict.DIVERGES else None,
        "script": SCRIPT,
    }
    return Failure(**(fields | changes))  # type: ignore[arg-type]


def aspect_result(aspect: Aspect, verdict: Verdict, *failures: Failure) -> AspectResult:
    return AspectResult(aspect=aspect, verdict=verdict, cases=10, failures=list(failures))


def function(name: str, verdict: Verdict, theme: str = "linear algebra") -> FunctionResult:
    """A function whose values earn `verdict` and whose other aspects conform, if any apply."""
    if verdict is Verdict.NOT_APPLICABLE:
        return FunctionResult(name, theme, [aspect_result(a, verdict) for a in ASPECTS])
    bad = verdict not in (Verdict.CONFORMS, Verdict.NOT_APPLICABLE, Verdict.UNSUPPORTED)
    aspects = [
        aspect_result(a, verdict, *([failure(verdict)] if bad else []))
        if a is Aspect.VALUE
        else aspect_result(a, Verdict.CONFORMS)
        for a in ASPECTS
    ]
    return FunctionResult(name, theme, aspects)


def results(name: str, functions: list[FunctionResult], **run: object) -> Results:
    fields: dict[str, object] = {
        "suite_version": "0.1.0",
        "profile": "smoke",
        "seed": 7,
        "started": "2024-05-06T07:08:09Z",
        "seconds": 10.0,
        "cases": 1000,
        "seconds_in_target": 7.5,
        "machine": "an abacus, 2 cores",
    }
    info = TargetInfo(
        name=name,
        edition="keras-2.2",
        implementation="keras on " + name,
        versions={"numpy": "1.16.6", "keras": "2.2.4"},
        python="3.6.15",
    )
    return Results(
        target=info,
        run=RunInfo(**(fields | run)),  # type: ignore[arg-type]
        summary=summarise(functions),
        functions=functions,
    )


def newer(name: str = "keras-nightly-numpy") -> Results:
    """A run of a release newer than the one that the edition describes."""
    conforming = results(name, [function("f_conforms", Verdict.CONFORMS)])
    drift = ReleaseDrift(document="keras-3.15.1", installed="3.16.0", functions=2)
    return replace(conforming, target=replace(conforming.target, edition="keras-3", drift=drift))


NEWER = (
    "keras-nightly-numpy: Keras 3.16.0 is newer than 3.15.1 of the edition keras-3: 2 functions"
    " drifted, which `conformance spec drift keras-nightly-numpy` lists"
)
"""The line on that release."""


def every_verdict(name: str = "keras-2.2.4-theano") -> Results:
    return results(name, [function(f"f_{v.name.lower()}", v) for v in JUDGED])


def ended(name: str = "keras-2.2.4-cntk") -> Results:
    """A run whose time was over before it came to its last function, and halfway in another."""
    conforming = function("f_conforms", Verdict.CONFORMS)
    cells = [
        AspectResult(aspect=a, verdict=Verdict.NOT_RUN, cases=0) if a in ASPECTS[3:] else seen
        for a, seen in zip(ASPECTS, conforming.aspects, strict=True)
    ]
    unseen = [AspectResult(aspect=a, verdict=Verdict.NOT_RUN, cases=0) for a in ASPECTS]
    functions = [
        conforming,
        FunctionResult("f_brief", "linear algebra", cells),
        FunctionResult("f_unseen", "linear algebra", unseen),
    ]
    left = ["f_brief", "f_unseen"]
    by = "the limit of 60 s"
    return results(name, functions, complete=False, unfinished=left, ended_by=by)


def hostile(text: str) -> Results:
    """Every free text of a results file is `text`."""
    bad = failure(
        message=text, id=text, script=text, output=text, expected=text, got=text, kind=text
    )
    taken = [f"layout: {text}"]
    stray = failure(Verdict.DIVERGES, message=text, convention=text, readings=taken)
    aspects = [
        aspect_result(Aspect.VALUE, Verdict.VIOLATES, bad),
        aspect_result(Aspect.DTYPE, Verdict.DIVERGES, stray),
    ]
    content = results(text, [FunctionResult(text, text, aspects)], selection=text, machine=text)
    info = TargetInfo(
        name=text,
        edition=text,
        implementation=text,
        versions={text: text},
        python=text,
        drift=ReleaseDrift(document=text, installed=text, functions=1),
    )
    return Results(
        target=info, run=content.run, summary=content.summary, functions=content.functions
    )


def many_targets(count: int = 6, functions: int = 69) -> list[Results]:
    """Targets with long names, functions in seven themes, verdicts in turn."""
    verdicts = list(JUDGED)
    return [
        results(
            f"keras-2.2.4-implementation-{t}-1.14.0",
            [
                function(f"a_long_function_name_{f:02}", verdicts[(f + t) % 7], f"theme {f // 10}")
                for f in range(functions)
            ],
        )
        for t in range(count)
    ]
