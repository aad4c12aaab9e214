"""The functions of keras.ops and keras.random that an excluded test is about, by its names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

_THEME = re.compile(r"\((\w+)\)$")
"""The file of Keras in a theme: `reductions (numpy)` is about `numpy.py`."""
_CLASS = re.compile(
    r"(?:Test)?(Core|Image|Linalg|Math|NN|Numpy|Random)"
    r"(?:\w*Ops|Dtype|Correctness|Behavior|Errors|Test)",
    re.IGNORECASE,
)
"""The file of Keras in the name of a class of tests: `NumpyOneInputOpsCorrectnessTest`."""
_FOLDERS = ("ops", "random")
"""The folders of Keras's tests of these functions."""


class _TestId(NamedTuple):
    """A test id, or a part of one; a name that it lacks is empty."""

    path: str
    class_name: str
    test: str


class TestNames:
    """The documented functions, by the names of Keras's tests.

    `themes` maps each function to its theme, such as `keras.ops.mean` to `reductions (numpy)`.
    Names of the theme `contract` are left out: these tests are about none of them.
    """

    def __init__(self, themes: Mapping[str, str]) -> None:
        self._functions: dict[str, str] = {}
        self._files: dict[str, list[str]] = {}
        for function, theme in themes.items():
            if file := _THEME.search(theme):
                short = function.rpartition(".")[2]
                self._functions[short] = function
                self._files.setdefault(file[1], []).append(short)

    def functions(self, text: str) -> list[str]:
        """The functions that a test id, or a part of one, names; empty if it names none."""
        return sorted(self._functions[name] for name in self._names(_parsed(text)))

    def _names(self, part: _TestId) -> Collection[str]:
        """The names of the functions, without their modules."""
        path = PurePosixPath(part.path)
        file, in_class = path.stem.removesuffix("_test"), _CLASS.match(part.class_name)
        if part.path and path.suffix != ".py":
            return self._of_folder(path.name)
        if part.path and path.parent.name not in _FOLDERS:
            return ()
        if not part.path and in_class:
            file = in_class[1].lower()
        names = self._files.get(file, ())
        if part.test and (names or not part.class_name):
            return self._of_test(part, names or self._functions)
        return self._of_class(part.class_name) or names

    def _of_folder(self, name: str) -> Collection[str]:
        prefix = f"keras.{name}."
        return {short for short, function in self._functions.items() if function.startswith(prefix)}

    def _of_test(self, part: _TestId, names: Collection[str]) -> Collection[str]:
        """The names that `test_NAME` is about: the longest that NAME begins with.

        Keras excludes a test if its id contains the line: `test_array` also excludes
        `test_array_split`. Therefore the names that begin with NAME count if the line has no path.
        A function that Keras tests in a file of another theme counts if the theme has no such name.
        """
        rest = part.test.partition("[")[0].removeprefix("test_")
        longer = {name for name in names if rest and name.startswith(rest) and not part.path}
        return {*_longest(rest, names), *longer} or _longest(rest, self._functions)

    def _of_class(self, class_name: str) -> Collection[str]:
        """The name of the function in the name of a class, such as `InTopKTest`."""
        bare = re.sub(r"(?:Ops?)?Tests?$", "", class_name).lower()
        return {name for name in self._functions if name.replace("_", "") == bare}


def _longest(rest: str, names: Collection[str]) -> Collection[str]:
    """The longest name with which the rest of a test's name begins."""
    begun = [name for name in names if re.match(rf"{re.escape(name)}\d*(?:_|$)", rest)]
    return {*sorted(begun, key=len)[-1:]}


def _parsed(text: str) -> _TestId:
    first, *rest = text.split("::")
    path = first if "/" in first or first.endswith(".py") else ""
    names = rest if path else [first, *rest]
    test = names.pop() if names and names[-1].startswith("test") else ""
    return _TestId(path, names[0] if names else "", test)
