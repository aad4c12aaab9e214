# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""What it says of itself, and raises, would clear a terminal, set its title, end a line of a
report, give a CI server a command, and close a table or a tag."""

from .correct import *  # noqa: F403
from .triggers import exp_that

ESCAPES = (
    "\x1b[2J\x1b[31m\x1b]0;title\x07\x9b1m\x00\x08\x7f\r\n::error::forged\n"
    "\u202ereversed\u2028 | `code` <script>alert(1)</script> ]]> \ud800 %0A"
)
__version__ = "1.0" + ESCAPES


def backend():
    return ESCAPES


def _say(_):
    print(ESCAPES.encode("utf-8", "backslashreplace").decode())
    raise type("Error" + ESCAPES.replace("\x00", "").replace("\ud800", ""), (ValueError,), {})(
        ESCAPES
    )


exp = exp_that(_say)
