"""Make a module with the functions of `K` from a table of the calls that replace them.

The suite imports this too, to print the same functions in a standalone script.
"""

import functools
from typing import Any, Callable, Dict, List, Optional

NO_SIGNATURE = "its documented one is the mapping's; the new call has another"


def definition(name: str, row: Dict[str, Any]) -> List[str]:
    """The lines of the function `name`; `row` has its parameters (`old`) and its body (`new`).

    A body of one line is an expression, and its value is returned.
    """
    body = row["new"].strip().split("\n")
    if len(body) == 1:
        body = ["return " + body[0]]
    return ["def {}({}):".format(name, row["old"]), *("    " + line for line in body)]


def _reasons(row: Dict[str, Any]) -> List[str]:
    """The lines of a function of the row's parameters: the reasons to refuse that apply."""
    pairs = ("({}, {!r})".format(*pair) for pair in row.get("refuses", {}).items())
    body = "return [why for applies, why in [{}] if applies]".format(", ".join(pairs))
    return ["def reasons({}):".format(row["old"]), "    " + body]


def _refusing(call: Callable[..., Any], reasons: Callable[..., List[str]]) -> Callable[..., Any]:
    """The call, whose exceptions become a refusal where one of the reasons applies."""

    @functools.wraps(call)
    def refuse(*args: Any, **kwargs: Any) -> Any:
        try:
            return call(*args, **kwargs)
        except Exception as error:
            for why in reasons(*args, **kwargs):
                text = "{} ({}: {})".format(why, type(error).__name__, error)
                raise NotImplementedError(text) from error
            raise

    return refuse


class Mapped(object):
    """The functions of a table; `__name__` is the module that they call.

    `absent` says why the table lacks a function. With `eager_inputs`, inputs of cases have values:
    constants replace placeholders.
    """

    def __init__(self, name: str, table: Dict[str, Any]) -> None:
        self.__name__ = name
        self.absent: Dict[str, str] = table.get("absent", {})
        self.eager_inputs: bool = table.get("eager_inputs", False)
        for function, row in table["functions"].items():
            # a namespace for each: no function of the table sees another
            names: Dict[str, Any] = {}
            exec("\n".join(table["imports"]), names)  # noqa: S102
            exec("\n".join(definition(function, row)), names)  # noqa: S102
            wrapper = names[function]
            if "refuses" in row:
                exec("\n".join(_reasons(row)), names)  # noqa: S102
                wrapper = _refusing(wrapper, names["reasons"])
            setattr(self, function, wrapper)


def read(path: str) -> Dict[str, Any]:
    """The table in a TOML file; the interpreter must be CPython 3.11 or later."""
    import tomllib  # noqa: PLC0415 - not in older ones, whose targets have no table

    with open(path, "rb") as file:
        return tomllib.load(file)


def reason_absent(module: Any, name: str) -> Optional[str]:
    """Why the module lacks `name`, if a table says so."""
    return module.absent.get(name) if isinstance(module, Mapped) else None
