"""How soon composed programs show faults of two particular calls that chance has drawn.

    python -m benchmarks.pairs [SEED]

Twenty pairs of functions of K are drawn with the seed (0) from all that documents name
(`tests/fuzz/pair_faults.py`), and each is made wrong in the reference. All faults are hunted at one
time, which saves making the programs twenty times. A program that lacks one of the two functions
cannot show a fault and is not run with it. The seconds are those of one hunt by itself: those of
the processor to make each program, to run it on the right reference, and to judge it.
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from rich.table import Table

from benchmarks.printing import printed
from conformance.adapters.session import Session
from conformance.fuzz.judging import judged
from conformance.fuzz.making.composing import composed
from conformance.fuzz.making.growth import ComposedProgram, Plan
from conformance.fuzz.making.pairs import Pair, blocks, existing
from conformance.fuzz.running.target import question_of
from conformance.specs.load import documented_name
from tests.fuzz.hunting import subject
from tests.fuzz.kit import EDITION
from tests.fuzz.pair_faults import PairFault, drawn

COUNT, LIMIT = 20, 60.0
"""Faults, and seconds of the processor for each."""


class Hunt:
    """The faults that no program has shown yet."""

    def __init__(self, stack: ExitStack, faults: list[PairFault]) -> None:
        self.right = stack.enter_context(subject("").open((), 0))
        self.workers = [*_children(os.getpid())]
        self.left = {f: stack.enter_context(subject(f.name).open((), 0)) for f in faults}
        self.making = 0.0

    @property
    def seconds(self) -> float:
        """The time of the processor that a hunt has taken so far."""
        return self.making + sum(map(_seconds, self.workers))

    def run(self, program: ComposedProgram) -> Iterator[PairFault]:
        """The faults that a program shows."""
        called = {documented_name(call.spec, EDITION) for call in program.calls}
        for fault, session in [*self.left.items()]:
            if {fault.feeder, fault.taker} <= called and _differs(session, program):
                del self.left[fault]
                yield fault

    def make(self, plan: Plan, number: int) -> ComposedProgram:
        """The program with this number, which the right reference answers as it should."""
        begun = time.process_time()
        program = composed(plan, number)
        assert not _differs(self.right, program), f"the reference fails in program {number}"
        self.making += time.process_time() - begun
        return program


def _children(process: int) -> Iterator[int]:
    """The processes below one."""
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            yield child
            yield from _children(child)


def _seconds(process: int) -> float:
    """The processor's time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _differs(session: Session, program: ComposedProgram) -> bool:
    question = question_of(program)
    return bool(judged(question, session.run_batch(question.batch)).differences)


def main() -> None:
    """Hunt, and print the table."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    known = {*existing(EDITION)}
    joined = (f for f in drawn(seed) if Pair(*f[:3]) in known)
    faults = [*itertools.islice(joined, COUNT)]
    plan, shown = Plan(EDITION, 0), dict[PairFault, tuple[int, float]]()
    blocks(plan)
    with ExitStack() as stack:
        hunt = Hunt(stack, faults)
        for number in itertools.count():
            program = hunt.make(plan, number)
            if hunt.seconds > LIMIT:
                break
            shown |= dict.fromkeys(hunt.run(program), (number + 1, hunt.seconds))
    table = Table("fault", "of the", "programs", "s")
    for fault in faults:
        text = f"{fault.taker}({fault.parameter}={fault.feeder}(...))"
        programs, seconds = shown.get(fault, ("not shown", 0.0))
        table.add_row(text, fault.sort, str(programs), f"{seconds:.1f}" if seconds else "")
    printed(table)
    print(f"{len(shown)} of {len(faults)} in {LIMIT:.0f} s; {number} programs")


if __name__ == "__main__":
    main()
