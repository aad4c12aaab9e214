"""The command `start`: the identity of the implementation."""

import inspect
import platform
import sys
from typing import Any, Dict, List, Optional, Tuple

from .brief import Brief
from .failures import describe
from .limits import MOST_MESSAGE, MOST_NAME, MOST_PARAMETERS, cut, text_of
from .mapping import NO_SIGNATURE, Mapped, reason_absent

PROTOCOL = 1
LIBRARIES = (
    *("keras", "tensorflow", "theano", "cntk", "numpy", "tf_keras", "torch", "jax"),
    *("openvino", "keras_openvino", "mlx", "keras_mlx", "paddle", "keras_paddle"),
)


def identity(module: Any, adapter: Any, functions: List[str], brief: Brief) -> Dict[str, Any]:
    """Protocol, versions, backend, and the signatures of `functions`.

    Every exception of the implementation, including SystemExit, is an answer.
    """
    return {
        "protocol": PROTOCOL,
        "python": platform.python_version(),
        "versions": _versions(module),
        "backend": _backend(adapter, brief),
        "functions": {name: _function(module, adapter, name) for name in functions},
    }


def _versions(module: Any) -> Dict[str, str]:
    """The versions of the packages that have been imported."""
    names = {module.__name__.split(".")[0], *LIBRARIES}
    versions = {name: _version(name) for name in sorted(names) if name in sys.modules}
    return {name: version for name, version in versions.items() if version}


def _version(name: str) -> str:
    try:
        version = getattr(sys.modules[name], "__version__", None)
        if isinstance(version, str):
            return cut(version, MOST_NAME)
        from importlib import metadata  # noqa: PLC0415 - not before CPython 3.8

        return cut(metadata.version(name), MOST_NAME)
    except BaseException:
        return ""


def _backend(adapter: Any, brief: Brief) -> Any:
    try:
        return text_of(brief.call("backend", adapter.function("backend")), MOST_NAME)
    except BaseException:
        return None


def _function(module: Any, adapter: Any, name: str) -> Dict[str, Any]:
    try:
        function = adapter.function(name)
    except BaseException as error:
        return {"present": False, "signature": None, "reason": _reason(error)}
    if function is None:
        reason = cut(reason_absent(module, name) or "absent", MOST_MESSAGE)
        return {"present": False, "signature": None, "reason": reason}
    if isinstance(module, Mapped) and hasattr(module, name):
        return {"present": True, "signature": None, "reason": NO_SIGNATURE}
    signature, why = _signature(function)
    return {"present": True, "signature": signature, "reason": why}


def _signature(function: Any) -> Tuple[Optional[List[Any]], Optional[str]]:
    """The parameters, or None and the reason why they are unknown."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
        if len(parameters) > MOST_PARAMETERS:
            return None, "{} parameters, more than {}".format(len(parameters), MOST_PARAMETERS)
        return [_parameter(parameter) for parameter in parameters], None
    except BaseException as error:
        return None, _reason(error)


def _reason(error: BaseException) -> str:
    kind, _, message, *_ = describe(error, "read")
    return cut("{}: {}".format(kind, message), MOST_MESSAGE)


def _parameter(parameter: Any) -> List[Any]:
    """[name, kind, repr of the default or null, whether there is a default]."""
    has_default = parameter.default is not parameter.empty
    default = cut(repr(parameter.default), MOST_NAME) if has_default else None
    return [cut(parameter.name, MOST_NAME), parameter.kind.name, default, has_default]
