"""Run in a target's interpreter, CPython 3.6 or later: where its documented functions are written.

The last line that it prints is JSON. `files` has the file of each module that holds a documented
function. `functions` has the module and the name of each function. `behind` has the file of each
module in the packages that hold the called functions.
"""

import importlib
import inspect
import json
import sys
from typing import Any, Dict, Iterator, List, Tuple


def main(worker: str, module: str, startup: str, names: str, packages: str) -> None:
    """Look the functions up; `names` is JSON, documented names to the module's own.

    `worker` is the folder of the worker, which loads the module; `packages` is JSON, a list.
    """
    sys.path.insert(0, worker)
    from conformance_worker.loading import load  # type: ignore[import-not-found] # noqa: PLC0415

    backend = load(module, startup, None)
    package = module.partition(".")[0]
    files: Dict[str, str] = {}
    functions: Dict[str, Tuple[str, str]] = {}
    for name, own in json.loads(names).items():
        function = _unwrapped(backend, own)
        code = getattr(function, "__code__", None)
        home = getattr(function, "__globals__", {}).get("__name__", "")
        if code is not None and home.partition(".")[0] == package:
            functions[name] = (home, code.co_name)
            files[home] = sys.modules[home].__file__ or code.co_filename
    behind = dict(_behind(json.loads(packages)))
    print(json.dumps({"files": files, "functions": functions, "behind": behind}))


def _behind(packages: List[str]) -> Iterator[Tuple[str, str]]:
    """The modules of the packages that were loaded, and their files."""
    for package in packages:
        importlib.import_module(package)
        for name, module in sorted(sys.modules.items()):
            if (name + ".").startswith(package + ".") and getattr(module, "__file__", None):
                yield name, str(module.__file__)


def _unwrapped(backend: Any, name: str) -> Any:
    value = backend
    if name.startswith("keras."):
        value = importlib.import_module(backend.__name__.partition(".")[0])
        name = name.partition(".")[2]
    for part in name.split("."):
        value = getattr(value, part, None)
    return inspect.unwrap(value) if callable(value) else None


main(*sys.argv[1:])
