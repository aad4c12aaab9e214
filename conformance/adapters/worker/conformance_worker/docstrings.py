"""Read the facts in the docstrings of an installed Keras 3: names, signatures, sections.

`entries` takes no sentences, only facts and digests of texts: two releases can be compared, and
nothing of Keras is copied.
"""

import functools
import hashlib
import importlib
import inspect
import json
import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

MODULES = ("keras.ops", "keras.ops.image", "keras.ops.linalg", "keras.ops.nn", "keras.random")
"""A function in two of these modules has an entry under the first; `same_as` names that entry under
the other."""
CONTRACT = (
    "keras.Variable",
    "keras.StatelessScope",
    "keras.name_scope",
    "keras.device",
    "keras.remat",
    "keras.layers.RNN",
    "keras.layers.LSTM",
    "keras.layers.GRU",
    "keras.src.backend.rnn",
    "keras.src.backend.convert_to_tensor",
    "keras.src.backend.compute_output_spec",
    "keras.src.backend.random_seed_dtype",
)
"""Classes and functions that a backend of Keras implements beside the functions of `MODULES`."""
SECTIONS = (
    "Args",
    "Arguments",
    "Attributes",
    "Call arguments",
    "Example",
    "Examples",
    "Note",
    "Notes",
    "Raises",
    "Returns",
)
LABEL = re.compile(r"^({}):\s*$".format("|".join(SECTIONS)), re.MULTILINE)
DESCRIBED = re.compile(r"^ {4}`?(\*{0,2}\w+)`?(?: \([^)]*\))?:", re.MULTILINE)
"""The first line of the description of a parameter or an exception."""

Entry = Dict[str, Any]
Digests = Callable[[str], List[str]]


def as_bytes() -> Any:
    """The release of Keras and the entries of all functions, as JSON in an array of uint8.

    The entries leave out the digests of examples.
    """
    import numpy  # noqa: PLC0415 - a worker may print these entries without it

    release = importlib.import_module("keras").__version__
    facts = {"release": str(release), "functions": list(entries())}
    return numpy.frombuffer(json.dumps(facts).encode(), numpy.uint8)


def entries(digests_of_examples: Optional[Digests] = None) -> Iterator[Entry]:
    """Every public function, by module and name, then the contract.

    `digests_of_examples` gives the digests of the examples of a function by its public name.
    """
    seen: Dict[int, str] = {}
    for module in MODULES:
        for name, function in _functions(importlib.import_module(module)):
            qualified = "{}.{}".format(module, name)
            entry = {"name": qualified, **_entry(function)}
            first = seen.setdefault(id(function), qualified)
            if first != qualified:
                entry["same_as"] = first
            elif digests_of_examples is not None:
                entry.update(_some("examples", digests_of_examples(qualified)))
            yield entry
    keras: Any = importlib.import_module("keras")
    for name in CONTRACT:
        member: Any = functools.reduce(_member, name.split(".")[1:], keras)
        if callable(member):  # a release may have a module of this name
            yield {"name": name, **_entry(member)}


def _member(parent: Any, name: str) -> Any:
    return getattr(parent, name, None)


def _functions(module: Any) -> Iterator[Tuple[str, Callable[..., Any]]]:
    for name, function in sorted(vars(module).items()):
        if inspect.isfunction(function) and not name.startswith("_"):
            yield name, function


def _entry(function: Callable[..., Any]) -> Entry:
    parts = _parts(inspect.getdoc(function) or "")
    fields = {
        "signature": signature_text(function),
        "sections": list(parts),
        "texts": [_digest(text) for text in parts.values()],
        "parameters": [*_names(parts, "Args"), *_names(parts, "Arguments")],
        "raises": _names(parts, "Raises"),
    }
    return {key: value for key, value in fields.items() if value}


def _some(key: str, values: List[str]) -> Entry:
    return {key: values} if values else {}


def signature_text(function: Callable[..., Any]) -> str:
    """The parameters with their defaults, without annotations."""
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))


def _parts(text: str) -> Dict[str, str]:
    """The sections of a docstring; `Summary` is the text before the first label."""
    pieces = LABEL.split(text)
    parts = {"Summary": pieces[0]} if pieces[0].strip() else {}
    for label, inside in zip(pieces[1::2], pieces[2::2]):  # noqa: B905 - not in Python 3.6
        parts.setdefault(label, inside)
    return parts


def _names(parts: Dict[str, str], section: str) -> List[str]:
    return DESCRIBED.findall(parts.get(section, ""))


def _digest(text: str) -> str:
    """A digest that ignores line breaks and indentation."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]
