"""Run in a target's interpreter, CPython 3.6 or later: import the module and compute with it once.

The last line that it prints is the versions found, as JSON.
"""

import importlib
import json
import sys


def main(worker: str, module: str, startup: str, mapping: str, *packages: str) -> None:
    """Print the versions of `packages` after `module` computed a softmax.

    `worker` is the folder of the worker, which loads the module. Where that makes inputs only, the
    function under test is the module's own.
    """
    sys.path.insert(0, worker)
    import numpy  # noqa: PLC0415 - only the interpreter that runs this needs it
    from conformance_worker.loading import load  # type: ignore[import-not-found] # noqa: PLC0415

    backend = load(module, startup, mapping or None)
    softmax = getattr(backend, "softmax", None) or importlib.import_module(module).softmax
    made = getattr(backend, "variable", None) or backend.constant
    value = backend.eval(softmax(made(numpy.zeros((1, 2)))))
    if not numpy.allclose(value, 0.5):
        raise SystemExit(f"softmax of two zeros gave {value}")
    versions = {p: getattr(sys.modules.get(p), "__version__", None) for p in packages}
    print(json.dumps({p: version for p, version in versions.items() if version}))


main(*sys.argv[1:])
