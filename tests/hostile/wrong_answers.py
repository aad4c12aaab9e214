"""Answers that are well-formed and wrong: what a worker could send that wants to fool the host.

Each change takes the header and the arrays of a right answer and leaves a frame that can be sent;
`wrong_answers` makes up to four of them, one after the other.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

Header = dict[str, Any]
Arrays = list[Any]
Change = Callable[[st.DrawFn, Header, Arrays], None]

COUNTS = st.sampled_from([0, 1, 2, 3, 17, 4097, 50_000])
"""How often something is repeated; the last is far beyond what any request asks for."""
NUMBERS = st.sampled_from([0, 1, 2, 13, 2**31, 2**53, 2**63, 2**64, 10**40])
NAMES = st.sampled_from(
    ["", "x", "y", "z", "x\0", "y" * 5000, "process", "floatx", "\x1b[2J", "\ud800", "\u202e"]
)
LABELS = st.sampled_from(
    ["float32", "float64", "int64", "bool", "bfloat16", "float32,int8", "O", "<U99999999", ""]
)
TEXTS = NAMES | st.sampled_from(["x" * 100_000, "\u202e" * 50_000])
DTYPES = ("float32", "float64", "float16", "int8", "uint64", "bool", "complex128")


def _item(draw: st.DrawFn, items: Any) -> Any:
    """One of the items; None if there are none."""
    return draw(st.sampled_from(items)) if items else None


def _repeated(draw: st.DrawFn, items: list[Any]) -> None:
    if items:
        item = _item(draw, items)
        # the host limits a frame, and nothing limits this process, which makes it; with copies a
        # change that follows makes one of them longer, and not all
        most, count = 1_000_000 // len(repr(item)), draw(COUNTS)
        if isinstance(item, list | dict):
            items.extend(copy.deepcopy(item) for _ in range(min(most, count)))
        else:
            items.extend([item] * count)


def _omitted(draw: st.DrawFn, items: list[Any]) -> None:
    if items:
        del items[draw(st.integers(0, len(items) - 1))]


def _shuffled(draw: st.DrawFn, items: list[Any]) -> None:
    items[:] = draw(st.permutations(items)) if len(items) < 100 else items[::-1]


def _groups(header: Header) -> list[Any]:
    return [group for column in header["values"] for group in column["groups"]]


def _lists(header: Header) -> list[list[Any]]:
    """Every list in which something could be repeated, left out or moved."""
    claims = [output["claims"] for output in header["outputs"]]
    groups = [column["groups"] for column in header["values"]]
    draws = [group["draws"] for group in _groups(header)]
    changed = [names for _, names in header["draws"][:20]]
    plain = [header[key] for key in ("inputs", "outputs", "errors", "draws", "values", "leaked")]
    return [*plain, *claims, *groups, *draws, *changed, *_shapes(header)]


def _shapes(header: Header) -> list[list[Any]]:
    claims = [item["claim"] for item in header["inputs"]]
    claims += [claim for output in header["outputs"] for claim in output["claims"]]
    return [claim["shape"] for claim in claims if claim["shape"] is not None]


def _of_lists(change: Callable[[st.DrawFn, list[Any]], None]) -> Change:
    def changed(draw: st.DrawFn, header: Header, _: Arrays) -> None:
        change(draw, draw(st.sampled_from(_lists(header))))

    return changed


def _names(draw: st.DrawFn, header: Header, _: Arrays) -> None:
    """Another name of an input, an output, a column, or of what was changed or leaked."""
    holders = [
        *((item, "name") for item in (*header["inputs"], *header["outputs"])),
        *((column, "output") for column in header["values"]),
    ]
    place = _item(draw, [*holders, None])
    if place is None:
        header["leaked"].append(draw(NAMES))
        for row in header["draws"][:2]:
            row[1].append(draw(NAMES))
    else:
        place[0][place[1]] = draw(NAMES)


def _numbers(draw: st.DrawFn, header: Header, _: Arrays) -> None:
    """Another draw, payload, dimension or error."""
    group = _item(draw, _groups(header))
    kind = draw(st.sampled_from(["draw", "payload", "dimension", "error"]))
    if kind == "draw" and group and group["draws"]:
        group["draws"][draw(st.integers(-1, 0))] = draw(NUMBERS)
    elif kind == "payload" and group:
        group["payload"] = draw(NUMBERS | st.none())
    elif kind == "dimension" and any(_shapes(header)):
        shape = draw(st.sampled_from([s for s in _shapes(header) if s]))
        shape[0] = draw(NUMBERS | st.sampled_from([-1, -(2**63), None]))
    elif header["draws"]:
        header["draws"][-1][0] = draw(NUMBERS)


def _texts(draw: st.DrawFn, header: Header, _: Arrays) -> None:
    """A label, a type, a problem or a text that contradicts the payload, or is long."""
    group = _item(draw, _groups(header))
    if group is not None:
        key = draw(st.sampled_from(["dtype", "type", "problem", "text"]))
        group[key] = draw(LABELS | TEXTS if key == "dtype" else TEXTS)
    header["evaluated_with"] = draw(st.sampled_from(["function", "eval", "eager", None]))


def _raising(draw: st.DrawFn, header: Header, _: Arrays) -> None:
    """An exception in place of a draw's values, or besides them."""
    name, stage = draw(TEXTS), draw(st.sampled_from(["step", "call", "bind", "read", "import"]))
    bases = [draw(NAMES)] * draw(st.sampled_from([1, 2, 50, 51, 5000]))
    step, place = draw(NUMBERS | st.none()), draw(TEXTS | st.none())
    header["errors"].append([name, bases, draw(TEXTS), stage, step, place])
    for row in header["draws"][: draw(st.integers(0, 3))]:
        row[0] = len(header["errors"]) - 1
    if draw(st.booleans()):
        header["values"].clear()


def _payloads(draw: st.DrawFn, header: Header, arrays: Arrays) -> None:
    """Other numbers, of another shape or dtype, than the label and the request say."""
    if not arrays:
        return
    place = draw(st.integers(0, len(arrays) - 1))
    own = arrays[place].shape
    rows = own[0] if own else 1
    others = [(rows,), (rows, 0), (rows, 1, 7), (0,), (), (rows + 1,)]
    shape = draw(st.sampled_from([own, *others]))
    filled = np.full(shape, draw(st.sampled_from([np.nan, np.inf, -0.0, 1e300])))
    with np.errstate(all="ignore"):
        arrays[place] = filled.astype(draw(st.sampled_from(DTYPES)))
    if draw(st.booleans()) and (group := _item(draw, _groups(header))) is not None:
        group["dtype"] = arrays[place].dtype.name


def _more_payloads(draw: st.DrawFn, header: Header, arrays: Arrays) -> None:
    """Payloads that belong to nothing, or in another order."""
    if draw(st.booleans()):
        arrays.extend([np.zeros(3)] * draw(st.sampled_from([1, 2, 16_000])))
    else:
        arrays.reverse()


def _of_another_kind(draw: st.DrawFn, header: Header, _: Arrays) -> None:
    for output in header["outputs"]:
        output["container"] = draw(st.sampled_from(["tensor", "list", "tuple"]))


CHANGES: dict[str, Change] = {
    "repeats": _of_lists(_repeated),
    "omissions": _of_lists(_omitted),
    "another order": _of_lists(_shuffled),
    "foreign names": _names,
    "other numbers": _numbers,
    "texts": _texts,
    "exceptions": _raising,
    "payloads": _payloads,
    "more payloads": _more_payloads,
    "another container": _of_another_kind,
}


@st.composite
def wrong_answers(draw: st.DrawFn, header: Header, arrays: Arrays) -> tuple[Header, Arrays]:
    """A right answer with one to four changes."""
    header, arrays = copy.deepcopy(header), list(arrays)
    for name in draw(st.lists(st.sampled_from(list(CHANGES)), min_size=1, max_size=4)):
        CHANGES[name](draw, header, arrays)
    return header, arrays


def expanded(data: Any) -> Any:
    """The content of a file of the corpus: `{"$times": [value, n]}` stands for n of the value."""
    if isinstance(data, list):
        return [expanded(item) for item in data]
    if not isinstance(data, dict):
        return data
    if data.keys() == {"$times"}:
        value, count = data["$times"]
        return value * count if isinstance(value, str) else [expanded(value)] * count
    return {key: expanded(value) for key, value in data.items()}
