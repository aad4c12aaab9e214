"""A run of which a process is killed, stopped or delayed: what is told, saved and left."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conformance.reporting.json_results import read_results
from conformance.results import Results, timeless
from tests.faults.runs import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")


class Fault(NamedTuple):
    """What is done at a stage, and what comes of it.

    `status` is the exit status. The results are `same` as those of a run that nothing happens to,
    or `verdicts`: they tell of a worker that was started again, besides; with `none`, there are no
    values of the function at this stage until the run is resumed.
    """

    sent: str
    stage: str
    status: int
    results: str = "same"
    kind: str = "sandbox"
    quick: bool = False


KINDS: dict[str, dict[str, Any]] = {
    "sandbox": {"fork": False, "sandbox": True},
    "open": {"fork": False, "sandbox": False},
    "forked": {"fork": True, "sandbox": True},
    "shared": {"jobs": 2},
}
UNTESTED, KILLED, INTERRUPTED = 3, -9, 130
ENDED = (KILLED, INTERRUPTED)
_DELAY = "wait 1"
TABLE = (
    # without the first look the target is run as it says that it is
    *(Fault(f"{role} KILL", "look", 0) for role in ("worker", "guardian", "warden")),
    Fault("worker KILL", "look", 0, "same", "forked"),
    *(
        Fault(f"host {sent}", "look", status, "none")
        for sent, status in (("KILL", KILLED), ("INT", INTERRUPTED), ("TERM", INTERRUPTED))
    ),
    # a target that does not start cannot be run; the next run tests it
    *(Fault(f"{role} KILL", "import", UNTESTED, "none") for role in ("worker", "guardian")),
    Fault("warden KILL", "import", UNTESTED, "none"),
    # in place of a zygote that does not start there is a worker that does
    Fault("zygote KILL", "import", 0, "same", "forked"),
    # a worker that is lost is replaced
    Fault("worker KILL", "softmax", 0, "verdicts", quick=True),
    Fault("guardian KILL", "softmax", 0, "verdicts"),
    Fault("warden KILL", "softmax", 0, "verdicts"),
    Fault("guardian KILL", "softmax", 0, "verdicts", "open", quick=True),
    Fault("warden KILL", "softmax", 0, "verdicts", "open"),
    Fault("worker KILL", "softmax", 0, "verdicts", "forked"),
    Fault("guardian KILL", "softmax", 0, "verdicts", "forked"),
    Fault("warden KILL", "softmax", 0, "verdicts", "forked"),
    Fault("zygote KILL", "softmax", 0, "same", "forked"),
    Fault("worker KILL", "argmax", 0, "verdicts"),
    # a delay changes nothing
    *(
        Fault(f"{role} STOP, {_DELAY}, {role} CONT", stage, 0, "same", kind)
        for stage in ("import", "softmax")
        for kind, roles in {
            "sandbox": ("host", "warden", "guardian", "worker"),
            "forked": ("host", "warden", "guardian", "zygote", "worker"),
        }.items()
        for role in roles
    ),
    # a process of the host that judges, as when the machine's memory runs out
    Fault("judge KILL", "softmax", UNTESTED, "none", "shared", quick=True),
    *(
        Fault(f"{role} STOP, {_DELAY}, {role} CONT", "softmax", 0, "same", "shared")
        for role in ("host", "judge", "guardian", "worker")
    ),
    # by then the other worker has imported the module, too
    Fault("wait 5, worker KILL", "softmax", 0, "verdicts", "shared"),
    Fault("host KILL", "softmax", KILLED, "none", "shared"),
    Fault("judge STOP, host KILL", "softmax", KILLED, "none", "shared"),
    Fault("host TERM", "softmax", INTERRUPTED, "none", "shared"),
    # those who only watch are woken at the end
    Fault("guardian STOP", "softmax", 0, "same"),
    Fault("guardian STOP", "softmax", 0, "same", "open"),
    Fault("warden STOP", "softmax", 0, "same"),
    Fault("warden STOP", "softmax", 0, "same", "forked"),
    # a run that is ended can be resumed
    *(Fault("host KILL", stage, KILLED, "none") for stage in ("import", "softmax", "argmax")),
    Fault("host KILL", "softmax", KILLED, "none", "forked"),
    Fault("host STOP, host KILL", "softmax", KILLED, "none"),
    Fault("guardian STOP, host KILL", "softmax", KILLED, "none", quick=True),
    Fault("guardian KILL, host KILL", "softmax", KILLED, "none", "open"),
    Fault("host INT", "softmax", INTERRUPTED, "none"),
    Fault("host TERM", "softmax", INTERRUPTED, "none"),
    Fault("host TERM", "import", INTERRUPTED, "none"),
)


def _parameters() -> list[Any]:
    ids = [f"{f.sent}, {f.stage}, {f.kind}" for f in TABLE]
    marks = [() if f.quick else pytest.mark.slow for f in TABLE]
    return [pytest.param(f, id=i, marks=m) for f, i, m in zip(TABLE, ids, marks, strict=True)]


@pytest.mark.parametrize("fault", _parameters())
def test_a_fault_is_told_and_nothing_is_lost(
    fault: Fault, tmp_path: Path, undisturbed: Path
) -> None:
    whole = timeless(read_results(undisturbed))
    run = Run(tmp_path / "run", fault.stage, **KINDS[fault.kind])
    run.start()
    family = run.reach()
    family.send(fault.sent)
    if fault.status not in ENDED:
        run.go()
    assert run.status() == fault.status, run.console.read_text()
    assert not family.left_after(30.0)
    assert "Traceback" not in run.console.read_text()
    assert not run.left()
    if fault.results == "none":
        _check_part(run, fault.stage, whole)
        assert run.to_the_end("--resume") == 0
    assert _verdicts(run.results) == _verdicts(whole)
    if fault.results != "verdicts":
        assert timeless(run.results) == whole


def _check_part(run: Run, stage: str, whole: Results) -> None:
    """What is saved of functions that were finished is right; it does not say what the function at
    this stage computes."""
    if (run.output / "staged.json").exists():
        expected, begun = _verdicts(whole), run.results.run.unfinished or ()
        verdicts = {cell: v for cell, v in _verdicts(run.results).items() if v != "not run"}
        assert {c: v for c, v in verdicts.items() if c[0] not in begun}.items() <= expected.items()
        assert (stage, "value") not in verdicts


def _verdicts(results: Results) -> dict[tuple[str, str], str]:
    return {
        (function.function, cell.aspect.value): cell.verdict.value
        for function in results.functions
        for cell in function.aspects
    }
