"""Documents that are nearly right: a valid one with something replaced, taken out or added."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from hypothesis import strategies as st


def _deep(levels: int) -> Any:
    nested: Any = []
    for _ in range(levels):
        nested = [nested]
    return nested


NASTY: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    2**64,
    -(2**70),
    10**400,
    0.5,
    math.nan,
    math.inf,
    -0.0,
    "",
    "x",
    "\x00",
    "a/\x00/b",
    "\x1b[2J",
    "\u202e",
    "\ud800",
    "../../outside",
    "/dev/zero",
    "/proc/self/mem",
    ".",
    "{home}",
    "{home",
    "{0}",
    "{home.real}",
    "{suite!r:>99}",
    "x" * 5000,
    [],
    {},
    [[]],
    [None],
    [0, -1],
    [2**62, 2**62, 2**62],
    {"": {}},
    {"name": "x"},
    {"\x00": "\x00"},
    _deep(30),
)
"""What takes the place of a value."""

values = st.sampled_from(NASTY).map(copy.deepcopy) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def mutated(draw: st.DrawFn, *documents: Any) -> Any:
    """One of the documents with up to three changes."""
    document = copy.deepcopy(draw(st.sampled_from(documents)))
    for _ in range(draw(st.integers(1, 3))):
        document = _changed(draw, document)
    return document


def _changed(draw: st.DrawFn, document: Any) -> Any:
    place = draw(st.sampled_from(list(_places(document))))
    if not place:
        return draw(values)
    *way, last = place
    inner = document
    for step in way:
        inner = inner[step]
    change = draw(st.sampled_from(("replace", "remove", "add", "double")))
    if change == "replace":
        inner[last] = draw(values)
    elif change == "remove":
        del inner[last]
    elif isinstance(inner, dict):
        key = draw(st.sampled_from(("", "\x00", "name", "x")) | st.text(max_size=8))
        inner[key] = copy.deepcopy(inner[last]) if change == "double" else draw(values)
    else:
        inner.append(copy.deepcopy(inner[last]) if change == "double" else draw(values))
    return document


def _places(document: Any, way: tuple[Any, ...] = ()) -> Any:
    yield way
    items: Any = ()
    if isinstance(document, dict):
        items = document.items()
    elif isinstance(document, list):
        items = enumerate(document)
    for key, value in items:
        yield from _places(value, (*way, key))


def as_json(document: Any) -> bytes:
    """JSON, with NaN and lone surrogates as Python writes them."""
    return json.dumps(document, ensure_ascii=False).encode("utf-8", "surrogatepass")


def as_toml(document: Any) -> bytes:
    """TOML, or nearly: what TOML lacks is written as Python would."""
    items = document.items() if isinstance(document, dict) else [("x", document)]
    text = "\n".join(f"{json.dumps(str(k))} = {_inline(v)}" for k, v in items)
    return text.encode("utf-8", "surrogatepass")


def as_tables(document: Any) -> bytes:
    """TOML with a table in lines of its own for each item of a list of tables."""
    if not isinstance(document, dict):
        return as_toml(document)
    parts = []
    for key, value in document.items():
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            parts += [b"[[%b]]\n%b\n" % (_key(key), as_toml(item)) for item in value]
        else:
            parts.insert(0, as_toml({key: value}) + b"\n")
    return b"".join(parts)


def _key(key: str) -> bytes:
    return (key if key.isidentifier() else json.dumps(key)).encode("utf-8", "surrogatepass")


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(str(k))} = {_inline(v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, float):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


BOMBS: dict[str, bytes] = {
    "nested lists": b"x = " + b"[" * 100_000,
    "nested tables": b"[" + b"x." * 5_000 + b"x]",
    "nested JSON": b"[" * 1_000_000,
    "nested objects": b'{"x":' * 200_000,
    "digits": b"x = " + b"9" * 100_000,
    "digits in JSON": b'{"schema": ' + b"9" * 100_000 + b"}",
    "exponent": b'{"schema": 1e' + b"9" * 1000 + b"}",
    "NUL": b"\x00" * 100,
    "no UTF-8": b"\xff\xfe\x00",
    "byte order mark": "\ufeff{}".encode("utf-16"),
    "lone surrogate": b'{"schema": "\\ud800"}',
    "aliases": b"a: &a [x]\n"
    + b"".join(
        b"%c: &%c [%s]\n" % (c, c, b", ".join([b"*%c" % (c - 1)] * 9)) for c in range(98, 120)
    ),
    "merged aliases": b"a: &a {x: 1}\n"
    + b"".join(
        b"%c: &%c {<<: [%s]}\n" % (c, c, b", ".join([b"*%c" % (c - 1)] * 9)) for c in range(98, 120)
    ),
    "alias of itself": b"&a [*a]",
    "Python object": b"!!python/object/apply:os.system ['true']",
}
"""Small files that ask for much."""
