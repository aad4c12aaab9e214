"""The comparison of a docstring's example with the result that the docstring prints.

The suite holds digests of examples and no text. Therefore a script reads the print from the
docstring of the installed package, as it reads the example's lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.scripts.endings import ScriptEnding
from conformance.scripts.literals import literal

Array = npt.NDArray[Any]

_SHOWN = r"""
def shown(text):
    text = re.sub('#.*', '', text).strip()
    text = re.sub(r'(?<=[\w.\]])\s+(?=[-\w.\[])', ', ', text)  # NumPy prints no commas
    array = lambda elements, shape=None, dtype=None: np.array(elements, dtype)
    names = {name: name for name in re.findall(r'dtype=(\w+)', text)}
    names.update(dict.fromkeys(['array', 'Array', 'Tensor', 'tensor'], array), dtype=str)
    names.update(nan=np.nan, inf=np.inf)
    parts = eval(text, names)
    several = isinstance(parts, list) and isinstance(parts[0], np.ndarray)
    parts = parts if several or isinstance(parts, tuple) else [parts]
    return [np.asarray(part) for part in parts]

""".splitlines()
"""The arrays, numbers and texts that a docstring prints."""


@dataclass(frozen=True)
class InstalledExample:
    """An example between `>>>` in the installed docstring of a function, which a script runs."""

    function: str
    """The public name of its function: `keras.ops.dot`."""
    number: int
    """Which of the lines that print something or end the docstring; the first is 1."""

    @property
    def statements(self) -> Sequence[str]:
        """The lines before the example are run; `line` has its own text and its print."""
        return (
            f"lines = doctest.DocTestParser().get_examples(inspect.getdoc({self.function}))",
            "ends = [n for n, line in enumerate(lines) if line.want or line is lines[-1]]",
            "names = {**vars(keras.ops), **vars(builtins), 'keras': keras, 'ops': keras.ops}",
            "names.update(np=np, numpy=np, print=lambda *values: values[0])",
            f"for line in lines[: ends[{self.number - 1}] + 1]:",
            "    if not line.want:",
            "        exec(line.source, names)",
            "leaves = keras.tree.flatten(eval(line.source, names)) if line.want else []",
            "read = lambda r: keras.ops.convert_to_numpy(r) if keras.ops.is_tensor(r) else r",
            "results = [*map(read, leaves)]",
        )


@dataclass(frozen=True)
class PrintedResult:
    """One result of an example, as its docstring prints it."""

    elements: Array | str
    """An array, or a text such as the name of a dtype."""
    dtype: str = ""
    """Empty where none is printed."""


_LIBRARIES: Sequence[str] = ("import builtins", "import doctest", "import inspect")


def gives(
    example: InstalledExample,
    printed: Sequence[PrintedResult],
    others: Sequence[str],
    tolerance: float,
    *,
    stacked: bool = False,
    random: bool = False,
) -> ScriptEnding:
    """The results of an example must be these.

    With `stacked`, several results are the rows of one printed array. With `random`, only shapes
    and dtypes count. `others` and `tolerance` are those of `gives_its_print`.
    """
    compare = [*example.statements, *(["results = [np.stack(results)]"] if stacked else [])]
    compare.append(f"assert len(results) == {len(printed)}, results")
    for place, part in enumerate(printed):
        compare += _assertions(f"results[{place}]", part, others, tolerance, random=random)
    return _ending(compare, _LIBRARIES)


def _assertions(
    result: str, part: PrintedResult, others: Sequence[str], tolerance: float, *, random: bool
) -> Iterator[str]:
    right = part.elements
    if isinstance(right, str):
        yield f"assert str({result}).rpartition('.')[2] == {right!r}, {result}"
        return
    kinds = "iu" if right.dtype.kind in "iu" else right.dtype.kind
    alike = (other for other in others if _is_integer(other) == (right.dtype.kind in "iu"))
    dtypes = [*dict.fromkeys((part.dtype, *alike))]
    known = f"got.dtype in {dtypes}" if part.dtype else f"got.dtype.kind in {kinds!r}"
    yield f"got = np.asarray({result})"
    yield f"assert got.shape == {right.shape} and {known}, (got.shape, got.dtype)"
    if not random:
        finite = np.abs(right[np.isfinite(right)])
        limit = 0.0 if right.dtype.kind == "b" else tolerance * float(finite.max(initial=0))
        yield f"np.testing.assert_allclose(got, {literal(right)}, 0, {limit:.3g})"


def _is_integer(dtype: str) -> bool:
    return "int" in dtype


def _ending(compare: Sequence[str], helpers: Sequence[str], *, steps: bool = False) -> ScriptEnding:
    return ScriptEnding([*compare], helpers=[*helpers], observe=(), computes=False, steps=steps)


def gives_its_print(
    example: InstalledExample | str, others: Sequence[str], tolerance: float
) -> ScriptEnding:
    """The results of an example must be those that the docstring prints, if it prints any.

    `example` may also name what `docstring_example` gave. `others` are dtypes that an array may
    have instead of the printed one. `tolerance` is relative to the largest element of an array.
    """
    dtypes = f"[str(right.dtype), {', '.join(map(repr, others))}]" if others else "[right.dtype]"
    if isinstance(example, InstalledExample):
        begin, libraries = [*example.statements, *_OF_LINES], _LIBRARIES
    else:
        begin, libraries = [f"line, text, random, *results = {example}", *_OF_STEP], ["", ""]
    compare = (
        *begin,
        "expected = shown(text) if text and not refused else []",
        "if len(expected) == 1 < len(results):  # several arrays that are printed as one",
        "    results = [np.stack(results)]",
        "assert len(results) == len(expected) or not expected, (results, expected)",
        "for result, right in zip(map(np.asarray, results), expected):",
        "    if right.dtype.kind == 'U':",
        "        assert str(result).rpartition('.')[2] == right, (result, right)",
        "        continue",
        "    assert result.shape == right.shape, (result.shape, right.shape)",
        "    alike = result.dtype.kind.replace('u', 'i') == right.dtype.kind",
        f"    named = 'dtype=' not in text or result.dtype in {dtypes}",
        "    assert alike and named, (result.dtype, right.dtype)",
        "    if not random:",
        "        largest = np.abs(right[np.isfinite(right)]).max(initial=0)",
        f"        np.testing.assert_allclose(result, right, 0, {tolerance:g} * largest)",
    )
    steps = isinstance(example, str)
    return _ending(compare, [*libraries, "import re", *_SHOWN], steps=steps)


# The ways to `text`, `random` and `results`: from a step, and from an installed example
_OF_STEP = (
    "results = [keras.ops.convert_to_numpy(r) if keras.ops.is_tensor(r) else r for r in results]",
    "refused = text.startswith('Traceback')",
    "assert not refused or str(results[0]).startswith('raises '), results",
)
_OF_LINES = (
    "text, refused = line.want.partition('```')[0], False",
    "random = any('random' in other.source for other in lines)",
)
