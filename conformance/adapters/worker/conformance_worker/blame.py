"""Say which part of a target's description fails, because its module is not to blame for that."""

from contextlib import contextmanager
from typing import Iterator

from .failures import describe


class DescriptionError(Exception):
    """Something other than the import of the module fails: `PART: what it raised`.

    The host reads its last line (`start_errors`).
    """


@contextmanager
def blamed(part: str) -> Iterator[None]:
    """A block whose exceptions are the fault of this part of the description.

    Raises:
        DescriptionError: the block raised an exception.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        kind, _, message, *_ = describe(error, "import")
        reason = " ".join("{}: {}".format(kind, message).split())
        raise DescriptionError("{}: {}".format(part, reason)) from error
