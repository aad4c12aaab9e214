"""The names in a file that stand for the backend, its parents and its functions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from contextlib import contextmanager

_PARENTS = (
    "keras",
    "keras._legacy",
    "keras.src.legacy",
    "keras.api._v1.keras",
    "keras.api._v2.keras",
    "tf_keras",
    "tensorflow.keras",
    "tensorflow.python.keras",
    "tensorflow.compat.v1.keras",
    "tensorflow.compat.v2.keras",
    "tensorflow.contrib.keras",
)
_PARTS = ("tensorflow_backend", "theano_backend", "cntk_backend", "mxnet_backend", "common")
"""The modules below `keras.backend` that define its functions."""
BACKENDS = frozenset(
    module
    for parent in _PARENTS
    for module in (f"{parent}.backend", *(f"{parent}.backend.{part}" for part in _PARTS))
)
"""The modules that are K."""
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope in their order, without the contents of the scopes inside it."""
    for node in ast.iter_child_nodes(scope):
        yield node
        if not isinstance(node, _SCOPES):
            yield from own_nodes(node)


def parameters(function: Function) -> Iterator[tuple[str, ast.expr | None]]:
    """The parameters of a function with their defaults."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    required = len(plain) - len(arguments.defaults)
    for number, parameter in enumerate(plain):
        yield parameter.arg, arguments.defaults[number - required] if number >= required else None
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield parameter.arg, default
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            yield rest.arg, None


def assignments(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target of an assignment with its value, also those of `a, b = c, d`."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        yield node.target, node.value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    lists = (ast.Tuple, ast.List)
    if not isinstance(target, lists):
        yield target, value
    elif isinstance(value, lists) and len(target.elts) == len(value.elts):
        for item, its_value in zip(target.elts, value.elts, strict=True):
            yield from _pairs(item, its_value)
    else:
        yield from ((item, value) for item in target.elts)


class Bindings:
    """Follows imports and assignments: a name or attribute to the module or function it names."""

    def __init__(self, functions: Collection[str]) -> None:
        self._star = functions
        self._modules: dict[str, str] = {}
        """A name, or an attribute such as `self.K`, to the module that it stands for."""
        self._functions: dict[str, str] = {}
        """A name to the function of K that it stands for."""
        self._other_names: frozenset[str] = frozenset()
        """The names that mean something else in the current function."""

    def add_import(self, node: ast.Import) -> None:
        """`import keras`, `import keras.backend as K`."""
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self._modules[alias.asname or top] = alias.name if alias.asname else top

    def add_import_from(self, node: ast.ImportFrom) -> None:
        """`from keras import backend as K`, `from keras.backend import sum as s`."""
        module = "" if node.level else node.module or ""
        for alias in node.names:
            name = alias.asname or alias.name
            if module in BACKENDS and alias.name == "*":
                self._functions |= {function: function for function in self._star}
            elif module in BACKENDS and f"{module}.{alias.name}" not in BACKENDS:
                self._functions[name] = alias.name
            elif module:
                self._modules[name] = f"{module}.{alias.name}"

    def add_assignment(self, target: ast.expr, value: ast.expr) -> str | None:
        """Note that a name or `self.K` is a module (`K = keras.backend`); returns the module."""
        module, name = self.module(value), _dotted(target)
        if module is None or name is None:
            return None
        self._modules[name] = module
        return module

    def add_attributes(self, tree: ast.AST) -> None:
        """Note the attributes that are K: a method may use one above the line that sets it."""
        for node in ast.walk(tree):
            self._bind(node)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                self._add_class(node)
        self._modules = {name: module for name, module in self._modules.items() if "." in name}
        self._functions = {}

    def _add_class(self, node: ast.ClassDef) -> None:
        pairs = [pair for part in own_nodes(node) for pair in assignments(part)]
        for target, value in pairs:
            for owner in ("self", "cls", node.name) if isinstance(target, ast.Name) else ():
                name = ast.Name(owner, ast.Load())
                self.add_assignment(ast.Attribute(name, ast.unparse(target), ast.Store()), value)

    def _bind(self, node: ast.AST) -> set[str]:
        """Note what an import or an assignment binds; returns the names."""
        if isinstance(node, ast.Import):
            self.add_import(node)
        elif isinstance(node, ast.ImportFrom):
            self.add_import_from(node)
        else:
            pairs = list(assignments(node))
            return {_dotted(t) or "" for t, value in pairs if self.add_assignment(t, value)}
        return {alias.asname or alias.name.partition(".")[0] for alias in node.names}

    @contextmanager
    def inside(self, function: Function) -> Iterator[None]:
        """Within a function, whose own names hide those of the file."""
        outer, known = self._other_names, (dict(self._modules), dict(self._functions))
        self._enter(function)
        yield
        self._other_names = outer
        self._modules |= known[0]
        self._functions |= known[1]

    def _enter(self, function: Function) -> None:
        own = {node.id for node in _own_stores(function)}
        modules = {name for node in own_nodes(function) for name in self._bind(node)}
        for name, default in parameters(function):
            own.add(name)
            if default is not None and self.add_assignment(ast.Name(name, ast.Store()), default):
                modules.add(name)
        self._other_names = (self._other_names | own) - modules

    def function(self, node: ast.expr) -> str | None:
        """The function of K that an expression names."""
        if isinstance(node, ast.Name):
            return None if node.id in self._other_names else self._functions.get(node.id)
        if isinstance(node, ast.Attribute) and self.module(node.value) in BACKENDS:
            return None if self.module(node) in BACKENDS else node.attr
        return None

    def module(self, node: ast.expr) -> str | None:
        """The module that an expression stands for, as far as the file says."""
        if isinstance(node, ast.Name):
            return None if node.id in self._other_names else self._modules.get(node.id)
        if isinstance(node, ast.Attribute):
            parent = self.module(node.value)
            return f"{parent}.{node.attr}" if parent else self._modules.get(_dotted(node) or "")
        if isinstance(node, ast.IfExp):
            return self.module(node.body) or self.module(node.orelse)
        return self._dynamic_import(node) if isinstance(node, ast.Call) else None

    def _dynamic_import(self, call: ast.Call) -> str | None:
        """The module of `importlib.import_module("keras.backend")` and `getattr(keras, "x")`."""
        *first, last = call.args or [ast.Constant(None)]
        if not isinstance(last, ast.Constant) or not isinstance(last.value, str):
            return None
        function = ast.unparse(call.func)
        if function in ("importlib.import_module", "import_module") and not first:
            return last.value
        if function == "getattr" and len(first) == 1 and (parent := self.module(first[0])):
            name = f"{parent}.{last.value}"
            return name if name in BACKENDS else None
        return None


def _own_stores(function: Function) -> Iterator[ast.Name]:
    """The names that a function assigns, without those that it declares global."""
    nodes = list(own_nodes(function))
    outside = {n for x in nodes if isinstance(x, ast.Global | ast.Nonlocal) for n in x.names}
    inner = [n for x in nodes if isinstance(x, _COMPREHENSIONS) for n in ast.walk(x)]
    local = {id(n) for n in inner}
    for node in nodes:
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Store):
            continue
        if node.id not in outside and id(node) not in local:
            yield node


def _dotted(node: ast.expr) -> str | None:
    """The text of a name, or of an attribute of a name."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None
