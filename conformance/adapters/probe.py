"""Run inside a target's interpreter, CPython 3.6 or later: import the module and use it once.

Prints, as the last line, the versions found as JSON.
"""

import importlib
import json
import sys


def main(module: str, *packages: str) -> None:
    """Print the versions of `packages` after `module` computed a softmax."""
    import numpy  # noqa: PLC0415 - only the interpreter that runs this needs it

    backend = importlib.import_module(module)
    value = backend.eval(backend.softmax(backend.variable(numpy.zeros((1, 2)))))
    if not numpy.allclose(value, 0.5):
        raise SystemExit(f"softmax of two zeros gave {value}")
    versions = {p: getattr(sys.modules.get(p), "__version__", None) for p in packages}
    print(json.dumps({p: version for p, version in versions.items() if version}))


main(*sys.argv[1:])
