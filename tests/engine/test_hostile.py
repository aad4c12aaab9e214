"""The whole engine on implementations that do harm: the verdict on the harm, and on the rest.

`python -m tests.engine.test_hostile` prints a table of verdicts, seconds, memory and messages.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from conformance.adapters.process import TOKEN, Launch
from conformance.adapters.session import CallLimits
from conformance.engine import Profile
from conformance.reporting.markdown_text import code
from conformance.results import Aspect, Verdict
from conformance.scripts import Prelude
from tests.adapters.support import FAKES
from tests.engine.support import Outcome, examine, subject

MOST_SAID = 160
"""Characters of a message that the table shows."""
FUNCTIONS = ("exp", "softmax", "identity")
FEW = Profile(
    "few",
    structures=5,
    invalid=1,
    values=("ordinary", "halves"),
    shrink=0,
    shrink_other=0,
    scenarios=0,
    gradients=0,
)
"""Five structures of each function, at least one with negative numbers."""


class Hostile(NamedTuple):
    fake: str
    environment: dict[str, str]
    does: str
    verdict: Verdict
    words: str = ""
    """Words in the message."""
    quick: bool = False
    """Whether CI tries it on every Python; the others are much like one of these."""


def _changes(what: str, verdict: Verdict = Verdict.CONFORMS) -> Hostile:
    return Hostile("meddles", {"FAKE_WHAT": what}, f"changes its process: {what}", verdict)


def _frame(what: str, words: str) -> Hostile:
    does = f"sends a frame of its own: {what}"
    return Hostile("forges_frames", {"FAKE_FRAME": what}, does, Verdict.CRASHED, words)


def _forgery(what: str, words: str) -> Hostile:
    does = f"forges an answer that is well-formed: {what}"
    return Hostile("forges_answers", {"FAKE_WHAT": what}, does, Verdict.CRASHED, words)


CRASHED, CONFORMS, LATE = Verdict.CRASHED, Verdict.CONFORMS, Verdict.TIMED_OUT
WRONG = Verdict.VIOLATES
TABLE = (
    Hostile("fills_memory", {}, "fills the memory", CRASHED, "0.25 GiB of memory", True),
    Hostile(
        "fills_memory", {"FAKE_CHILDREN": "3"}, "has children that do", CRASHED, "GiB of memory"
    ),
    Hostile("fills_disk", {}, "fills the disk with files", CRASHED, "2 GiB or 100,000 files"),
    Hostile(
        "fills_disk",
        {"FAKE_FILES": "one"},
        "fills the disk with one file",
        WRONG,
        "File too large",
    ),
    Hostile("floods_output", {}, "prints 8 MiB a call", CONFORMS),
    Hostile("leaves_files", {"FAKE_LIST": "{list}"}, "leaves files that are locked", CONFORMS),
    Hostile("leaves_children", {"FAKE_LIST": "{list}"}, "leaves daemons", CONFORMS, "", True),
    Hostile("forks_without_end", {}, "starts processes without end", CRASHED, "256 processes"),
    Hostile("forks", {}, "forks, and both go on", CONFORMS),
    Hostile("forks", {"FAKE_CHILD": "stays"}, "forks and ends", CRASHED, "exit status 9"),
    Hostile("kills_its_parent", {}, "kills its parent", CRASHED, "signal 9", True),
    Hostile("crashes", {}, "aborts", CRASHED, "signal 6"),
    Hostile(
        "crashes",
        {"FAKE_END": "exit", "FAKE_CODE": "0"},
        "calls `os._exit(0)`",
        CRASHED,
        "exit status 0",
    ),
    Hostile("hangs", {}, "does not come back", LATE, "no answer within"),
    Hostile("ignores_sigterm", {}, "ignores SIGTERM, and hangs", LATE, "no answer within"),
    Hostile("answers_late", {"FAKE_SECONDS": "6"}, "answers after its time", LATE, "no answer"),
    Hostile("closes_descriptors", {}, "closes low descriptors", CONFORMS),
    Hostile(
        "closes_descriptors", {"FAKE_CLOSE": "all"}, "closes all", CRASHED, "exit status 1", True
    ),
    Hostile("writes_garbage", {}, "writes to every descriptor", CRASHED, "begins with"),
    _frame("long header", "the header is 4294967295"),
    _frame("long payload", "the payloads' size is 1152921504606846976"),
    _frame("deep JSON", "not JSON"),
    _frame("pickle", "not numbers or bools"),
    _frame("another request", "got the answer to")._replace(quick=True),
    _frame("promised array", "no answer within")._replace(verdict=LATE),
    _forgery("repeats", "has draw 0 twice")._replace(quick=True),
    _forgery("repeats a little", "which is none or another's"),
    _forgery("omits", "has no value of a draw"),
    _forgery("conceals", "the outputs are not described"),
    _forgery("renames", "in place of 'x'"),
    _forgery("labels", "and its payload is float32"),
    _forgery("adds", "belong to no value"),
    _forgery("talks", "is cut")._replace(verdict=WRONG, words="raises E"),
    _forgery("leaks", "no program can leak"),
    _forgery("raises", "10000 errors, and draws have 0"),
    Hostile("returns_much", {"FAKE_WHAT": "array"}, "returns 150 MiB", WRONG, "19660800", True),
    Hostile("returns_much", {"FAKE_WHAT": "text"}, "says 3 MB that cannot be cut", WRONG, "xxx"),
    Hostile("nests_folders", {}, "leaves 3,000 folders in one another", CONFORMS, "", True),
    Hostile("nests_folders", {"FAKE_LINK": "/var"}, "makes a link of its folder", CONFORMS),
    *(
        _changes(what)
        for what in ("directory", "signals", "timer", "streams", "numpy", "json", "floating point")
    ),
    *(_changes(what) for what in ("locale", "recursion", "umask", "warnings")),
    _changes("trace", WRONG),  # of the draws after it, in the same batch
    _changes("memory", CRASHED),
    Hostile("returns_horrors", {"FAKE_WHAT": "raises"}, "returns what cannot be read", WRONG),
    Hostile("returns_horrors", {"FAKE_WHAT": "nested"}, "returns a list of itself", WRONG),
    Hostile("says_escapes", {}, "raises what would clear a terminal", WRONG),
)


@cache
def usual() -> dict[tuple[str, Aspect], Verdict]:
    """The verdicts on the correct fake."""
    return outcome(Hostile("correct", {}, "", CONFORMS)).verdicts()


def outcome(hostile: Hostile) -> Outcome:
    """A run with 256 MiB for the worker. What must time out has 2 s, and 4 s at the second try."""
    with TemporaryDirectory() as folder:
        listing = str(Path(folder) / "list")
        environment = {
            name: text.format(list=listing) for name, text in hostile.environment.items()
        }
        paths = {"PYTHONPATH": str(FAKES), "PYTHONDONTWRITEBYTECODE": "1"}
        started = Launch(sys.executable, f"fakes.{hostile.fake}", "graph", {**paths, **environment})
        started = replace(started, memory_limit=2**28)
        seconds = 2.0 if hostile.verdict is LATE else 60.0
        tested = subject(hostile.fake, started, Prelude(), CallLimits(structure=seconds, draw=0.0))
        return examine(tested, FUNCTIONS, FEW)


def named(hostile: Hostile) -> str:
    return " ".join([hostile.fake, *(v for v in hostile.environment.values() if v != "{list}")])


class Seen(NamedTuple):
    """What came of a run: besides the results what it cost the host, and what it left."""

    outcome: Outcome
    seconds: float
    memory: int
    """MiB that the host held at most, above what it had held before."""
    left: list[str]
    """Files for temporary files, and processes, that are still there."""


def seen(hostile: Hostile) -> Seen:
    """A run with a folder of its own for all temporary files."""
    begun, held, before = time.monotonic(), _most_held(), tempfile.tempdir
    with TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            result = outcome(hostile)
        finally:
            tempfile.tempdir = before
        left = [*(place.name for place in Path(folder).iterdir()), *_marked()]
    return Seen(result, time.monotonic() - begun, _most_held() - held, left)


def _most_held() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _marked() -> list[str]:
    """The processes that a worker of this process has left."""
    mark, remains = f"{TOKEN}={os.getpid()}-".encode(), []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (place / "environ").read_bytes():
                remains.append(f"process {place.name}")
    return remains


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "hostile",
    [pytest.param(h, id=named(h), marks=() if h.quick else pytest.mark.slow) for h in TABLE],
)
def test_harm_gets_its_verdict_and_no_more(hostile: Hostile) -> None:
    run, seconds, memory, left = seen(hostile)
    result = run.aspect("exp", Aspect.VALUE)
    assert result.verdict is hostile.verdict
    assert hostile.words in " ".join(f.message for f in result.failures)
    others = {k: v for k, v in run.verdicts().items() if k[0] != "exp"}
    assert others == {k: v for k, v in usual().items() if k[0] != "exp"}
    assert run.results.run.complete
    assert seconds < 300
    assert memory < 512
    assert not left


def main() -> None:
    """Print the verdict, the costs and the message of each fake."""
    titles = ("fake", "what its `exp` does", "verdict", "s", "MiB", "left", "what is said")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    usual()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        for row in pool.imap(_row, TABLE, chunksize=1):
            print(row, flush=True)


def _row(hostile: Hostile) -> str:
    """The row of the table, made in a process of its own: so its memory is what the run takes."""
    run, seconds, memory, left = seen(hostile)
    result = run.aspect("exp", Aspect.VALUE)
    message = next((f.message for f in result.failures), "")
    message = message.split("; expected ")[0].split(" in place of ")[0].split(" where ")[0]
    shown = (
        code(message if len(message) <= MOST_SAID else f"{message[:MOST_SAID]}…") if message else ""
    )
    cost = f"{seconds:.0f} | {memory} | {', '.join(left) or 'nothing'}"
    return f"| {named(hostile)} | {hostile.does} | {result.verdict} | {cost} | {shown} |"


if __name__ == "__main__":
    main()
