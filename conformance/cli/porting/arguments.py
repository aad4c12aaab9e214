"""What the source says of the arguments of a use, and of what a table makes conditional on them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from conformance.adapters.mappings import Row
from conformance.specs.signature import Signature

Given = Mapping[str, ast.expr]
"""The source of what each parameter was given, by its newest name."""
Arguments = Mapping[str, Any]
"""The value of each argument; a tensor is what stands for it in a program."""

LAYOUTS = {"th": "channels_first", "tf": "channels_last"}
"""The words of Keras 1 for the layout of images."""
_LAYOUT_PARAMETERS = frozenset({"data_format", "dim_ordering"})
REFUSES = "refuses"
_UNSEEN = object()


def passed(
    call: ast.Call, documented: Signature, renamed: Mapping[str, str]
) -> dict[str, ast.expr] | None:
    """What each parameter was given; None where that cannot be told: of `*` and `**`, and of what
    no parameter takes. The words of Keras 1 for a layout are those of today."""
    names = [parameter.name for parameter in documented.parameters]
    keywords = {renamed.get(k.arg, k.arg): k.value for k in call.keywords if k.arg is not None}
    if _spreads(call) or len(call.args) > len(names) or not keywords.keys() <= {*names}:
        return None
    found = dict(zip(names, call.args, strict=False)) | keywords
    return {name: _today(name, node) for name, node in found.items()}


def misfit(call: ast.Call, documented: Signature, given: Given | None) -> Iterator[str]:
    """That no parameter takes one of the arguments."""
    if given is None and not _spreads(call):
        yield f"its arguments are not those of {documented}"


def old_words(call: ast.Call) -> Iterator[str]:
    """That an argument is a word of Keras 1 for a layout, where the source does not say which."""
    for keyword in call.keywords:
        if keyword.arg == "dim_ordering" and not isinstance(keyword.value, ast.Constant):
            words = " and ".join(f"{new!r} for {old!r}" for old, new in LAYOUTS.items())
            yield f"the words are {words}"


def _spreads(call: ast.Call) -> bool:
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    return starred or any(k.arg is None for k in call.keywords)


def _today(name: str, node: ast.expr) -> ast.expr:
    word = node.value if isinstance(node, ast.Constant) else None
    if name in _LAYOUT_PARAMETERS and isinstance(word, str):
        return ast.Constant(LAYOUTS.get(word, word))
    return node


def literal(node: ast.expr) -> Any:
    """The value of an expression; what the source does not say is equal to nothing."""
    if isinstance(node, ast.Tuple | ast.List):
        items = [literal(item) for item in node.elts]
        return tuple(items) if isinstance(node, ast.Tuple) else items
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _UNSEEN


def refusals(row: Row, documented: Signature, given: Given | None) -> Iterator[str]:
    """What the new call refuses of these arguments, for certain or perhaps."""
    for condition, reason in row.refuses.items():
        holds = _holds(condition, documented, given)
        if holds is None:
            yield f"may refuse (where {condition}): {reason}"
        elif holds:
            yield f"{REFUSES}: {reason}"


def claims(
    row: Row, documented: Signature, given: Given | None, unshown: Collection[str]
) -> Iterator[str]:
    """What the table says of such arguments, which results have borne out. `unshown` are the
    targets whose results show no case with such arguments: what it says of one of these alone
    concerns other uses."""
    said = {"differs": row.differs} if row.differs else {}
    said |= {target: says for target, says in row.on.items() if target not in unshown}
    for where, says in said.items():
        condition = row.when.get(where, "True")
        holds = _holds(condition, documented, given)
        parts = [f"on {where}"] if where in row.on else []
        parts += [f"where {condition}"] if holds is None else []
        if holds is not False:
            yield f"{' '.join(parts)}: {says}" if parts else says


def concerned(
    shown: Sequence[str], row: Row, documented: Signature, given: Given | None, case: Arguments
) -> list[str]:
    """The targets, of those that a case was shown on, whose condition does not tell the case from
    these arguments."""
    return [
        target
        for target in shown
        if (condition := row.when.get(target)) is None
        or not _true(condition, {**_defaults(documented), **case})
        or _holds(condition, documented, given) is not False
    ]


def _holds(condition: str, documented: Signature, given: Given | None) -> bool | None:
    """Whether a condition of the table holds; None if it rests on what the source does not say."""
    values = _defaults(documented)
    values |= {name: literal(node) for name, node in (given or {}).items()}
    used = {n.id for n in ast.walk(ast.parse(condition)) if isinstance(n, ast.Name)}
    unseen = any(values.get(name) is _UNSEEN for name in used)
    return None if unseen or (given is None and used) else _true(condition, values)


def _defaults(documented: Signature) -> dict[str, Any]:
    return {p.name: p.value for p in documented.parameters if not p.required}


def _true(condition: str, values: Arguments) -> bool | None:
    """The table is the suite's own; the values are literals, or parts of a case."""
    try:
        return bool(eval(condition, {}, dict(values)))  # noqa: S307 - the suite's own table
    except Exception:
        return None
