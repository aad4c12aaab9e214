"""Write docs/keras3-aspects.md: which aspects of each function of keras.ops the suite tests.

    python -m tools.aspects

A test compares the page with the specs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.editions import Edition
from conformance.engine.planning.demands import demanded_aspects
from conformance.engine.planning.gaps import REASONS, gap
from conformance.program import Step
from conformance.program.model import COMPILED
from conformance.results import ASPECTS, Aspect
from conformance.results.scores import CONTRACT
from conformance.scenarios import families_of
from conformance.scenarios.cited import scenarios_of
from conformance.specs import Spec, load

PAGE = Path(__file__).parents[1] / "docs" / "keras3-aspects.md"
EDITION: Edition = "keras-3"
TESTED = "✓"
LETTERS = dict(zip(REASONS, "abcdefghijklmnop", strict=False))
WAYS = ("symbolic", "compiled")
SYMBOL = "placeholder"
"""The function that makes a symbolic tensor."""
SHOWN = [a for a in ASPECTS if a not in (Aspect.STATE, Aspect.CONFIGURATION)]
HEAD = """# Aspects of Keras 3

`python -m tools.aspects` writes this page from the specs of the edition `keras-3`. A ✓ means that
the suite tests each target for the aspect of the function. A letter gives the reason for a gap. The
last two columns say whether the suite also calls the function with symbolic tensors, and compiles
it. [verdicts.md](verdicts.md) explains the aspects, [keras3-checks.md](keras3-checks.md) the inputs
and limits.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text("\n".join([*page()]) + "\n", encoding="utf-8")


def page() -> Iterator[str]:
    """The lines of the page."""
    known = load()
    every = (spec for spec in known.values() if EDITION in spec.editions)
    specs = [spec for spec in every if known.theme(spec.name) != CONTRACT]
    yield HEAD
    yield from ("## Gaps", "", "| | reason | functions |", "|---|---|---|")
    for word, reason in REASONS.items():
        number = sum(word in gaps(spec) for spec in specs)
        if number:
            yield f"| {LETTERS[word]} | {reason} | {number} |"
    columns = [*map(str, SHOWN), *WAYS]
    yield from ("", "## Functions", "")
    yield from (f"| function | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|")
    yield from map(row, specs)


def gaps(spec: Spec) -> list[str]:
    """The words for the gaps of a function."""
    return [word for aspect in SHOWN if (word := gap(spec, EDITION, aspect)) is not None]


def row(spec: Spec) -> str:
    """The row of a function."""
    words = [gap(spec, EDITION, aspect) for aspect in SHOWN]
    cells = [TESTED if word is None else LETTERS[word] for word in words]
    return f"| `{spec.name}` | {' | '.join([*cells, *ways(spec)])} |"


def ways(spec: Spec) -> Sequence[str]:
    """Whether calls of a function are symbolic, and whether they are compiled."""
    if spec.dtype is not None:
        has_tensors = Aspect.PURITY in demanded_aspects(spec, EDITION)
        return [TESTED if has_tensors else LETTERS["inputless"]] * len(WAYS)
    functions = {step.function for step in _steps(spec)}
    return [TESTED if way in functions else LETTERS["several"] for way in (SYMBOL, COMPILED)]


def _steps(spec: Spec) -> Iterator[Step]:
    for family in families_of(spec.name, EDITION):
        for scenario in scenarios_of(family, EDITION):
            yield from scenario.program.steps


if __name__ == "__main__":
    main()
