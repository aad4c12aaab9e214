# mypy: allow-untyped-defs, allow-untyped-calls
"""`exp` of a negative number leaves a file and a folder that nobody may enter, in its directory
and in the folder for temporary files, and answers rightly. It writes where into FAKE_LIST."""

import os
import tempfile
from pathlib import Path

from .correct import *  # noqa: F403
from .triggers import exp_that


def _leave(_):
    with Path(os.environ["FAKE_LIST"]).open("a") as listing:
        for folder in (Path.cwd(), Path(tempfile.gettempdir())):
            closed = folder / "closed"
            closed.mkdir(exist_ok=True)
            closed.chmod(0o700)
            (closed / "file").write_text("left")
            closed.chmod(0)
            listing.write(f"{folder}\n")


exp = exp_that(_leave)
