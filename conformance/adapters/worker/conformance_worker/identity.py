"""The command `start`: the identity of the implementation."""

import inspect
import platform
import sys
from typing import Any, Dict, List

from .mapping import NO_SIGNATURE, Mapped, reason_absent

PROTOCOL = 1
LIBRARIES = ("keras", "tensorflow", "theano", "cntk", "numpy", "tf_keras", "torch", "jax")
MOST_DEFAULT = 200


def identity(module: Any, adapter: Any, functions: List[str]) -> Dict[str, Any]:
    """Protocol, versions, backend, and the signatures of `functions`."""
    return {
        "protocol": PROTOCOL,
        "python": platform.python_version(),
        "versions": _versions(module),
        "backend": _backend(adapter),
        "functions": {name: _function(module, adapter, name) for name in functions},
    }


def _versions(module: Any) -> Dict[str, str]:
    """The versions of the packages that have been imported."""
    names = {module.__name__.split(".")[0], *LIBRARIES}
    found = {name: _version(name) for name in sorted(names) if name in sys.modules}
    return {name: version for name, version in found.items() if version}


def _version(name: str) -> str:
    version = getattr(sys.modules[name], "__version__", None)
    if isinstance(version, str):
        return version
    try:
        from importlib import metadata  # noqa: PLC0415 - not before CPython 3.8

        return metadata.version(name)
    except Exception:
        return ""


def _backend(adapter: Any) -> Any:
    try:
        return str(adapter.function("backend")())
    except Exception:
        return None


def _function(module: Any, adapter: Any, name: str) -> Dict[str, Any]:
    function = adapter.function(name)
    if function is None:
        reason = reason_absent(module, name) or "absent"
        return {"present": False, "signature": None, "reason": reason}
    if isinstance(module, Mapped):
        return {"present": True, "signature": None, "reason": NO_SIGNATURE}
    try:
        parameters = inspect.signature(function).parameters.values()
        signature = [_parameter(parameter) for parameter in parameters]
    except Exception as error:
        reason = "{}: {}".format(type(error).__name__, error)
        return {"present": True, "signature": None, "reason": reason}
    return {"present": True, "signature": signature, "reason": None}


def _parameter(parameter: Any) -> List[Any]:
    """[name, kind, repr of the default or null, whether there is a default]."""
    has_default = parameter.default is not parameter.empty
    default = repr(parameter.default)[:MOST_DEFAULT] if has_default else None
    return [parameter.name, parameter.kind.name, default, has_default]
