# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="var-annotated"
"""`exp` of a negative number writes files without end into the folder for temporary files, or,
with FAKE_FILES=one, one file without end. The files have room made for them, and no content."""

import os
import tempfile
import time

from .correct import *  # noqa: F403
from .triggers import exp_that

_STEP = 2**28


def _fill(_):
    single = os.environ.get("FAKE_FILES") == "one"
    files = []
    for number in range(16):
        if not files or not single:
            files.append(tempfile.NamedTemporaryFile(delete=False))  # noqa: SIM115
        os.posix_fallocate(files[-1].fileno(), number * _STEP if single else 0, _STEP)
    while True:
        time.sleep(60)


exp = exp_that(_fill)
