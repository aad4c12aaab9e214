"""A program that fails for its later numbers alone, as one that calls its function again.

The numbers of a program are computed one after the other with the same graph. Where the last of
them alone are computed rightly, the fault lies in what came before.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from conformance.fuzz.bounds.sessions import CALL, is_session
from conformance.fuzz.judging import Question
from conformance.fuzz.making.freedom import is_fed, maker, start_of
from conformance.program import Binding, Input, Program, Ref, Step


def last_alone(question: Question, draw: int) -> Question:
    """The question with the numbers of one draw."""
    return replace(question, arrays=[question.arrays[draw]], courses=())


def calling_again(question: Question, draw: int) -> Question | None:
    """The function of the program, compiled once and called with the draws up to this one.

    Variables and constants have the numbers of this draw all along. None if nothing is fed.
    """
    program, known = question.program, question.arrays[: draw + 1]
    fed = [i for i in program.inputs if is_fed(i)]
    if is_session(program) or not fed or any(i.binding is Binding.ARRAY for i in program.inputs):
        return None
    arrays = {f"{i.name}_{n}": a[i.name] for n, a in enumerate(known) for i in fed}
    arrays |= {start_of(i): known[draw][i.name] for i in program.inputs if i not in fed}
    given, outputs = [Ref(i.name) for i in fed], [Ref(name) for name in program.outputs]
    calls = tuple(
        Step(f"call_{n}", CALL, (Ref("f"), [Ref(f"{i.name}_{n}") for i in fed]))
        for n in range(draw + 1)
    )
    made = Step("f", "function", (list(given), list(outputs)))
    steps = (*map(maker, program.inputs), *program.steps, made, *calls)
    inputs = tuple(
        Input(name, np.shape(a), np.asarray(a).dtype.name, Binding.ARRAY)
        for name, a in arrays.items()
    )
    whole = Program(inputs, steps, tuple(call.result for call in calls))
    return Question(whole, [arrays], question.edition)
