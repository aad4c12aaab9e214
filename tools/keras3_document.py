"""Print the facts in the docstrings of an installed Keras 3: names, signatures, sections.

    KERAS_BACKEND=numpy PYTHON tools/keras3_document.py > DOCUMENT

PYTHON is the interpreter of the target `keras3-numpy`, and DOCUMENT a file such as
`conformance/editions/keras-3/documents/keras-3.15.1.yaml`, named after the release. The program
needs Keras and nothing else. A test compares its output with the file.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

ADAPTERS = Path(__file__).parents[1] / "conformance" / "adapters"
sys.path.insert(0, str(ADAPTERS / "worker"))


def main() -> None:
    """Print the list."""
    docstrings = importlib.import_module("conformance_worker.docstrings")
    release = importlib.import_module("keras").__version__
    print(
        f"# What the docstrings of Keras {release} hold: tools/keras3_document.py makes this list."
    )
    for entry in docstrings.entries(digests_of_examples()):
        print(f"- {json.dumps(entry)}")


def digests_of_examples() -> Callable[[str], list[str]]:
    """The function of the suite's mapping that takes the name of a function."""
    mapping = importlib.import_module("conformance_worker.mapping")
    table = mapping.read(str(ADAPTERS / "mappings" / "keras3_ops.toml"))
    rows = {"functions": {"docstring_example": table["functions"]["docstring_example"]}}
    digests: Callable[[str], list[str]] = mapping.Mapped(
        "keras.ops", {"imports": table["imports"], **rows}
    ).docstring_example
    return digests


if __name__ == "__main__":
    main()
