"""Run in a target's interpreter, CPython 3.6 or later: where its documented functions are written.

The last line that it prints is JSON: `files`, the file of each module that holds one, and
`functions`, the module and the name of each.
"""

import inspect
import json
import sys
from typing import Any, Dict, Tuple


def main(worker: str, module: str, startup: str, names: str) -> None:
    """Look the functions up; `names` is JSON, documented names to the module's own.

    `worker` is the folder of the worker, which loads the module.
    """
    sys.path.insert(0, worker)
    from conformance_worker.loading import load  # type: ignore[import-not-found] # noqa: PLC0415

    backend = load(module, startup, None)
    package = module.partition(".")[0]
    files: Dict[str, str] = {}
    functions: Dict[str, Tuple[str, str]] = {}
    for name, own in json.loads(names).items():
        found = _unwrapped(backend, own)
        code = getattr(found, "__code__", None)
        home = getattr(found, "__globals__", {}).get("__name__", "")
        if code is not None and home.partition(".")[0] == package:
            functions[name] = (home, code.co_name)
            files[home] = sys.modules[home].__file__ or code.co_filename
    print(json.dumps({"files": files, "functions": functions}))


def _unwrapped(backend: Any, name: str) -> Any:
    found = backend
    for part in name.split("."):
        found = getattr(found, part, None)
    return inspect.unwrap(found) if callable(found) else None


main(*sys.argv[1:])
