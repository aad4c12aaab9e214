"""Which edition of the API the package offers, and how a function says what editions document.

The environment variable `CONFORMANCE_REFERENCE_EDITION` chooses between `keras-1`, `keras-2.0` and
`keras-2.2` (the default) when the package is imported. A public function lists its documented
lines:

    @documented(
        "ja-1:976 expand_dims(x, dim=-1)",
        "ja-2.0:1708 expand_dims(x, axis=-1)",
        "ko-2.2:2202 expand_dims(x, axis=-1)",
    )
    def expand_dims(x, axis=-1): ...

The document names the edition. The line gives the name, the parameters and the defaults that the
edition has; an edition without a line does not have the function. A misprinted signature is given
as corrected.
"""

from __future__ import annotations

import ast
import functools
import inspect
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

VARIABLE = "CONFORMANCE_REFERENCE_EDITION"
DOCUMENTS = {"keras-1": "ja-1", "keras-2.0": "ja-2.0", "keras-2.2": "ko-2.2"}
ALSO_KERAS_1 = "zh-TW"
"""The document of late keras-1, for functions that no other document of keras-1 has (C083)."""

RENAMED_PARAMETERS = {
    "dim": "axis",
    "nb_classes": "num_classes",
    "xs": "ops",
    "X": "x",
    "dim_ordering": "data_format",
    "border_mode": "padding",
}
"""Old name of a parameter, and the name that the implementation gives it."""

Implementation = TypeVar("Implementation", bound=Callable[..., Any])


class SignatureLine(NamedTuple):
    """One documented signature: `ko-2.2:1761 less(x, y)`."""

    document: str
    line: int
    name: str
    parameters: str

    def __str__(self) -> str:
        return f"{self.document}:{self.line} {self.name}({self.parameters})"


def _chosen() -> str:
    edition = os.environ.get(VARIABLE) or "keras-2.2"
    if edition not in DOCUMENTS:
        raise ValueError(
            f"environment variable {VARIABLE} is {edition!r}; write one of {', '.join(DOCUMENTS)}"
        )
    return edition


EDITION = _chosen()
"""The edition that this process offers."""

EXPORTS: dict[str, Callable[..., Any]] = {}
"""The public functions of the chosen edition, by documented name."""

SIGNATURES: dict[str, list[SignatureLine]] = {}
"""Every documented signature of every edition, by documented name."""


def says(citation: str) -> bool:
    """Whether the chosen edition's document is the one cited, as in `says("ja-2.0:1594")`."""
    return citation.split(":", maxsplit=1)[0] == DOCUMENTS[EDITION]


def documented(*lines: str) -> Callable[[Implementation], Implementation]:
    """Export a function as the chosen edition documents it; the implementation itself is returned.

    Each line reads `DOCUMENT:LINE NAME(PARAMETERS)`. A malformed line raises ValueError.
    """
    signatures = [_parsed(line) for line in lines]

    def register(function: Implementation) -> Implementation:
        function.__doc__ = inspect.cleandoc(function.__doc__ or "") + _listing(signatures)
        for signature in signatures:
            SIGNATURES.setdefault(signature.name, []).append(signature)
            if _is_offered(signature):
                EXPORTS[signature.name] = _as_documented(function, signature)
        return function

    return register


def _is_offered(line: SignatureLine) -> bool:
    if line.document == ALSO_KERAS_1:
        return EDITION == "keras-1"
    return line.document == DOCUMENTS[EDITION]


def _parsed(line: str) -> SignatureLine:
    match = re.fullmatch(r"(ja-1|ja-2\.0|zh-TW|ko-2\.2):(\d+) (\w+)\((.*)\)", line)
    if match is None:
        raise ValueError(f"documented line {line!r} must read 'DOCUMENT:LINE NAME(PARAMETERS)'")
    document, number, name, parameters = match.groups()
    return SignatureLine(document, int(number), name, parameters)


def _listing(signatures: list[SignatureLine]) -> str:
    return "\n\nDocumented:\n" + "".join(f"    {line}\n" for line in signatures)


def signature_of(parameters: str) -> inspect.Signature:
    """The signature that a parameter list such as `x, axis=-1, **kwargs` stands for."""
    arguments = ast.parse(f"lambda {parameters}: 0", mode="eval").body.args  # type: ignore[attr-defined]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    required = len(arguments.args) - len(arguments.defaults)
    defaults = [inspect.Parameter.empty] * required + [
        ast.literal_eval(default) for default in arguments.defaults
    ]
    named = [
        inspect.Parameter(argument.arg, kind, default=default)
        for argument, default in zip(arguments.args, defaults, strict=True)
    ]
    if arguments.kwarg is not None:
        named.append(inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(named)


def _as_documented(function: Callable[..., Any], line: SignatureLine) -> Callable[..., Any]:
    signature = signature_of(line.parameters)
    if line.name == function.__name__ and _bare(function) == signature:
        function.__signature__ = signature  # type: ignore[attr-defined]
        return function
    return _adapted(function, line.name, signature)


def _bare(function: Callable[..., Any]) -> inspect.Signature:
    empty = inspect.Parameter.empty
    parameters = inspect.signature(function).parameters.values()
    return inspect.Signature([p.replace(annotation=empty) for p in parameters])


def _adapted(
    function: Callable[..., Any], name: str, signature: inspect.Signature
) -> Callable[..., Any]:
    """The implementation under an older name, with older parameters or defaults."""

    @functools.wraps(function)
    def offered(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}{signature}: {error}") from None
        bound.apply_defaults()
        return function(**{RENAMED_PARAMETERS.get(k, k): v for k, v in bound.arguments.items()})

    offered.__name__ = offered.__qualname__ = name
    offered.__signature__ = signature  # type: ignore[attr-defined]
    return offered
