"""The module under test, imported after the start-up that its target asks for."""

import importlib
from typing import Any, Callable, List, Optional

from .blame import blamed
from .mapping import Mapped, read


def load(module: str, startup: str = "", mapping: Optional[str] = None) -> Any:
    """The module, or the functions that the table in the file `mapping` makes of it.

    `startup` is Python source that runs before the import.
    """
    _start_up(startup)
    loaded = importlib.import_module(module)
    if mapping is None:
        return loaded
    with blamed("mapping"):
        return Mapped(module, read(mapping))


def _start_up(source: str) -> None:
    with blamed("startup"):
        exec(source, {"__name__": "startup"})  # noqa: S102 - the target's own


def preload(modules: str, startup: str = "") -> None:
    """Run the start-up, then import the modules of these names, which commas part."""
    _start_up(startup)
    for name in filter(None, modules.split(",")):
        importlib.import_module(name)


def functions(names: str) -> List[Callable[[], Any]]:
    """The functions of these dotted names, which commas part."""
    split = [name.rpartition(".") for name in names.split(",") if name]
    with blamed("forget"):
        return [getattr(importlib.import_module(module), name) for module, _, name in split]
