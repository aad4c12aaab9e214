"""Read a program as the host sends it, and the arguments of its steps.

`conformance/program/codec.py` of the suite writes them.
"""

from keyword import iskeyword
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .layouts import LAYOUTS

Input = NamedTuple(
    "Input",
    [
        ("name", str),
        ("shape", Tuple[int, ...]),
        ("dtype", str),
        ("binding", str),
        ("arguments", Optional[Dict[str, Any]]),
        ("layout", str),
    ],
)
Step = NamedTuple(
    "Step",
    [
        ("result", str),
        ("function", str),
        ("args", List[Any]),
        ("kwargs", Dict[str, Any]),
        ("attempt", bool),
    ],
)
Function = NamedTuple(
    "Function",
    [("name", str), ("parameters", List[str]), ("steps", List[Step]), ("returns", Any)],
)
Made = NamedTuple("Made", [("kind", str), ("items", List[int])])
Program = NamedTuple(
    "Program", [("inputs", List[Input]), ("steps", List[Step]), ("outputs", List[str])]
)

HELD_IN = {"bfloat16": "float32"}
"""The dtype of the arrays with the numbers of an input whose own NumPy lacks."""
PLACEHOLDERS = ("placeholder", "placeholder_none")
KINDS = ("range", "set", "iterator", "int64", "constant", "variable")
"""The kinds of a `Made`."""
AS_THEY_ARE = ("array", "python")
"""Bindings of inputs that no function of the implementation makes."""
BINDINGS = ("variable", "constant", *AS_THEY_ARE, *PLACEHOLDERS)


class RequestError(Exception):
    """The worker does not understand the request; the message says which part."""


def parse(data: Any) -> Program:
    """The program in `data`.

    Raises:
        RequestError: it is not a program, or refers to unknown names.
    """
    try:
        inputs = [_input(i) for i in data["inputs"]]
        program = Program(inputs, _steps(data["steps"]), list(data["outputs"]))
        _check(program)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RequestError("not a program: {!r}".format(error)) from error
    return program


def _input(data: Any) -> Input:
    return Input(
        data["name"],
        tuple(data["shape"]),
        data["dtype"],
        data["binding"],
        data.get("arguments"),
        data.get("layout", "c"),
    )


def _steps(data: Any) -> List[Step]:
    return [
        Step(s["result"], s["function"], s["args"], s["kwargs"], s.get("attempt", False))
        for s in data
    ]


def _check(program: Program) -> None:
    """Decode every argument once, without values: later only the implementation can raise."""
    known: Dict[str, Any] = {}
    for item in program.inputs:
        if item.binding not in BINDINGS:
            raise RequestError("{!r} is not a binding".format(item.binding))
        if item.layout not in LAYOUTS:
            raise RequestError("{!r} is not a layout".format(item.layout))
        for value in (item.arguments or {}).values():
            decode(value, {}, _check_function)
        known[item.name] = None
    _check_steps(program.steps, known)
    for name in program.outputs:
        _lookup(name, known, _check_function)


def _check_steps(steps: List[Step], known: Dict[str, Any]) -> None:
    for step in steps:
        decode(step.args, known, _check_function)
        for value in step.kwargs.values():
            decode(value, known, _check_function)
        known[step.result] = None


def _check_function(function: Any, names: Dict[str, Any]) -> None:
    if isinstance(function, Made):
        if function.kind not in KINDS or not all(isinstance(i, int) for i in function.items):
            raise RequestError("{!r} cannot be made".format(function))
        return
    for name in function.parameters:
        if not name.isidentifier() or iskeyword(name):
            raise RequestError("{!r} cannot be a parameter".format(name))
    known = dict(names, **dict.fromkeys(function.parameters))
    _check_steps(function.steps, known)
    decode(function.returns, known, _check_function)


def decode(value: Any, names: Dict[str, Any], make: "Make") -> Any:
    """The argument that `value` stands for.

    References are looked up in `names`; `make` makes a callable of a `Function` and the names
    that are known where it stands, or what a `Made` stands for.
    """
    if isinstance(value, dict):
        ((key, content),) = value.items()
        return _OBJECTS[key](content, names, make)
    if isinstance(value, list):
        return [decode(item, names, make) for item in value]
    return value


Make = Callable[[Any, Dict[str, Any]], Any]


def _lookup(content: Any, names: Dict[str, Any], make: Make) -> Any:  # noqa: ARG001
    if content not in names:
        raise RequestError("nothing is called {!r}".format(content))
    return names[content]


def _tuple(content: Any, names: Dict[str, Any], make: Make) -> Any:
    return tuple(decode(item, names, make) for item in content)


def _float(content: Any, names: Dict[str, Any], make: Make) -> float:  # noqa: ARG001
    return float(content)


def _function(content: Any, names: Dict[str, Any], make: Make) -> Any:
    parts = (content["name"], content["parameters"], _steps(content["steps"]), content["returns"])
    return make(Function(*parts), names)


def _argument_object(content: Any, names: Dict[str, Any], make: Make) -> Any:
    kind, items = content
    return make(Made(kind, items), names)


# one entry for each kind of argument that JSON lacks
_OBJECTS: Dict[str, Callable[[Any, Dict[str, Any], Make], Any]] = {
    "ref": _lookup,
    "tuple": _tuple,
    "float": _float,
    "function": _function,
    "made": _argument_object,
}
