"""Load a module from another file than its own, in a target's interpreter: CPython 3.6 or later.

Nothing of the installed package is touched, and no compiled code of the other file is kept.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any, Dict


class _Loader(SourceFileLoader):
    """The module with its own name and file, and the source of another file."""

    def __init__(self, fullname: str, path: str, other: str) -> None:
        super(_Loader, self).__init__(fullname, path)
        self._other = other

    def get_data(self, path: Any) -> bytes:
        """The other file's bytes in place of the module's own."""
        with open(self._other, "rb") as file:
            return file.read()

    def path_stats(self, path: Any) -> Any:
        """Without a time of change, nothing compiled is read or written."""
        raise OSError("a changed module has no compiled file")


class _Finder(MetaPathFinder):
    def __init__(self, files: Dict[str, str]) -> None:
        self._files = files

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """The spec of the module that the path has, with the other source."""
        if fullname not in self._files:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if not isinstance(spec, ModuleSpec) or spec.origin is None:
            return None
        spec.loader = _Loader(fullname, spec.origin, self._files[fullname])
        return spec


def install(files: Dict[str, str]) -> None:
    """From now on load each of these modules from the file beside its name."""
    sys.meta_path.insert(0, _Finder(files))
