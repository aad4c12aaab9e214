"""What the docstrings of an installed Keras 3 hold, as data: names, signatures, sections.

    KERAS_BACKEND=numpy PYTHON tools/keras3_document.py > DOCUMENT

PYTHON is the interpreter of the target `keras3-numpy`, and DOCUMENT a file such as
`conformance/editions/keras-3/documents/keras-3.15.1.yaml`, named after the release. It takes facts
alone, no sentences, and needs Keras and nothing else. A test compares the two.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

MODULES = ("keras.ops", "keras.ops.image", "keras.ops.linalg", "keras.ops.nn", "keras.random")
"""What two of them have stands under the first; under the other, `same_as` names that."""
SECTIONS = ("Args", "Arguments", "Example", "Examples", "Note", "Notes", "Raises", "Returns")
LABEL = re.compile(rf"^({'|'.join(SECTIONS)}):\s*$", re.MULTILINE)
DESCRIBED = re.compile(r"^ {4}`?(\*{0,2}\w+)`?(?: \([^)]*\))?:", re.MULTILINE)
"""A parameter or an exception, where its description begins."""

Entry = dict[str, Any]


def main() -> None:
    """Print the list."""
    release = importlib.import_module("keras").__version__
    print(
        f"# What the docstrings of Keras {release} hold: tools/keras3_document.py makes this list."
    )
    for entry in entries():
        print(f"- {json.dumps(entry)}")


def entries() -> Iterator[Entry]:
    """Every public function, by module and name."""
    seen: dict[int, str] = {}
    for module in MODULES:
        for name, function in _functions(importlib.import_module(module)):
            qualified = f"{module}.{name}"
            first = seen.setdefault(id(function), qualified)
            again = {} if first == qualified else {"same_as": first}
            yield {"name": qualified, **_entry(function), **again}


def _functions(module: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, found in sorted(vars(module).items()):
        if inspect.isfunction(found) and not name.startswith("_"):
            yield name, found


def _entry(function: Callable[..., Any]) -> Entry:
    parts = _parts(inspect.getdoc(function) or "")
    described = [*_names(parts, "Args"), *_names(parts, "Arguments")]
    found = {
        "signature": signature_text(function),
        "sections": list(parts),
        "parameters": described,
        "raises": _names(parts, "Raises"),
    }
    return {key: value for key, value in found.items() if value}


def signature_text(function: Callable[..., Any]) -> str:
    """The parameters with their defaults, without annotations."""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def _parts(text: str) -> dict[str, str]:
    """The sections of a docstring; `Summary` is what stands before any."""
    pieces = LABEL.split(text)
    parts = {"Summary": pieces[0]} if pieces[0].strip() else {}
    for label, inside in zip(pieces[1::2], pieces[2::2], strict=True):
        parts.setdefault(label, inside)
    return parts


def _names(parts: dict[str, str], section: str) -> list[str]:
    return DESCRIBED.findall(parts.get(section, ""))


if __name__ == "__main__":
    main()
