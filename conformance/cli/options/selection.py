"""`-k EXPRESSION` and `--aspect`: the functions and aspects that a command selects."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

import click

from conformance.cli.errors import UsageProblem
from conformance.cli.options.types import Named
from conformance.near_names import did_you_mean
from conformance.results import ASPECTS, Aspect

Predicate = Callable[[str], bool]


def _with_known_words(_: click.Context, __: click.Parameter, selection: str | None) -> str | None:
    """Warn if a name in the expression selects nothing while another one does."""
    if selection:
        from conformance.specs import load  # noqa: PLC0415 - `--help` needs no specs

        specs = load()
        names = [*specs, *specs.aliases()]
        unknown = _unknown(selection, names)
        if len(unknown) < len(_words(selection)):
            for word in unknown:
                asked = f"; {question}" if (question := did_you_mean(word, names)) else ""
                click.echo(f"warning: -k: no function's name contains {word!r}{asked}", err=True)
    return selection


selection_option = click.option(
    "-k",
    "selection",
    metavar="EXPRESSION",
    callback=_with_known_words,
    help="Only functions whose names match, such as 'sum or softmax'.",
)
aspects_option = click.option(
    "--aspect",
    "aspects",
    multiple=True,
    type=Named([str(aspect) for aspect in ASPECTS]),
    help="Only this aspect; may be repeated.",
)


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """The values of `-k` and `--aspect`."""

    selection: str | None = None
    aspects: tuple[str, ...] = ()

    @property
    def select(self) -> Predicate:
        """Whether a function is selected, by its name.

        Raises:
            UsageProblem: `-k` is not an expression.
        """
        return expression(self.selection) if self.selection is not None else lambda _: True

    @property
    def chosen_aspects(self) -> list[Aspect]:
        """The aspects that are named; empty for all."""
        return [Aspect(aspect) for aspect in self.aspects]


_HELP = "write names or parts of names joined by and, or, not and parentheses: 'sum or softmax'"


def expression(text: str) -> Predicate:
    """Whether a function's name satisfies the expression.

    A name in the expression stands for all functions whose name contains it, as in pytest.

    Raises:
        UsageProblem: the text is not an expression.
    """
    if not text.strip():
        raise UsageProblem(f"-k {text!r}: it is empty", _HELP)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _predicate(tree, text)
    except SyntaxError as error:
        raise UsageProblem(
            f"-k {text!r}: not an expression: {_where(text, error)}", _HELP
        ) from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise UsageProblem(f"-k {text[:40]!r}…: nested too deep", _HELP) from error


def _where(text: str, error: SyntaxError) -> str:
    """The mistake, and its column in the text.

    Python counts from the first word, and says 0 if something is missing at the end.
    """
    if not error.offset:
        return f"something is missing at its end (column {len(text.rstrip()) + 1})"
    before = len(text) - len(text.lstrip())
    return f"{error.msg} (column {before + error.offset})"


def nothing_selected(
    selection: str | None, names: Collection[str], edition: str | None = None
) -> UsageProblem:
    """That no function is selected; it proposes names for those of `-k` that none contains."""
    where = f" of {edition}" if edition else ""
    asked = f" by -k {selection!r}" if selection else ""
    unknown = _unknown(selection or "", names)
    questions = [q for w in unknown if (q := did_you_mean(w, names))]
    hint = "; ".join(dict.fromkeys(questions)) or "`conformance list` has the functions"
    return UsageProblem(f"no function{where} is selected{asked}", hint)


def _words(selection: str) -> list[str]:
    words = dict.fromkeys(_WORD.findall(selection))
    return [word for word in words if word not in ("and", "or", "not")]


def _unknown(selection: str, names: Collection[str]) -> list[str]:
    """The words of an expression that no name contains."""
    words = _words(selection)
    return [word for word in words if not any(word.lower() in name.lower() for name in names)]


def no_such_aspect(asked: Collection[str], offered: Collection[str], edition: str) -> UsageProblem:
    """That the selected functions are to be judged by aspects that none of them has."""
    message = f"no selected function of {edition} has the aspect {' or '.join(asked)}"
    return UsageProblem(message, f"leave out --aspect, or write one of {', '.join(offered)}")


_WORD = re.compile(r"[A-Za-z_][\w.]*")


def _is_dotted(node: ast.expr) -> bool:
    """Whether it is a name, or names joined by dots such as `keras.ops.sum`."""
    if isinstance(node, ast.Attribute):
        return _is_dotted(node.value)
    return isinstance(node, ast.Name)


def _predicate(node: ast.expr, text: str) -> Predicate:
    if _is_dotted(node):
        part = ast.unparse(node).lower()
        return lambda name: part in name.lower()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _predicate(node.operand, text)
        return lambda name: not inner(name)
    if isinstance(node, ast.BoolOp):
        parts = [_predicate(value, text) for value in node.values]
        join = all if isinstance(node.op, ast.And) else any
        return lambda name: join(part(name) for part in parts)
    raise UsageProblem(f"-k {text!r}: {ast.unparse(node)!r} is not a name", _HELP)
