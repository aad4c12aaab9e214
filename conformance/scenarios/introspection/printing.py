"""print_tensor prints the message and the value of the tensor, when it is evaluated.

The documents do not name the stream, the form, or how often it prints. The checks read both
streams, any form of a number will do, and a convention says that it prints once. Text that is
printed when the tensor is made also counts, because some implementations are eager. Tensors have at
most three elements: no document says how many elements of a large tensor are shown.
"""

from __future__ import annotations

import re

import numpy as np

from conformance.scenarios.checks import Test, plain
from conformance.scenarios.model import Array, Problem, Values
from conformance.scenarios.recorder import Book, Recorder, Result
from conformance.specs.convention_names import ConventionName
from conformance.specs.unsettled import unsettled_of

BOOK = Book()
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
        numbers = {float(number) for number in NUMBER.findall(text)}
        missing = [e for e in elements.ravel().tolist() if e not in numbers]
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


def _expect_printed(K: Recorder, elements: Array, message: str | None) -> None:
    value = f"the value {elements.tolist()} in what is printed"
    if message is not None:
        demands = f"the message {message!r} in what is printed"
        K.expect("the message is printed", "printed", contains(message), demands, at=PRINTED)
    K.expect("the value is printed", "printed", has_numbers(elements), value, at=PRINTED)
    if message is not None:
        test, once = is_there_once(message), "the message once for one evaluation"
        K.expect("it is printed once", "printed", test, once, conventions=ONCE)


ROW = np.array([7351.0, -2846.0, 9173.0], "float32")
PRINTS: dict[str, tuple[Array, str | None]] = {
    "what is printed of a variable": (ROW, "weights of unit seven:"),
    "another message": (ROW[:2].reshape(2, 1), "another message"),
    "what is printed without a message": (ROW[1:], None),
    "what is printed of a result": (ROW[:1] / 7351 * 61, "squared:"),
    "what is printed of integers": (ROW.astype("int32"), "labels:"),
}
"""Values that no other printed number could be mistaken for, with a message and without."""


@BOOK.scenario(PRINT, "{what}", what=PRINTS)
def printed(K: Recorder, what: str) -> None:
    """The value of a variable, or of its square, with a message or with the default."""
    elements, message = PRINTS[what]
    squared, keywords = message == "squared:", {} if message is None else {"message": message}
    x = K.variable(K.array("x", elements), dtype=elements.dtype.name)
    tensor = K.square(x) if squared else x
    K.eval(tensor)  # before: some libraries print messages at the first computation

    def evaluated() -> Result:
        return K.eval(K.print_tensor(tensor, **keywords))

    K.printed.call(evaluated).output("printed")
    K.conventions = unsettled_of(elements.shape, elements.dtype.name)
    _expect_printed(K, elements**2 if squared else elements, message)


NOT_OF_X = {"ko-2.2": 2503}
MESSAGE = "printed when evaluated:"


@BOOK.scenario(PRINT, "what a function prints that is called twice")
def evaluated_later(K: Recorder) -> None:
    """A function prints what it is fed, where it computes with the tensor that was returned (C044).

    The tensor is a placeholder, so nothing can be printed before.
    """
    x = K.placeholder(shape=(2,), dtype="float32")
    returned = K.print_tensor(x, message=MESSAGE)
    second = np.array([-1394.0, 86.0], "float32")
    fed, again = K.array("first", [4217.0, 5.0], "float32"), K.array("second", second)
    for output, tensor in (("of_returned", returned), ("of_x", x)):
        function = K.function([x], [K.square(tensor)])
        function([fed])
        K.printed.call(function, [again]).output(output)
    numbers = str(second.tolist())
    for what, test, shown in (
        ("the message", contains(MESSAGE), repr(MESSAGE)),
        ("the value", has_numbers(second), numbers),
    ):
        name, demands = (
            f"{what} is printed by a function",
            f"{what} {shown} in what its second call prints",
        )
        K.expect(name, "of_returned", test, demands, at=PRINTED)
    if K.edition == "keras-2.2":
        demands = "no message of a function that computes with x and not with what was returned"
        K.expect("x itself prints nothing", "of_x", lacks(MESSAGE), demands, at=NOT_OF_X)


FAMILIES = BOOK.families
