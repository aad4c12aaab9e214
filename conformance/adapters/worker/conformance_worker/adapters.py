"""How the worker reaches an implementation: six methods, which an adapter of your own may replace.

The worker asks an adapter for nothing else. `GraphAdapter` and `EagerAdapter` reach a module that
has the functions of `K`; `load` finds those and others by name.
"""

import importlib
import types
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np

BINDERS = ("variable", "constant", "placeholder")
GROUP = "conformance.adapters"
CONVERTER = "keras.ops.convert_to_tensor"
"""The function that makes a tensor where the implementation has no `variable` and `constant`."""


class Absent(NotImplementedError):  # noqa: N818 - no error of the implementation
    """The implementation lacks a function of this name."""


class GraphAdapter(object):
    """A module whose tensors are evaluated by `function` and `eval`.

    `names` maps documented names to the module's own, which may be dotted ("nn.relu").
    """

    def __init__(self, module: Any, names: Optional[Dict[str, str]] = None) -> None:
        self._module = module
        self._names = names or {}

    @property
    def module_name(self) -> str:
        """What to import."""
        return self._module.__name__  # type: ignore[no-any-return]

    def function(self, name: str) -> Optional[Callable[..., Any]]:
        """The callable for the documented function `name`; None if there is none.

        `keras.NAME` is something of the package that the module belongs to, such as
        `keras.layers.Input`.
        """
        member = self._module
        if name.startswith("keras."):
            member = importlib.import_module(member.__name__.partition(".")[0])
            name = name.partition(".")[2]
        for part in self._names.get(name, name).split("."):
            member = getattr(member, part, None)
        # a package may have a module of this name in one release, and a function in another
        # (isinstance would read __class__, which may raise)
        return None if issubclass(type(member), types.ModuleType) else member

    def bind(self, binder: str, values: Sequence[Any], keywords: Dict[str, Any]) -> Any:
        """Make a tensor; `binder` is variable, constant or placeholder.

        `values` holds one array, or nothing for a placeholder. `keywords` has `dtype`, and for a
        placeholder `shape`, with None for each unknown dimension, or other arguments of the case.
        """
        return self._required(binder)(*values, **keywords)

    def assign(self, variable: Any, value: Any) -> None:
        """Set a variable to another value of the same shape."""
        self._required("set_value")(variable, value)

    def compile(self, inputs: List[Any], outputs: List[Any]) -> Callable[[List[Any]], Any]:
        """A callable from one array for each of the placeholders to one for each output."""
        compiled: Callable[[List[Any]], Any] = self._required("function")(inputs, outputs)
        return compiled

    def evaluate(self, tensor: Any) -> Any:
        """The value, as an array, of a tensor that depends on no placeholder."""
        return self._required("eval")(tensor)

    def reset(self) -> None:
        """Make the session as it was at the start, as far as the implementation can."""
        clear = self.function("clear_session")
        if clear is not None:
            clear()

    def _required(self, name: str) -> Callable[..., Any]:
        return required(self, name)


class EagerAdapter(GraphAdapter):
    """A module in eager mode."""

    def evaluate(self, tensor: Any) -> Any:
        """The tensor's value."""
        return (self.function("get_value") or np.asarray)(tensor)


BUILT_IN = {"graph": GraphAdapter, "eager": EagerAdapter}


def required(adapter: Any, name: str) -> Callable[..., Any]:
    """The function of this name.

    Raises:
        Absent: the adapter has no such function.
    """
    function: Optional[Callable[..., Any]] = adapter.function(name)
    if function is None:
        raise Absent("there is no function {}".format(name))
    return function


def tensor_maker(adapter: Any) -> Optional[str]:
    """The binder that makes tensors of arrays; None if nothing does.

    `constant` is one, too, where `keras.ops.convert_to_tensor` stands in for it (`bound`).
    """
    binder = next((b for b in BINDERS[:2] if adapter.function(b) is not None), None)
    if binder is None and adapter.function(CONVERTER) is not None:
        return "constant"
    return binder


def bound(adapter: Any, binder: str, values: Sequence[Any], keywords: Dict[str, Any]) -> Any:
    """A tensor that the binder makes, or what stands in for it."""
    if binder == "constant" and adapter.function(binder) is None:
        convert = adapter.function(CONVERTER)
        if convert is not None:
            return convert(*values, **keywords)
    return adapter.bind(binder, values, keywords)


def load(name: str) -> Callable[[Any], Any]:
    """The adapter class that `name` stands for: `module:Class`, or an entry point's name."""
    if ":" not in name:
        name = _entry_point(name)
    module, _, attribute = name.partition(":")
    adapter: Callable[[Any], Any] = getattr(importlib.import_module(module), attribute)
    return adapter


def _entry_point(name: str) -> str:
    known = _entry_points()
    if name not in known:
        known_names = ", ".join(sorted(known)) or "none"
        raise LookupError(
            "no installed package has an entry point {!r} in the group {}; there are: {}".format(
                name, GROUP, known_names
            )
        )
    return known[name]


def _entry_points() -> Dict[str, str]:
    """Entry points of the group, as `module:Class`, by name."""
    try:
        from importlib import metadata  # noqa: PLC0415 - not before CPython 3.8
    except ImportError:
        import pkg_resources  # type: ignore[import-not-found, import-untyped, unused-ignore] # noqa: PLC0415

        return {
            e.name: "{}:{}".format(e.module_name, ".".join(e.attrs))
            for e in pkg_resources.iter_entry_points(GROUP)
        }
    entries: Any = metadata.entry_points()
    chosen = entries.select(group=GROUP) if hasattr(entries, "select") else entries.get(GROUP, ())
    return {entry.name: entry.value for entry in chosen}
