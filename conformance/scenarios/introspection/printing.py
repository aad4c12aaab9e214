"""What print_tensor prints: the message and the value of the tensor, when it is evaluated.

The documents do not say to which stream, in which form, or how often; both streams are looked at,
any form of a number will do, and that it is printed once is a convention. What is printed when the
tensor is made counts too, because some implementations compute at once. Three elements at most:
how many of a large tensor are shown is not documented either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from conformance.editions import Edition
from conformance.program import Argument, Ref
from conformance.results import Aspect
from conformance.scenarios.checks import Test, plain
from conformance.scenarios.model import Array, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

PRINT = "print_tensor"
PRINTED = {"ja-1": 1117, "ja-1-text": 697, "ja-2.0": 1960, "zh-TW": 1054, "ko-2.2": 2500}
"""The message and the value are printed when the tensor is evaluated."""
ONCE = (ConventionName.PRINTED_ONCE,)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MOST_SHOWN = 200


def contains(message: str) -> Test:
    """The text has the message in it."""

    def test(values: Values) -> Problem | None:
        text = str(plain(values))
        return None if message in text else _lacks(text, "the message", repr(message))

    return test


def lacks(message: str) -> Test:
    """The text has the message nowhere."""

    def test(values: Values) -> Problem | None:
        text = str(plain(values))
        if message not in text:
            return None
        fault = f"{message!r} in first"
        return Problem(f"prints {_shown(text)!r}", "printed", got=_shown(text), fault=fault)

    return test


def has_numbers(elements: Array) -> Test:
    """Every element is among the numbers in the text, in any notation."""

    def test(values: Values) -> Problem | None:
        text = str(plain(values))
        found = {float(number) for number in NUMBER.findall(text)}
        missing = [e for e in elements.ravel().tolist() if e not in found]
        return _lacks(text, "the value", str(elements.tolist())) if missing else None

    return test


def is_there_once(message: str) -> Test:
    """The message is in the text no more than once."""

    def test(values: Values) -> Problem | None:
        text = str(plain(values))
        count = text.count(message)
        return (
            Problem(f"prints it {count} times", "several", got=_shown(text)) if count > 1 else None
        )

    return test


def _lacks(text: str, what: str, expected: str) -> Problem:
    shown = _shown(text)
    gives = f"prints {shown!r}" if shown else "prints nothing"
    return Problem(gives, f"without {what}" if shown else "nothing", got=shown, expected=expected)


def _shown(text: str) -> str:
    return " ".join(text.split())[-MOST_SHOWN:]


def _scenario(
    title: str, elements: Array, message: str | None, *, squared: bool = False
) -> Scenario:
    """The value of a variable, or of its square, with a message or with the default."""
    w = ProgramWriter()
    x = w.call("variable", w.array("x", elements), dtype=elements.dtype.name)
    tensor = w.call("square", x) if squared else x
    # evaluate once before: some libraries print messages at the first computation
    w.call("eval", tensor)
    w.observe("printed", "printed.call", _evaluation(tensor, message))
    shown = elements**2 if squared else elements
    conventions = unsettled_of(elements.shape, elements.dtype.name)
    return Scenario(
        PRINT,
        title,
        program=w.program(),
        arrays=w.arrays,
        checks=tuple(_checks(shown, message)),
        conventions=conventions,
    )


def _evaluation(tensor: Ref, message: str | None) -> Argument:
    body = FunctionWriter("evaluated")
    given: dict[str, Argument] = {} if message is None else {"message": message}
    return body.returning(body.call("eval", body.call(PRINT, tensor, **given)))


def _checks(elements: Array, message: str | None) -> Sequence[Check]:
    value = Check(
        "the value is printed",
        Aspect.VALUE,
        outputs=("printed",),
        test=has_numbers(elements),
        demands=f"the value {elements.tolist()} in what is printed",
        at=PRINTED,
    )
    if message is None:
        return (value,)
    told = Check(
        "the message is printed",
        Aspect.VALUE,
        outputs=("printed",),
        test=contains(message),
        demands=f"the message {message!r} in what is printed",
        at=PRINTED,
    )
    once = Check(
        "it is printed once",
        Aspect.VALUE,
        outputs=("printed",),
        test=is_there_once(message),
        demands="the message once for one evaluation",
        conventions=ONCE,
    )
    return (told, value, once)


def prints(_edition: Edition) -> Sequence[Scenario]:
    """Values that no other printed number could be mistaken for, with a message and without."""
    row = np.array([7351.0, -2846.0, 9173.0], "float32")
    return (
        _scenario("what is printed of a variable", row, "weights of unit seven:"),
        _scenario("another message", row[:2].reshape(2, 1), "another message"),
        _scenario("what is printed without a message", row[1:], None),
        _scenario("what is printed of a result", row[:1] / 7351 * 61, "squared:", squared=True),
        _scenario("what is printed of integers", row.astype("int32"), "labels:"),
    )


NOT_OF_X = {"ko-2.2": 2503}
MESSAGE = "printed when evaluated:"


def evaluated_later(edition: Edition) -> Sequence[Scenario]:
    """A function prints what it is fed, where it computes with the tensor that was returned (C044).

    The tensor is a placeholder, so that nothing can be printed before.
    """
    w = ProgramWriter()
    x = w.call("placeholder", shape=(2,), dtype="float32")
    returned = w.call(PRINT, x, message=MESSAGE)
    first, second = (np.array(v, "float32") for v in ([4217.0, 5.0], [-1394.0, 86.0]))
    fed: list[Argument] = [w.array("first", first)]
    again: list[Argument] = [w.array("second", second)]
    for output, tensor in (("of_returned", returned), ("of_x", x)):
        function = w.call("function", [x], [w.call("square", tensor)])
        w.call("operator.call", function, fed)
        w.observe(output, "printed.call", function, again)
    checks = _of_returned(second)
    if edition == "keras-2.2":
        checks = (*checks, _of_x())
    title = "what a function prints that is called twice"
    return (Scenario(PRINT, title, program=w.program(), arrays=w.arrays, checks=tuple(checks)),)


def _of_returned(fed: Array) -> Sequence[Check]:
    told = (
        ("the message", contains(MESSAGE), repr(MESSAGE)),
        ("the value", has_numbers(fed), str(fed.tolist())),
    )
    return tuple(
        Check(
            f"{what} is printed by a function",
            Aspect.VALUE,
            outputs=("of_returned",),
            test=test,
            demands=f"{what} {shown} in what its second call prints",
            at=PRINTED,
        )
        for what, test, shown in told
    )


def _of_x() -> Check:
    return Check(
        "x itself prints nothing",
        Aspect.VALUE,
        outputs=("of_x",),
        test=lacks(MESSAGE),
        demands="no message of a function that computes with x and not with what was returned",
        at=NOT_OF_X,
    )


FAMILIES: tuple[Family, ...] = (
    Family(PRINT, frozenset({Aspect.VALUE}), make=prints),
    Family(PRINT, frozenset({Aspect.VALUE}), make=evaluated_later),
)
