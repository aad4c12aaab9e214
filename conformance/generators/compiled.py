"""Compiled calls: the same call, which the implementation compiles before it computes it.

No document has a function that compiles; `compiled` is that of a mapping, which does it as users of
each backend do.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from conformance.generators.complex_numbers import call_of
from conformance.generators.structure import Structure
from conformance.generators.twins import of_constants, with_program
from conformance.program import Argument, Made, Program, Ref, Step
from conformance.program.model import COMPILED, TENSORS_OF_INTEGERS
from conformance.specs.convention_names import ConventionName


def compiled(
    structure: Structure, *, whole: bool | Collection[str], in_any_dtype: bool = False
) -> Structure | None:
    """The call compiled, of tensors of the backend; None where it would rest on anything else.

    `whole` asks for more of a compiler that has a choice: one program without Python in between. Or
    it names the inputs with batches, whose length a compiler need not know.
    With `in_any_dtype` no document need name the dtype of its tensors.
    """
    program = structure.program
    if structure.error is not None or structure.claimed != "result" or not program.inputs:
        return None
    made = (value for value in structure.arguments.values() if isinstance(value, Made))
    if any(value.kind in TENSORS_OF_INTEGERS for value in made):
        return None
    argument = whole if isinstance(whole, bool) else [Ref(name) for name in whole]
    call = with_program(structure, _compiled(program, argument), {})
    rests_on_dtype = in_any_dtype and call.unsettled == (ConventionName.INPUT_DTYPE,)
    if not (call.settled or rests_on_dtype):
        return None
    return replace(call, unsettled=(ConventionName.COMPILED_CALL, *call.unsettled))


def _compiled(program: Program, whole: Argument) -> Program:
    first = call_of(program)
    call = Step(first.result, COMPILED, (first.function, whole, *first.args), first.kwargs)
    steps = tuple(call if step is first else step for step in program.steps)
    return replace(of_constants(program), steps=steps)
