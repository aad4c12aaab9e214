"""Whether scripts of failures demand the right answer: `python -m tools.scripts [FOLDER]...`.

The tool takes the scripts of published results. A script observes `got` (or outputs by name), and
then asserts. The tool runs these assertions alone, on three answers in turn: the right one, which
the script itself holds; zeros of its shape; and the right numbers in another shape. A sound script
accepts the first, and refuses the two others (unless the right answer is zero, or has no element).

The assertions run as Python in this process, so pass only results that you made yourself.

The tool prints how many scripts do so, the others by id, and the numbers of lines. It leaves out
scripts that hold no array to compare with. The exit status is 1 if a script is not sound.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.cli.files.results import stored
from conformance.cli.replay.stored_failures import StoredFailure, failures

Array = npt.NDArray[Any]
DEFAULT = Path("reports/keras3-ops")
_ASSERTIONS = ("assert_array_equal", "assert_allclose")
_HELPERS = {"np": np, "keras": None}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The assertions at the end of a script on one value, and the value that they demand."""

    place: str
    """The expression of the value, such as `got`."""
    statements: Sequence[ast.stmt]
    right: Array

    def accepts(self, answer: Array) -> bool:
        """Whether the assertions pass for an answer."""
        names: dict[str, Any] = {**_HELPERS, self.place: answer}
        module = ast.Module([*self.statements], [])
        try:
            exec(compile(module, "script", "exec"), names)  # noqa: S102 - own results
        except AssertionError:
            return False
        return True


@dataclass(slots=True)
class Tally:
    """The counts of one results file."""

    lines: list[int] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    unsound: list[str] = field(default_factory=list)

    def add(self, stored_failure: StoredFailure) -> None:
        """Count one failure by its script."""
        script = stored_failure.failure.script
        if script is None:
            self.outcomes["no script"] += 1
            return
        self.lines.append(len(script.splitlines()))
        comparison = comparison_of(script)
        if comparison is None:
            self.outcomes["compares no array by itself"] += 1
            return
        problem = problem_of(comparison)
        self.outcomes[problem or "sound"] += 1
        if problem:
            self.unsound.append(f"{stored_failure}: {problem}")


def comparison_of(script: str) -> Comparison | None:
    """The comparison of the one value that a script asserts something of; None for other scripts.

    The script must bind `got` to one array, and compare it with an array that it writes out.
    """
    statements = ast.parse(script).body
    ends = [n for n, s in enumerate(statements) if "got" in _bound(s)]
    if not ends or isinstance(statements[ends[-1]], ast.Try | ast.If):
        return None
    after = [s for s in statements[ends[-1] + 1 :] if _mentions(s) <= {"got", "np", "str"}]
    if after != statements[ends[-1] + 1 :]:
        return None
    right = next((value for s in after if (value := _demanded(s)) is not None), None)
    return None if right is None else Comparison("got", after, right)


def _bound(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and _stores(n)}


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _mentions(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}


def _demanded(statement: ast.stmt) -> Array | None:
    """The array that a statement of `np.testing` demands of `got`, in the dtype that it writes."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(attr=attr), [ast.Name(id="got"), expected, *_])):
            if attr in _ASSERTIONS:
                source = ast.unparse(expected)
                return np.asarray(eval(source, {"np": np}))  # noqa: S307 - own results
    return None


def problem_of(comparison: Comparison) -> str:
    """The fault of the comparison in words; empty if it is sound."""
    right = _in_demanded_dtype(comparison)
    if not comparison.accepts(right):
        return "refuses the right answer"
    if right.astype(complex).any() and comparison.accepts(np.zeros_like(right)):
        return "accepts zeros"
    return "accepts another shape" if comparison.accepts(right[None]) else ""


def _in_demanded_dtype(comparison: Comparison) -> Array:
    """The right answer in the first dtype that the script names, if it names any."""
    for statement in comparison.statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and node.value in _DTYPES:
                return comparison.right.astype(str(node.value))
    return comparison.right


_DTYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16",
           "uint32", "uint64", "bool")  # fmt: skip


def main(folders: Sequence[str]) -> int:
    """Print the counts of the results in these folders; the exit status."""
    sound = True
    for path in _files([Path(folder) for folder in folders] or [DEFAULT]):
        tally = Tally()
        for failure in failures(stored([path]).values()):
            tally.add(failure)
        counts = ", ".join(f"{count} {name}" for name, count in tally.outcomes.most_common())
        median, most = statistics.median(tally.lines or [0]), max(tally.lines, default=0)
        print(f"{path.name}: {counts}; lines: median {median:g}, most {most}")
        print(*(f"  {line}" for line in tally.unsound), sep="\n", end="\n" if tally.unsound else "")
        sound &= not tally.unsound
    return 0 if sound else 1


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        yield from sorted(place.glob("*.json.gz")) if place.is_dir() else [place]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
