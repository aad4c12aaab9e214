"""A program as the host sends it, and the arguments of its steps.

`conformance/program/codec.py` of the suite writes what is read here.
"""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

Input = NamedTuple(
    "Input",
    [
        ("name", str),
        ("shape", Tuple[int, ...]),
        ("dtype", str),
        ("binding", str),
        ("arguments", Optional[Dict[str, Any]]),
    ],
)
Step = NamedTuple(
    "Step", [("result", str), ("function", str), ("args", List[Any]), ("kwargs", Dict[str, Any])]
)
Program = NamedTuple(
    "Program", [("inputs", List[Input]), ("steps", List[Step]), ("outputs", List[str])]
)

PLACEHOLDERS = ("placeholder", "placeholder_none")
BINDINGS = ("variable", "constant", "array", *PLACEHOLDERS)


class RequestError(Exception):
    """The request is not one that the worker knows; the message says which part."""


def parse(data: Any) -> Program:
    """The program in `data`; RequestError if it is none, or refers to what it does not define."""
    try:
        inputs = [
            Input(i["name"], tuple(i["shape"]), i["dtype"], i["binding"], i.get("arguments"))
            for i in data["inputs"]
        ]
        steps = [Step(s["result"], s["function"], s["args"], s["kwargs"]) for s in data["steps"]]
        program = Program(inputs, steps, list(data["outputs"]))
        _check(program)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise RequestError("not a program: {!r}".format(error)) from error
    return program


def _check(program: Program) -> None:
    """Decode every argument once with names alone, so that only the implementation can raise."""
    known: Dict[str, Any] = {}
    for item in program.inputs:
        if item.binding not in BINDINGS:
            raise RequestError("{!r} is no binding".format(item.binding))
        for value in (item.arguments or {}).values():
            decode(value, {})
        known[item.name] = None
    for step in program.steps:
        decode(step.args, known)
        for value in step.kwargs.values():
            decode(value, known)
        known[step.result] = None
    for name in program.outputs:
        _lookup(name, known)


def decode(value: Any, names: Dict[str, Any]) -> Any:
    """The argument that `value` stands for; references are looked up in `names`."""
    if isinstance(value, dict):
        ((key, content),) = value.items()
        return _OBJECTS[key](content, names)
    if isinstance(value, list):
        return [decode(item, names) for item in value]
    return value


def _lookup(content: Any, names: Dict[str, Any]) -> Any:
    if content not in names:
        raise RequestError("nothing is called {!r}".format(content))
    return names[content]


def _tuple(content: Any, names: Dict[str, Any]) -> Any:
    return tuple(decode(item, names) for item in content)


def _float(content: Any, names: Dict[str, Any]) -> float:  # noqa: ARG001 - one signature for all
    return float(content)


# one entry for each kind of argument that JSON lacks; a program as an argument is one more
_OBJECTS: Dict[str, Callable[[Any, Dict[str, Any]], Any]] = {
    "ref": _lookup,
    "tuple": _tuple,
    "float": _float,
}
