"""Write the script of a failure: its shown case, and the demand of a right answer.

Every script demands the whole of a right answer: value, shape and dtype. A failure adds its own
matter: a static shape, a reported dtype, inputs that must not change, an exception.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.dtypes import BFLOAT16
from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.invalid_input import LATE
from conformance.engine.judging.metadata import SAME_DTYPE
from conformance.engine.judging.probes import (
    BINDINGS,
    NOT_INTEGERS,
    OWN,
    gradient_probe,
    layout_probe,
    own_gradient_probe,
    shape_probe,
    square_of,
)
from conformance.engine.judging.readings import of_misfit, of_refusal
from conformance.engine.judging.scenarios import ScenarioTrial
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.right_answers import gradient_answer, right_answer
from conformance.engine.verdicts.scenario_scripts import scenario_ending
from conformance.observations import Batch
from conformance.program import Binding, Case, Layout, Made, Program, Ref
from conformance.program.model import AS_THEY_ARE
from conformance.results import FindingKind
from conformance.results.kinds import FATAL
from conformance.scripts import Home, Prelude, comparing_script, endings
from conformance.scripts.answers import Bounded, RightAnswer
from conformance.scripts.endings import Death, ScriptEnding
from conformance.scripts.reaching import reached
from conformance.specs import Signature
from conformance.specs.model import ErrorCase

Array = npt.NDArray[Any]
_NOTHING = Case(Program((), (), ()), {})
_SECONDS = re.compile(r"within ([\d.]+) s")
_MEMORY = re.compile(r"more than ([\d.]+) GiB")
_CHANGES = re.compile(r"changes (.+)")
_DIED = re.compile(r"^ends the process|^gives no answer|is ended")


def script(
    title: str, finding: Finding, trial: Trial | None, prelude: Prelude, documented: Signature
) -> str | None:
    """The script of one failure; `title` says in words what is wrong.

    None if nothing was called and nothing of the function's signature is wrong.
    """
    if trial is None:
        return _without_case(title, finding, prelude, documented)
    case = _run(trial, finding)
    own = _prelude(prelude, trial, documented.name)
    ending = _ending(finding, trial, own)
    if finding.kind in FATAL or (finding.kind == FindingKind.UNMADE_INPUT and _died(finding)):
        ending = replace(ending, death=_death(finding))
    echo = _echo(finding, case) if trial.outputs == "tensors" else None
    return comparing_script(case, own, ending, title, echo=echo, outputs=trial.outputs)


def _run(trial: Trial, finding: Finding) -> Case:
    """The program that was sent to the worker, which may observe more than the case's own.

    Where calls may refuse, the script ends with the first that does, and needs no other care.
    """
    may_refuse = isinstance(trial, ScenarioTrial) and trial.scenario.may_refuse
    program = trial.case(finding.draw).program if may_refuse else trial.batch.program
    if isinstance(trial, CallTrial) and trial.prepared.evidence is None:
        program = replace(program, outputs=program.outputs[:1])
    if finding.checked is not None:
        program = _until(program, finding.checked.values)
    return Case(program, trial.case(finding.draw).arrays)


def _until(program: Program, results: Collection[str]) -> Program:
    """The program without the steps after the last of these results."""
    places = {step.result: place for place, step in enumerate(program.steps)}
    if not results or not places.keys() >= {*results}:
        return program
    last = max(places[name] for name in results)
    return replace(program, steps=program.steps[: last + 1], outputs=tuple(results))


def _prelude(prelude: Prelude, trial: Trial, function: str) -> Prelude:
    """The prelude, with the configuration that the trial needs, and the function under test."""
    prelude = replace(prelude, absent=prelude.absent - {function})
    if trial.setup is None:
        return prelude
    home = Home(trial.setup.configuration, trial.setup.environment)
    return replace(prelude, home=home)


def _echo(finding: Finding, case: Case) -> str | None:
    """The name of a fed input that may have been returned as the result: it has the same elements,
    or the wrong dtype that was found. None if there is none."""
    fed = [i for i in case.program.inputs if i.binding.startswith("placeholder")]
    if not isinstance(finding.got, np.ndarray):
        return next((i.name for i in fed if i.dtype == finding.got), None)
    got = (finding.got.shape, finding.got.tobytes())
    arrays = ((i.name, case.arrays[i.name]) for i in fed)
    return next((name for name, a in arrays if got == (a.shape, a.tobytes())), None)


def _ending(finding: Finding, trial: Trial, prelude: Prelude) -> ScriptEnding:
    if isinstance(trial, CallTrial):
        return _of_call(finding, trial, prelude)
    if isinstance(trial, GradientTrial):
        return _of_gradient(finding, trial)
    assert isinstance(trial, ScenarioTrial)
    ending = scenario_ending(finding, trial)
    return endings.or_raises(ending) if trial.scenario.may_refuse else ending


def _died(finding: Finding) -> bool:
    return bool(_DIED.search(finding.gives))


def _death(finding: Finding) -> Death:
    seconds, memory = _SECONDS.search(finding.gives), _MEMORY.search(finding.gives)
    return Death(
        seconds=None if seconds is None else max(1, round(float(seconds[1]))),
        gibibytes=None if memory is None else float(memory[1]),
    )


# Calls


def _of_call(finding: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    error = trial.prepared.structure.error
    if finding.kind == FindingKind.UNMADE_INPUT:
        return _unmade(finding, trial, prelude)
    if error is not None:
        return _of_invalid_call(finding, trial, error)
    ending = _of_answer(finding, trial)
    specific = _SPECIFIC.get(str(finding.kind))
    if specific is not None:
        ending = endings.also(specific(finding, trial, prelude), ending)
    return endings.or_raises(ending) if _may_refuse(finding, trial) else ending


def _of_answer(finding: Finding, trial: CallTrial) -> ScriptEnding:
    """The answer must be right; where evidence is compared, also the answer's shape and dtype."""
    answer, output = right_answer(finding, trial), trial.batch.program.outputs[0]
    ending = endings.is_answer(answer, reads_dtype=output)
    if finding.gives.startswith("gives a Python "):
        whole = f"assert not isinstance({output}, (list, tuple)), type({output})"
        ending = replace(ending, compare=(whole,))
    evidence, structure = trial.prepared.evidence, trial.prepared.structure
    if evidence is None:
        return ending
    several = len(structure.program.outputs) > 1
    members = "got[1:]" if several else "got"
    given = ((n, _given(value)) for n, value in structure.arguments.items())
    place = f"evidence({members}, {', '.join(f'{n}={value}' for n, value in given)})"
    own = "got[0]" if several else "got"
    compare = [*ending.compare, *endings.has_shape(trial.prepared.shape, own).compare]
    if answer.dtypes:
        compare += endings.has_dtype(answer.dtypes, own).compare
    return ScriptEnding(
        compare,
        answers=((place, replace(answer, dtypes=())),),
        helpers=["", "", *evidence.source("evidence").splitlines(), "", ""],
    )


def _given(argument: Any) -> str:
    """An argument as the script has it: the array that a tensor is made of."""
    if isinstance(argument, Ref):
        return f"{argument.name}_value"
    if isinstance(argument, list | tuple) and any(isinstance(item, Ref) for item in argument):
        return f"[{', '.join(map(_given, argument))}]"
    return repr(argument.value if isinstance(argument, Made) else argument)


def _of_invalid_call(finding: Finding, trial: CallTrial, error: ErrorCase) -> ScriptEnding:
    symbol = trial.batch.program.outputs[0] if finding.detail == LATE else ""
    names = () if error.exception == "any" else (error.exception,)
    return endings.refuses(names, finding.demands or "an exception", symbol)


def _may_refuse(finding: Finding, trial: CallTrial) -> bool:
    """Whether an exception would take a reading that the case allows."""
    if finding.kind == FindingKind.EXCEPTION:
        return False
    points, fits = finding.open_points, partial(trial.prepared.fits, finding.draw)
    return bool(of_refusal(points).conventions or of_misfit(points, fits, refused=True).conventions)


def _unmade(finding: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    """An input that raises, or one whose static shape is wrong from the start."""
    if "raises " in finding.gives or _died(finding):
        return endings.answers(steps=False, observe=())
    inputs = trial.prepared.structure.program.inputs
    made = {i.name: i.shape for i in inputs if i.binding not in AS_THEY_ARE}
    return endings.inputs_fit(made, prelude)


def _claimed_dtype(finding: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    claimed = trial.prepared.structure.claimed
    if finding.demands == SAME_DTYPE:
        named = {finding.got, finding.expected, *(i.dtype for i in trial.batch.program.inputs)}
        several = len(_run(trial, finding).program.outputs) > 1
        got = "got[0]" if several else "got"
        return endings.reports_its_dtype(claimed, prelude, got, half=BFLOAT16 in named)
    return endings.reports_dtype(claimed, str(finding.expected).split(" or "), prelude)


def _static(finding: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    prepared = trial.prepared
    name = prepared.structure.claimed
    if finding.kind == FindingKind.CONTRADICTION:
        return endings.reports_compatible_shape(name, prepared.shape, prelude)
    return endings.reports_shape(name, prepared.static_shape, prelude)


def _integers(_: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    return endings.reports_integers(trial.prepared.structure.claimed, prelude)


def _a_shape(_: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    return endings.reports_a_shape(trial.prepared.structure.claimed, prelude)


def _impure(finding: Finding, trial: CallTrial, prelude: Prelude) -> ScriptEnding:
    """Inputs as they were: the worker reads variables back, constants in eager mode, and arrays."""
    named = _CHANGES.search(finding.gives)
    names = named[1].split(", ") if named else []
    program = reached(trial.prepared.structure.program, prelude)
    bindings = (Binding.VARIABLE, Binding.CONSTANT) if prelude.at_once else (Binding.VARIABLE,)
    variables = [i.name for i in program.inputs if i.binding in bindings]
    read = "evaluated" if "get_value" in prelude.absent or prelude.short else "K.get_value"
    return endings.unchanged(names, variables, read)


_SPECIFIC: Mapping[str, Callable[[Finding, CallTrial, Prelude], ScriptEnding]] = {
    FindingKind.CLAIMED_DTYPE: _claimed_dtype,
    FindingKind.CONTRADICTION: _static,
    FindingKind.UNKNOWN: _static,
    FindingKind.IMPRECISE: _static,
    NOT_INTEGERS: _integers,
    FindingKind.INT_SHAPE_RAISES: _a_shape,
    FindingKind.CHANGED_INPUT: _impure,
}
"""What a script demands for a kind of difference, besides the right answer."""


# Gradients


def _of_gradient(finding: Finding, trial: GradientTrial) -> ScriptEnding:
    """All gradients must be right; where the call itself is wrong, its result."""
    tensors = trial.differentiated.wanted
    if finding.kind == FindingKind.UNMADE_INPUT and "raises " not in finding.gives:
        expected = trial.expected_result(finding.draw)
        numbers = Bounded(expected.value, expected.bound).generous(expected.dtype)
        return endings.is_answer(RightAnswer((numbers,)), "got[-1]", "")
    answers = [(f"got[{i}]", gradient_answer(finding, trial, n)) for i, n in enumerate(tensors)]
    own = trial.differentiated.own  # then the assertions on shapes refuse everything but arrays
    arrays = ScriptEnding() if own else endings.are_arrays("got[:-1]", len(tensors))
    return replace(arrays, answers=tuple(answers))


# Failures without a case


def _without_case(
    title: str, finding: Finding, prelude: Prelude, documented: Signature
) -> str | None:
    if finding.kind == FindingKind.NO_GRADIENTS:
        own = finding.detail == OWN
        probe = own_gradient_probe() if own else gradient_probe(BINDINGS[0])
        return _probe_of_gradients(title, prelude, probe)
    if finding.kind == FindingKind.NO_STATIC_SHAPES:
        probe = shape_probe(Binding.VARIABLE, square_of(documented.name))
        return _probe_of_shapes(title, prelude, probe)
    if finding.kind == FindingKind.MISREAD_ARRAY:
        layout = Layout(finding.detail.split()[0])
        return _probe_of_layout(title, prelude, layout_probe(layout, square_of(documented.name)))
    if finding.kind == FindingKind.ABSENT:
        ending = endings.looked_up(documented.name)
    elif str(finding.kind) in _SIGNATURE_FAULTS:
        own = documented.name.startswith("keras.")  # a name in the package, not in a table
        mapped = prelude.definitions is not None and not own
        ending = _of_signature(finding, documented, mapped=mapped)
    else:
        return None
    return comparing_script(_NOTHING, prelude, ending, title)


def _probe_of_gradients(title: str, prelude: Prelude, probe: Batch) -> str:
    arrays = {name: stacked[0] for name, stacked in probe.arrays.items()}
    point = arrays["x"]
    answer = RightAnswer((Bounded(2 * point, np.zeros(point.shape)),))
    watched = Death() if prelude.definitions is None else None
    ending = replace(endings.is_answer(answer, "got[0]", ""), death=watched)
    return comparing_script(Case(probe.program, arrays), prelude, ending, title, outputs="lists")


def _probe_of_layout(title: str, prelude: Prelude, probe: Batch) -> str:
    arrays = {name: stacked[0] for name, stacked in probe.arrays.items()}
    (item,) = probe.program.inputs
    item = item.bound(Binding.CONSTANT) if "constant" in prelude.short else item
    program = replace(probe.program, inputs=(item,), steps=(), outputs=(item.name,))
    numbers = Bounded(arrays[item.name], np.zeros(item.shape))
    ending = endings.is_answer(RightAnswer((numbers,), (item.dtype,)))
    return comparing_script(Case(program, arrays), prelude, ending, title)


def _probe_of_shapes(title: str, prelude: Prelude, probe: Batch) -> str:
    arrays = {name: stacked[0] for name, stacked in probe.arrays.items()}
    ending = endings.reports_a_shape(probe.program.outputs[0], prelude)
    ending = replace(ending, death=Death())
    whole = replace(prelude, absent=prelude.absent - {"int_shape"})
    return comparing_script(Case(probe.program, arrays), whole, ending, title)


def _of_signature(finding: Finding, documented: Signature, *, mapped: bool) -> ScriptEnding:
    if mapped:  # the table of the mapping defines K, and the signatures there are its own
        return endings.looked_up(documented.name, "keras.backend")
    names = [p.name for p in documented.parameters]
    default = next((p.default for p in documented.parameters if p.name == finding.detail), None)
    fault = _SIGNATURE_FAULTS[str(finding.kind)].format(
        name=finding.detail, names=names, default=default
    )
    return endings.has_signature(documented.name, fault)


_NAMED = "kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY"
_SIGNATURE_FAULTS: Mapping[str, str] = {
    FindingKind.HIDDEN: f"not any(p.kind in ({_NAMED}) for p in offered.values())",
    FindingKind.MISSING_PARAMETER: "{name!r} not in offered",
    FindingKind.EXTRA_PARAMETER: "{name!r} in offered",
    FindingKind.ORDER: "list(offered)[:len({names})] != {names}",
    FindingKind.KEYWORD: "offered[{name!r}].kind != kinds.POSITIONAL_OR_KEYWORD",
    FindingKind.EXTRA_DEFAULT: "offered[{name!r}].default is not kinds.empty",
    FindingKind.MISSING_DEFAULT: "offered[{name!r}].default is kinds.empty",
    FindingKind.DEFAULT: "offered[{name!r}].default != {default}",
}
"""For each kind of difference an expression that is true where it is there."""
