"""`conformance migration --diff` and `--write`: old code with new calls in place of old ones.

Inner calls are translated first. An argument that the old call leaves out stays out if both
defaults are the same. A replacement of several lines becomes a function at the top of the file,
which the call then names. Calls that nothing replaces stay as they are, with the reason.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import libcst as cst
from libcst import matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from conformance.cli.migration.advice import LAYOUTS, Advice, Outcome, old_names
from conformance.cli.migration.bindings import BACKENDS
from conformance.cli.migration.seeds import NAME, needs
from conformance.cli.migration.uses import Kind, Use
from conformance.editions import edition_files
from conformance.specs.docstrings import Docstring, load_docstrings
from conformance.specs.signature import Parameter, Signature, parse

Place = tuple[int, int, int, int]
"""The first line and column of an expression, and those of its end; columns from 1."""
Bound = Mapping[str, cst.BaseExpression]
_ATOMS = (
    *(cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.List, cst.Dict, cst.Set),
    *(cst.BaseNumber, cst.BaseString, cst.ListComp, cst.DictComp),
)
_SIMPLE = (cst.Name, cst.Attribute, cst.BaseNumber, cst.BaseString)
"""Expressions that may be written twice: nothing is computed twice by it."""
_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
_GENERATOR = re.compile(rf"(?:self\.)?\b{NAME}\b")
PREFIX = "k_"
"""Before the name of a function of K that is defined at the top of a file."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """A use that needs a person: it stays as it is, or its new call needs a name."""

    use: Use
    reason: str


@dataclass(slots=True)
class Translation:
    """One file, before and after."""

    file: Path
    before: str
    after: str = ""
    translated: int = 0
    remaining: list[Remaining] = field(default_factory=list)
    """The uses that stay as they are."""
    incomplete: list[Remaining] = field(default_factory=list)
    """The translated uses whose new call needs another change: a seed generator, or a new name."""

    def diff(self) -> str:
        """The change as a patch; empty if there is none."""
        lines = (self.before.splitlines(keepends=True), self.after.splitlines(keepends=True))
        name = self.file.as_posix().lstrip("/")
        return "".join(difflib.unified_diff(*lines, f"a/{name}", f"b/{name}"))


def translate(file: Path, source: str, pieces: Sequence[Advice]) -> Translation:
    """A file's source with the new calls; `pieces` is the advice on its uses."""
    result = Translation(file, source)
    context = CodemodContext(filename=str(file))
    wrapper = MetadataWrapper(cst.parse_module(source))
    visitor = _Translator(
        {_place(piece.use): piece for piece in pieces if _is_for_translator(piece)}, result
    )
    by_hand = [piece for piece in pieces if not _is_for_translator(piece)]
    result.remaining += [Remaining(piece.use, "; ".join(piece.says)) for piece in by_hand]
    module = wrapper.visit(visitor)
    if visitor.calls:
        module = _with_definitions(module, visitor.definitions)
        module = _with_imports(module, context, [*visitor.calls, *visitor.definitions.values()])
    result.after = module.code
    result.translated = len(visitor.calls) + visitor.assignments
    return result


def _is_for_translator(piece: Advice) -> bool:
    """Whether the translator looks at a use; a person changes the others."""
    return piece.use.kind is Kind.FUNCTION or piece.use.is_safe


def _place(use: Use) -> Place:
    return use.line, use.column, use.end_line, use.end_column


def _with_imports(module: cst.Module, context: CodemodContext, calls: Sequence[str]) -> cst.Module:
    """The module with the imports of the new calls, and without those that nothing needs."""
    AddImportsVisitor.add_needed_import(context, "keras")
    if any("np." in call for call in calls):
        AddImportsVisitor.add_needed_import(context, "numpy", asname="np")
    for node in m.findall(module, m.Import()):
        _forget_module(node, context)
    for node in m.findall(module, m.ImportFrom()):
        _forget(node, context)
    module = AddImportsVisitor(context).transform_module(module)
    return RemoveImportsVisitor(context).transform_module(module)


def _with_definitions(module: cst.Module, definitions: Mapping[str, str]) -> cst.Module:
    """The module with functions after its first imports."""
    new = [
        cst.parse_statement(definitions[name]).with_changes(leading_lines=_blank_lines())
        for name in sorted(definitions)
    ]
    is_import = m.SimpleStatementLine([m.OneOf(m.Import(), m.ImportFrom())])
    places = [n + 1 for n, line in enumerate(module.body) if m.matches(line, is_import)]
    place = max(places, default=0)
    after = [_apart(line) if new and not n else line for n, line in enumerate(module.body[place:])]
    return module.with_changes(body=[*module.body[:place], *new, *after])


def _apart(line: cst.CSTNode) -> cst.CSTNode:
    """The first statement after a function, with two blank lines before it."""
    assert isinstance(line, cst.SimpleStatementLine | cst.BaseCompoundStatement)
    lines = list(line.leading_lines)
    while lines and lines[0].comment is None:
        lines.pop(0)
    return line.with_changes(leading_lines=[*_blank_lines(), *lines])


def _blank_lines() -> list[cst.EmptyLine]:
    return [cst.EmptyLine(indent=False), cst.EmptyLine(indent=False)]


def _forget(node: cst.CSTNode, context: CodemodContext) -> None:
    """Ask to remove an import of the backend, unless something still needs it."""
    assert isinstance(node, cst.ImportFrom)
    module = "" if node.module is None else cst.helpers.get_full_name_for_node_or_raise(node.module)
    if node.relative or isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        name, known_as = alias.evaluated_name, alias.evaluated_alias
        if module in BACKENDS or f"{module}.{name}" in BACKENDS:
            RemoveImportsVisitor.remove_unused_import(context, module, name, known_as)


def _forget_module(node: cst.CSTNode, context: CodemodContext) -> None:
    """Ask to remove `import keras.backend as K`, unless something still needs it."""
    assert isinstance(node, cst.Import)
    for alias in node.names:
        if alias.evaluated_name in BACKENDS and (known_as := alias.evaluated_alias):
            module = alias.evaluated_name
            RemoveImportsVisitor.remove_unused_import(context, module, asname=known_as)


class _Translator(cst.CSTTransformer):
    """Puts new calls in place of those on which there is advice."""

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, pieces: Mapping[Place, Advice], result: Translation) -> None:
        super().__init__()
        self._pieces, self._result = pieces, result
        self.calls: list[str] = []
        """The replacements of the translated uses, as the table has them."""
        self.definitions: dict[str, str] = {}
        """The source of functions that calls name, by the function of K."""
        self.assignments = 0
        """How many augmented assignments became plain ones."""

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """A call of a function of K."""
        return self._changed(original_node, updated_node)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """A mention of a function of K."""
        return self._changed(original_node, updated_node)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """A mention of a function of K that was imported by name."""
        return self._changed(original_node, updated_node)

    def leave_AugAssign(
        self, original_node: cst.AugAssign, updated_node: cst.AugAssign
    ) -> cst.BaseSmallStatement:
        """`e /= K.sum(e)` becomes `e = e / keras.ops.sum(e)`, which changes no array in place."""
        where = self.get_metadata(PositionProvider, original_node, None)
        if not isinstance(where, CodeRange) or _of(where) not in self._pieces:
            return updated_node
        self.assignments += 1
        return _plain(updated_node)

    def _changed(
        self, original: cst.BaseExpression, updated: cst.BaseExpression
    ) -> cst.BaseExpression:
        where = self.get_metadata(PositionProvider, original, None)
        piece = self._pieces.get(_of(where)) if isinstance(where, CodeRange) else None
        if piece is None or isinstance(updated, cst.Call) != (piece.use.call is not None):
            return updated
        new = _replaced(piece, updated)
        if isinstance(new, str):
            self._result.remaining.append(Remaining(piece.use, new))
            return updated
        if new is None:
            new = self._named(piece, updated)
        self.calls.append(piece.template)
        if generator := _GENERATOR.search(piece.template):
            self._result.incomplete.append(Remaining(piece.use, needs(generator[0])))
        for says in old_names(piece.use.call) if piece.use.call else ():
            self._result.incomplete.append(Remaining(piece.use, says))
        return new.with_changes(lpar=[*updated.lpar, *new.lpar], rpar=[*new.rpar, *updated.rpar])

    def _named(self, piece: Advice, updated: cst.BaseExpression) -> cst.BaseExpression:
        """The call of a function at the top of the file, or its name."""
        assert piece.documented is not None
        lines = piece.template.split("\n")
        body = lines if len(lines) > 1 else [f"return {lines[0]}"]
        name = piece.documented.name
        head = f"def {PREFIX}{name}({_parameters(piece.documented)}):"
        self.definitions[name] = "".join(
            f"{line}\n" for line in (head, *(f"    {x}" for x in body))
        )
        if not isinstance(updated, cst.Call):
            return cst.Name(f"{PREFIX}{name}")
        args = [_renamed(argument, piece.renamed) for argument in updated.args]
        return updated.with_changes(func=cst.Name(f"{PREFIX}{name}"), args=args)


def _plain(node: cst.AugAssign) -> cst.Assign:
    """The assignment of a new value in place of an augmented one."""
    operator = getattr(cst, type(node.operator).__name__.removesuffix("Assign"))
    value = cst.BinaryOperation(node.target, operator(), _whole(node.value))
    return cst.Assign([cst.AssignTarget(node.target)], value, semicolon=node.semicolon)


def _parameter(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f"={parameter.default}"
    return f"{parameter.name}{default}"


def _parameters(documented: Signature) -> str:
    """The parameters of a function's definition, `*args` and `**kwargs` among them."""
    plain = [_parameter(p) for p in documented.parameters]
    starred = f"*{documented.starred.name}" if documented.starred else "*"
    named = [_parameter(p) for p in documented.named]
    rest = [f"**{documented.keywords.name}"] if documented.keywords else []
    return ", ".join([*plain, *([starred] if documented.starred or named else []), *named, *rest])


def _renamed(argument: cst.Arg, renamed: Mapping[str, str]) -> cst.Arg:
    """The argument with the newest name of its parameter."""
    if argument.keyword is None:
        return argument
    name = renamed.get(argument.keyword.value, argument.keyword.value)
    return argument.with_changes(keyword=cst.Name(name), value=_today(name, argument.value))


def _of(where: CodeRange) -> Place:
    return where.start.line, where.start.column + 1, where.end.line, where.end.column + 1


def _replaced(piece: Advice, updated: cst.BaseExpression) -> cst.BaseExpression | str | None:
    """The new expression; the reason if there is none; None if a function has to be defined."""
    if piece.outcome in (Outcome.ABSENT, Outcome.UNKNOWN, Outcome.UNFINISHED, Outcome.REFUSED):
        return "; ".join(piece.says)
    if piece.documented is None:
        return updated  # K has the function to this day
    if "\n" in piece.template:
        return None
    if isinstance(updated, cst.Call):
        return _called(piece, piece.documented, updated)
    return _mentioned(piece.template, piece.documented)


def _called(piece: Advice, documented: Signature, call: cst.Call) -> cst.BaseExpression | None:
    """The new call with the arguments of the old one; None unless each is written out, and once."""
    bound = _bound(call, documented, piece.renamed)
    if bound is None:
        return None
    counts = Counter(n.id for n in ast.walk(ast.parse(piece.template)) if isinstance(n, ast.Name))
    if any(counts[n] > 1 and not isinstance(node, _SIMPLE) for n, node in bound.items()):
        return None
    new = cst.parse_expression(piece.template).visit(_Filling(bound, _defaults(documented)))
    assert isinstance(new, cst.BaseExpression)
    return _whole(new)


def _mentioned(template: str, documented: Signature) -> cst.BaseExpression | None:
    """The name of the new function, if it takes the arguments of the old one in their order."""
    tree = ast.parse(template, mode="eval").body
    names = [parameter.name for parameter in documented.parameters]
    if not isinstance(tree, ast.Call) or tree.keywords:
        return None
    same = [ast.unparse(argument) for argument in tree.args] == names
    return cst.parse_expression(ast.unparse(tree.func)) if same else None


def _bound(
    call: cst.Call, documented: Signature, renamed: Mapping[str, str]
) -> dict[str, cst.BaseExpression] | None:
    """The written arguments by the newest name of their parameters."""
    names = [parameter.name for parameter in documented.parameters]
    bound: dict[str, cst.BaseExpression] = {}
    for number, argument in enumerate(call.args):
        if argument.star or (argument.keyword is None and number >= len(names)):
            return None
        written = names[number] if argument.keyword is None else argument.keyword.value
        name = renamed.get(written, written)
        if name not in names:
            return None
        bound[name] = _today(name, argument.value)
    required = {p.name for p in documented.parameters if p.required}
    return bound if required <= bound.keys() else None


def _today(name: str, node: cst.BaseExpression) -> cst.BaseExpression:
    """The word of today for a layout."""
    if name == "data_format" and isinstance(node, cst.SimpleString):
        word = node.evaluated_value
        if isinstance(word, str) and word in LAYOUTS:
            return node.with_changes(value=repr(LAYOUTS[word]))
    return node


def _defaults(documented: Signature) -> dict[str, str]:
    return {p.name: p.default for p in documented.parameters if p.default is not None}


def _whole(node: cst.BaseExpression) -> cst.BaseExpression:
    """The expression in parentheses, unless it needs none wherever it stands."""
    if isinstance(node, _ATOMS) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


class _Filling(cst.CSTTransformer):
    """Puts arguments in place of the parameters of a template."""

    def __init__(self, bound: Bound, defaults: Mapping[str, str]) -> None:
        super().__init__()
        self._bound, self._defaults = bound, defaults

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        """A parameter becomes its argument, or its default."""
        name = original_node.value
        if name in self._bound:
            return _whole(self._bound[name])
        return (
            cst.parse_expression(self._defaults[name]) if name in self._defaults else updated_node
        )

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        """Keep the name of an attribute."""
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        """Keep the name of a keyword; an argument needs no parentheses."""
        value = original_node.value
        if isinstance(value, cst.Name) and value.value in self._bound:
            updated_node = updated_node.with_changes(value=self._bound[value.value])
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Leave out what the old call leaves out, where the defaults are the same."""
        known = _new_defaults(cst.Module([]).code_for_node(original_node.func))
        args: list[cst.Arg] = []
        omitted = False
        for number, argument in enumerate(updated_node.args):
            old, place = original_node.args[number], known[number][0] if number < len(known) else ""
            name = place if old.keyword is None else old.keyword.value
            if self._is_default(old.value, dict(known).get(name)):
                omitted = True
            elif omitted and argument.keyword is None:
                args.append(cst.Arg(argument.value, cst.Name(name), equal=_EQUAL))
            else:
                args.append(argument)
        if args:
            args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return updated_node.with_changes(args=args)

    def _is_default(self, node: cst.BaseExpression, default: str | None) -> bool:
        """Whether the old call leaves a parameter out whose default is also that of the new one."""
        if not isinstance(node, cst.Name) or node.value in self._bound or default is None:
            return False
        return self._defaults.get(node.value) == default


@cache
def _docstrings() -> Mapping[str, Docstring]:
    """The functions of Keras 3 whose docstrings the suite knows."""
    documents = [d for files in edition_files() for d in files.documents]
    return {
        name: docstring
        for document in documents
        for name, docstring in (load_docstrings(document) or {}).items()
    }


def _new_defaults(function: str) -> Sequence[tuple[str, str | None]]:
    """The parameters of a function of Keras 3 with their defaults, as far as its docstring says."""
    docstring = _docstrings().get(function)
    if docstring is None:
        return ()
    documented = parse(f"{function}{docstring.signature}")
    return [(p.name, p.default) for p in documented.parameters]


def summary(translations: Sequence[Translation]) -> Iterator[str]:
    """A line for each file, and one for each use that a person has to look at."""
    for translation in translations:
        if translation.translated or translation.remaining:
            counts = f"{translation.translated} translated, {len(translation.remaining)} left"
            yield f"{translation.file}: {counts}"
        unfinished = [*translation.remaining, *translation.incomplete]
        for rest in sorted(unfinished, key=lambda rest: (rest.use.line, rest.use.column)):
            yield f"  {rest.use.line}:{rest.use.column} {rest.use.text}: {rest.reason}"
