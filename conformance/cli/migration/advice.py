"""The replacement of a use of K in Keras 3, and its known differences."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from conformance.adapters.mappings import MappingRow, MappingTable, Ported
from conformance.cli.migration.uses import Kind, Use
from conformance.oracle.variants.numbers import NARROW
from conformance.program import Step, from_json
from conformance.program.codec import ProgramError
from conformance.reporting.migration import tried
from conformance.results import Failure, Results, Verdict
from conformance.results.scores import DEVIATIONS
from conformance.specs import Specs
from conformance.specs.signature import Signature, parse

Given = Mapping[str, ast.expr]
"""The source of each argument, by the newest name of its parameter."""
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
    """The argument of each parameter; None if it is unknown: with `*`, `**` and no such parameter.

    The words of Keras 1 for a layout become those of today.
    """
    names = [parameter.name for parameter in documented.parameters]
    keywords = {renamed.get(k.arg, k.arg): k.value for k in call.keywords if k.arg is not None}
    if _spreads(call) or len(call.args) > len(names) or not keywords.keys() <= {*names}:
        return None
    nodes = dict(zip(names, call.args, strict=False)) | keywords
    return {name: _today(name, node) for name, node in nodes.items()}


def misfit(call: ast.Call, documented: Signature, renamed: Mapping[str, str]) -> Iterator[str]:
    """That no parameter takes one of the arguments."""
    names = {p.name for p in (*documented.parameters, *documented.named)}
    keywords = {renamed.get(k.arg, k.arg) for k in call.keywords if k.arg is not None}
    unknown = not documented.keywords and not keywords <= names
    many = not documented.starred and len(call.args) > len(documented.parameters)
    if unknown or (many and not _spreads(call)):
        yield f"its arguments are not those of {documented}"


def old_names(call: ast.Call) -> Iterator[str]:
    """That an attribute in the arguments has another name in Keras 3."""
    for node in (*call.args, *(keyword.value for keyword in call.keywords)):
        if isinstance(node, ast.Attribute) and node.attr == "lr":
            owner = ast.unparse(node.value)
            yield f"an optimizer of Keras 3 has no lr: write {owner}.learning_rate"


KERNEL = (
    "a kernel of 'th' has the order (filters, channels, rows, columns), and keras.ops takes"
    " (rows, columns, channels, filters): in two dimensions transpose it by (2, 3, 1, 0)"
)


def _names_kernel(call: ast.Call, documented: Signature) -> bool:
    """Whether a call has a kernel that may be in the order of Keras 1 and Theano."""
    words = [literal(k.value) for k in call.keywords if k.arg == "dim_ordering"]
    return words != ["tf"] and any(p.name == "kernel" for p in documented.parameters)


def old_words(call: ast.Call, documented: Signature) -> Iterator[str]:
    """The changes besides the word that an argument of Keras 1 for a layout needs."""
    for keyword in call.keywords:
        if keyword.arg == "dim_ordering" and not isinstance(keyword.value, ast.Constant):
            words = " and ".join(f"{new!r} for {old!r}" for old, new in LAYOUTS.items())
            yield f"the words are {words}"
        if keyword.arg == "dim_ordering" and _names_kernel(call, documented):
            yield KERNEL


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


def refusals(row: MappingRow, documented: Signature, arguments: Given | None) -> Iterator[str]:
    """The refusals of the new call for these arguments, certain or possible."""
    for condition, reason in row.refuses.items():
        holds = _holds(condition, documented, arguments)
        if holds is None:
            yield f"may refuse (where {condition}): {reason}"
        elif holds:
            yield f"{REFUSES}: {reason}"


def claims(
    row: MappingRow, documented: Signature, arguments: Given | None, unshown: Collection[str]
) -> Iterator[tuple[str, bool]]:
    """The statements of the table on such arguments, as results confirm them, each with whether it
    concerns numbers of 64 bits alone.

    `unshown` are the targets whose results show no case with such arguments. A statement on one
    of these targets alone concerns other uses.
    """
    statements = {"differs": row.differs} if row.differs else {}
    statements |= {target: says for target, says in row.on.items() if target not in unshown}
    for where, says in statements.items():
        condition = row.when.get(where, "True")
        holds = _holds(condition, documented, arguments)
        parts = [f"on {where}"] if where in row.on else []
        parts += [f"where {condition}"] if holds is None else []
        if holds is not False:
            yield f"{' '.join(parts)}: {says}" if parts else says, where in row.wide


def concerned(
    shown: Sequence[str],
    row: MappingRow,
    documented: Signature,
    arguments: Given | None,
    case: Arguments,
) -> list[str]:
    """The targets, of those that a case was shown on, whose condition does not tell the case from
    these arguments."""
    return [
        target
        for target in shown
        if (condition := row.when.get(target)) is None
        or not _true(condition, {**_defaults(documented), **case})
        or _holds(condition, documented, arguments) is not False
    ]


def _holds(condition: str, documented: Signature, arguments: Given | None) -> bool | None:
    """Whether a condition of the table holds; None if the source leaves it open."""
    values = _defaults(documented)
    values |= {name: literal(node) for name, node in (arguments or {}).items()}
    used = {n.id for n in ast.walk(ast.parse(condition)) if isinstance(n, ast.Name)}
    unseen = any(values.get(name) is _UNSEEN for name in used)
    return None if unseen or (arguments is None and used) else _true(condition, values)


def _defaults(documented: Signature) -> dict[str, Any]:
    return {p.name: p.value for p in documented.parameters if not p.required}


def _true(condition: str, values: Arguments) -> bool | None:
    """The table is the suite's own; the values are literals, or parts of a case."""
    try:
        return bool(eval(condition, {}, dict(values)))  # noqa: S307 - the suite's own table
    except Exception:
        return None


@dataclass(frozen=True, slots=True)
class ShownAdvice:
    """A case in which the new call is not as documented, and on which targets."""

    failure: Failure
    targets: Sequence[str]


def bearing(
    name: str,
    row: MappingRow,
    documented: Signature,
    arguments: Given | None,
    results: Sequence[Results],
) -> Iterator[tuple[ShownAdvice, str]]:
    """The cases that such arguments have, with the targets that they concern, and whether the
    arguments are those of the case."""
    for shown in _shown(name, results):
        call = _call(shown.failure, name, documented)
        applies = _applies(call, documented, arguments)
        on = concerned(shown.targets, row, documented, arguments, call or {})
        if applies is not None and on:
            yield replace(shown, targets=on), applies


def case_lines(cases: Iterable[tuple[ShownAdvice, str]]) -> Iterator[tuple[str, bool]]:
    """The failing cases that such arguments have, each once with its targets, and whether it has
    numbers of 64 bits."""
    for shown, applies in cases:
        if shown.failure.verdict in DEVIATIONS:
            where = ", ".join(shown.targets)
            line = f"{applies} on {where}: {shown.failure.message} ({shown.failure.id})"
            yield line, _is_wide(shown.failure)


def _is_wide(failure: Failure) -> bool:
    """Whether a tensor of the failing call has numbers of 64 bits."""
    try:
        inputs = from_json(failure.program).inputs
    except ProgramError:
        return False
    return any(tensor.dtype in NARROW for tensor in inputs)


_SHOWING = (*DEVIATIONS, Verdict.DIVERGES, Verdict.UNSUPPORTED)
"""The verdicts by which a case shows that something differs."""


def _shown(name: str, results: Sequence[Results]) -> list[ShownAdvice]:
    cases: dict[str, ShownAdvice] = {}
    for run in results:
        for entry in tried([f for f in run.functions if f.function == name], _SHOWING):
            failure = entry.failure
            if failure is not None:
                known = cases.get(failure.id)
                targets = [*(known.targets if known else ()), run.target.name]
                shown = known.failure if known else failure
                cases[failure.id] = ShownAdvice(shown, targets)
    return list(cases.values())


def _applies(
    call: dict[str, Any] | None, documented: Signature, arguments: Given | None
) -> str | None:
    """How a failing case bears on a use; None if it needs an argument that the use does not pass.

    A case is made as small as it goes: an argument that it passes, and that is not the default,
    belongs to what fails.
    """
    if call is None or arguments is None:
        return "may differ"
    needed = _needed(call, documented)
    if not needed.keys() <= arguments.keys():
        return None
    literals = {parameter: literal(arguments[parameter]) for parameter in needed}
    if all(_equal(literals[parameter], value) for parameter, value in needed.items()):
        return "differs"
    return "may differ"


def _equal(a: Any, b: Any) -> bool:
    """Whether two arguments are the same; a list and a tuple of the same items are."""
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_equal, a, b))
    return type(a) is type(b) and bool(a == b)


def _call(failure: Failure, name: str, documented: Signature) -> dict[str, Any] | None:
    """The arguments of the failing call; None if no single call fails."""
    try:
        steps = from_json(failure.program).steps
    except ProgramError:
        return None
    calls = [step for step in steps if step.function == name]
    return _arguments(calls[0], documented) if len(calls) == 1 else None


def _needed(call: dict[str, Any], documented: Signature) -> dict[str, Any]:
    """The arguments but tensors and defaults."""
    defaults = {p.name: p.value for p in documented.parameters if not p.required}
    plain = {p: v for p, v in call.items() if _is_plain(v)}
    return {p: v for p, v in plain.items() if p not in defaults or not _equal(defaults[p], v)}


def _arguments(step: Step, documented: Signature) -> dict[str, Any]:
    names = [parameter.name for parameter in documented.parameters]
    return {**dict(zip(names, step.args, strict=False)), **dict(step.kwargs)}


def _is_plain(value: Any) -> bool:
    """Whether it neither is nor holds a tensor."""
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, bool | int | float | str)


class Outcome(StrEnum):
    """The outcome for a use, the gravest last."""

    SAME = "same"
    """The new call does the same."""
    SAME_IN_32_BITS = "same in 32 bits"
    """The new call differs only for float64 and integers of 64 bits."""
    UNKNOWN = "undocumented"
    """No document of the API has such a function, and no call is known for it."""
    DIFFERS = "differs"
    """The new call does something else, at least on one backend, for such arguments."""
    UNFINISHED = "unfinished"
    """A person must change it: the suite cannot translate it, or its translation lacks a name."""
    REFUSED = "refused"
    """The new call refuses these arguments."""
    ABSENT = "absent"
    """Nothing takes its place."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The advice on one use."""

    use: Use
    outcome: Outcome
    replacement: str = ""
    """The new expression, or the lines of a function; empty where nothing takes its place."""
    says: Sequence[str] = field(default_factory=tuple)
    """The differences, in words."""
    wide: frozenset[str] = frozenset()
    """Those of `says` that concern numbers of 64 bits alone."""
    template: str = ""
    """The new expression over the documented parameters."""
    documented: Signature | None = None
    """The parameters; None if no row of the table has the function."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """The older names of parameters, and the newest."""


def advice(use: Use, table: MappingTable, specs: Specs, results: Sequence[Results]) -> Advice:
    """The outcome for a use; `results` are those of targets with the table as mapping."""
    if use.kind is not Kind.FUNCTION:
        outcome = Outcome.DIFFERS if use.kind is Kind.ASSIGNMENT else Outcome.UNFINISHED
        return Advice(use, outcome, use.replacement, use.says)
    name = specs.aliases().get(use.name, use.name)
    if name in table.absent:
        return Advice(use, Outcome.ABSENT, "", (table.absent[name],))
    row = table.functions.get(name)
    if row is None:
        return _without_row(use, table, known=name in specs)
    documented = parse(f"{name}({row.old})")
    arguments = passed(use.call, documented, specs[name].renamed) if use.call else None
    ported = _ported(row, use)
    template = (row.new if ported is None else _owned(ported.new, use)).strip()
    new = filled(template, documented, arguments)
    refused = tuple(refusals(row, documented, arguments))
    cases = list(bearing(name, row, documented, arguments, results))
    judged = {run.target.name for run in results}
    unshown = judged - {target for shown, _ in cases for target in shown.targets}
    unfit = tuple(misfit(use.call, documented, specs[name].renamed)) if use.call else ()
    shown = [*claims(row, documented, arguments, unshown), *case_lines(cases)]
    says = (*refused, *unfit, *_written(use, documented), *([ported.says] if ported else ()))
    says += (*(text for text, _ in shown), *_array_axes(arguments), *_left_out(row, arguments))
    wide = frozenset(text for text, of_64_bits in shown if of_64_bits)
    outcome = outcome_of(says, wide)
    if any(text.startswith(REFUSES) for text in refused):
        outcome = Outcome.REFUSED
    elif unfit:
        outcome = Outcome.UNFINISHED
    return Advice(use, outcome, new, says, wide, template, documented, specs[name].renamed)


def outcome_of(says: Collection[str], wide: Collection[str]) -> Outcome:
    """The outcome for a use that can be translated, with these differences."""
    if not says:
        return Outcome.SAME
    return Outcome.SAME_IN_32_BITS if {*says} <= {*wide} else Outcome.DIFFERS


def _without_row(use: Use, table: MappingTable, *, known: bool) -> Advice:
    """The advice on a function that the table does not replace: keep the call, or it is absent."""
    if use.name in table.kept:
        return Advice(use, Outcome.SAME, use.text)
    reason = "no call is known for it" if known else "no document of the API has it, nor Keras 3"
    return Advice(use, Outcome.UNKNOWN, "", (reason,))


def _written(use: Use, documented: Signature) -> Iterator[str]:
    """The changes that the written arguments need."""
    if use.call is not None:
        yield from old_words(use.call, documented)
        yield from old_names(use.call)


_AXES = frozenset({"axis", "axes", "pattern"})
TORCH = "keras3-torch"


def _array_axes(arguments: Given | None) -> Iterator[str]:
    """That an axis may be an array, where the source does not say."""
    for name in sorted(_AXES & (arguments or {}).keys()):
        if isinstance((arguments or {})[name], ast.Call):
            yield f"on {TORCH}: an array as {name} is refused: write a tuple of integers"


def _left_out(row: MappingRow, arguments: Given | None) -> Iterator[str]:
    if left_out := [n for n in row.untaken("_") if arguments is not None and n in arguments]:
        yield f"takes no {', '.join(left_out)}"


def _ported(row: MappingRow, use: Use) -> Ported | None:
    """The call for a porter, if this use needs another one than the table's."""
    applies = row.ported is not None and (row.ported.everywhere or bool(use.within))
    return row.ported if applies else None


def _owned(new: str, use: Use) -> str:
    """The seed generator is an attribute in a method."""
    owner = "self." if use.within == "method" else ""
    return new.replace("seed_generator", f"{owner}seed_generator")


def filled(new: str, documented: Signature, arguments: Given | None) -> str:
    """A new call with the arguments of the old one, or as the table has it."""
    required = {p.name for p in documented.parameters if p.required}
    if "\n" in new or arguments is None or not required <= arguments.keys():
        return new
    defaults = {
        p.name: ast.parse(p.default, mode="eval").body
        for p in documented.parameters
        if p.default is not None
    }
    tree = _Filling({**defaults, **arguments}).visit(ast.parse(new, mode="eval"))
    return " ".join(ast.unparse(tree).split())


class _Filling(ast.NodeTransformer):
    """Puts arguments in place of parameters."""

    def __init__(self, arguments: Given) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The argument, if the name is a parameter."""
        return self._arguments.get(node.id, node)
