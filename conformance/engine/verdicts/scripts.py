"""Write the script of a failure: its shown case, and what tells whether the fault is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import Finding
from conformance.engine.judging.gradients import GradientTrial
from conformance.engine.judging.metadata import SAME_DTYPE
from conformance.engine.judging.probes import (
    BINDINGS,
    NOT_INTEGERS,
    OWN,
    gradient_probe,
    own_gradient_probe,
    shape_probe,
)
from conformance.engine.judging.readings import (
    is_rank_alone,
    of_misfit,
    of_refusal,
    shapes_read,
)
from conformance.engine.judging.trials import Trial
from conformance.engine.verdicts.limits import limits_of, named_index
from conformance.observations import Batch
from conformance.program import Binding, Case, Home, Prelude, Program, endings
from conformance.program.endings import Death, Ending
from conformance.program.model import AS_THEY_ARE
from conformance.program.reaching import reached
from conformance.program.script import comparing_script
from conformance.results import FindingKind
from conformance.results.kinds import FATAL
from conformance.specs import Signature

Array = npt.NDArray[Any]
_NOTHING = Case(Program((), (), ()), {})
_SECONDS = re.compile(r"within ([\d.]+) s")
_MEMORY = re.compile(r"more than ([\d.]+) GiB")
_CHANGES = re.compile(r"changes (.+)")
_OF_INPUT = re.compile(r" for (\w+)$")


def script(
    title: str, finding: Finding, trial: Trial | None, prelude: Prelude, documented: Signature
) -> str | None:
    """The script of one failure; `title` says in words what is wrong.

    None if nothing was called and nothing of the function's signature is wrong.
    """
    if trial is None:
        return _without_case(title, finding, prelude, documented)
    case = _run(trial, finding.draw)
    made = _prelude(prelude, trial, documented.name)
    ending = _ending(finding, trial, made)
    echo = _echo(finding, case) if trial.outputs == "tensors" else None
    return comparing_script(case, made, ending, title, echo=echo, outputs=trial.outputs)


def _run(trial: Trial, draw: int) -> Case:
    """The program that was sent to the worker, which may observe more than the case's own."""
    return Case(trial.batch.program, trial.case(draw).arrays)


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


def _ending(finding: Finding, trial: Trial, prelude: Prelude) -> Ending:
    demands = finding.demands or "an answer"
    if finding.kind in FATAL or (finding.kind == FindingKind.UNMADE_INPUT and _died(finding)):
        return endings.dies(demands, _death(finding, trial))
    if isinstance(trial, CallTrial):
        return _of_call(finding, trial, demands, prelude)
    if "raises " in finding.gives and finding.checked is None:
        if trial.outputs != "values":
            return endings.answers(demands)
        return endings.gave(demands, trial.batch.program.outputs, "False")
    if isinstance(trial, GradientTrial):
        return _of_gradient(finding, trial)
    return _of_scenario(finding, trial)


def _died(finding: Finding) -> bool:
    return bool(re.search(r"^ends the process|^gives no answer|is ended", finding.gives))


def _death(finding: Finding, trial: Trial) -> Death:
    seconds, memory = _SECONDS.search(finding.gives), _MEMORY.search(finding.gives)
    return Death(
        seconds=None if seconds is None else max(1, round(float(seconds[1]))),
        gibibytes=None if memory is None else float(memory[1]),
        refusal=isinstance(trial, CallTrial) and trial.prepared.structure.error is not None,
    )


# Calls


def _of_call(finding: Finding, trial: CallTrial, demands: str, prelude: Prelude) -> Ending:
    error = trial.prepared.structure.error
    if finding.kind == FindingKind.INT_SHAPE_RAISES:
        return endings.reports_a_shape(trial.prepared.structure.claimed, demands)
    if finding.kind == FindingKind.UNMADE_INPUT:
        return _unmade(finding, trial)
    if error is not None:
        names = () if error.exception == "any" else (error.exception,)
        return endings.refuses(names, demands)
    if finding.kind == FindingKind.EXCEPTION:
        return endings.answers(demands)
    if finding.kind == FindingKind.CHANGED_INPUT:
        return _impure(finding, trial, prelude)
    compare = _COMPARED.get(str(finding.kind))
    if compare is None:
        both = isinstance(finding.got, np.ndarray) and isinstance(finding.expected, np.ndarray)
        compare = _elements if both else _one_array
    ending = compare(finding, trial)
    return endings.or_refuses(ending) if _may_refuse(finding, trial) else ending


def _may_refuse(finding: Finding, trial: CallTrial) -> bool:
    """Whether an exception would take a reading that the case allows."""
    points, fits = finding.open_points, partial(trial.prepared.fits, finding.draw)
    return bool(of_refusal(points).conventions or of_misfit(points, fits, refused=True).conventions)


def _unmade(finding: Finding, trial: CallTrial) -> Ending:
    """An input that raises, or one whose static shape is wrong from the start."""
    if "raises " in finding.gives:
        return endings.answers("an input", steps=False, observe=())
    inputs = trial.prepared.structure.program.inputs
    made = {i.name: i.shape for i in inputs if i.binding not in AS_THEY_ARE}
    return endings.inputs_fit(made)


def _elements(finding: Finding, trial: CallTrial) -> Ending:
    assert isinstance(finding.got, np.ndarray)
    assert isinstance(finding.expected, np.ndarray)
    limits = limits_of(finding, trial)
    ending = endings.has_elements(finding.expected, limits, named_index(finding))
    others = _shapes_read(finding, trial) - {finding.expected.shape}
    return endings.or_shapes(ending, sorted(others))


def _shapes_read(finding: Finding, trial: CallTrial) -> set[tuple[int, ...]]:
    """The shapes that the result has under readings of what is open in the case."""
    read = shapes_read(finding.open_points, partial(trial.prepared.shape_under, finding.draw))
    return set().union(*read.values())


def _shape(finding: Finding, trial: CallTrial) -> Ending:
    shape = trial.prepared.shape
    # where the rank is right, the message demands the shapes that the readings give
    if is_rank_alone(finding.open_points) and not finding.demands.startswith("("):
        return endings.has_rank(len(shape))
    others = _shapes_read(finding, trial) - {shape}
    return endings.or_shapes(endings.has_shape(shape), sorted(others))


def _dtype(finding: Finding, trial: CallTrial) -> Ending:
    accepted = str(finding.expected).split(" or ")
    if finding.kind == FindingKind.DTYPE:
        return endings.has_dtype(accepted)
    if finding.demands == SAME_DTYPE:
        return endings.reports_its_dtype(trial.prepared.structure.claimed)
    return endings.reports_dtype(trial.prepared.structure.claimed, accepted)


def _static(finding: Finding, trial: CallTrial) -> Ending:
    prepared = trial.prepared
    name = prepared.structure.claimed
    if finding.kind == FindingKind.CONTRADICTION:
        return endings.reports_shape(name, [prepared.shape], precise=False)
    return endings.reports_shape(name, [prepared.static_shape], precise=True)


def _integers(finding: Finding, trial: CallTrial) -> Ending:
    return endings.reports_integers(trial.prepared.structure.claimed, finding.demands)


def _impure(finding: Finding, trial: CallTrial, prelude: Prelude) -> Ending:
    """Inputs as they were. A worker reads variables back, and of what else there is the arrays."""
    found = _CHANGES.search(finding.gives)
    names = found[1].split(", ") if found else []
    program = reached(trial.prepared.structure.program, prelude)
    variables = [i.name for i in program.inputs if i.binding is Binding.VARIABLE]
    read = "evaluated" if "get_value" in prelude.absent else "K.get_value"
    return endings.unchanged(names, variables, read)


def _one_array(_: Finding, trial: CallTrial) -> Ending:
    return endings.is_one_array(trial.prepared.shape)


_COMPARED: Mapping[str, Callable[[Finding, CallTrial], Ending]] = {
    FindingKind.VALUE: _elements,
    FindingKind.ACCURACY: _elements,
    FindingKind.SHAPE: _shape,
    FindingKind.NO_ARRAY: _one_array,
    FindingKind.DTYPE: _dtype,
    FindingKind.CLAIMED_DTYPE: _dtype,
    FindingKind.CONTRADICTION: _static,
    FindingKind.UNKNOWN: _static,
    FindingKind.IMPRECISE: _static,
    NOT_INTEGERS: _integers,
}
"""What a script compares for each kind of difference of a call."""


# Gradients


def _of_gradient(finding: Finding, trial: GradientTrial) -> Ending:
    wanted = trial.differentiated.wanted
    if finding.kind == FindingKind.UNMADE_INPUT:
        return replace(endings.has_shape((), "got[-1]"), **_result_shape(finding))
    if finding.kind == FindingKind.COUNT:
        return endings.is_one_array((), "got[:-1]", len(wanted))
    name = _OF_INPUT.search(finding.gives)
    place = [*wanted].index(name[1]) if name else 0
    got = f"got[{place}]"
    if finding.kind == FindingKind.NO_ARRAY:
        shape = trial.case(finding.draw).program.input(wanted[place]).shape
        return endings.is_one_array(shape, f"[{got}]")
    if finding.kind == FindingKind.SHAPE:
        return endings.has_shape(trial.case(finding.draw).program.input(wanted[place]).shape, got)
    assert isinstance(finding.expected, np.ndarray)
    limits = limits_of(finding, trial)
    return endings.has_elements(finding.expected, limits, named_index(finding), got)


def _result_shape(finding: Finding) -> dict[str, Any]:
    """The parts of an ending that compares the shape of the call's own result."""
    wanted = finding.demands.removeprefix("one of shape ")
    compare = ("came = str(np.shape(got[-1]))", f"fault = came != {wanted!r}")
    return {"expected": f"a result of shape {wanted}", "compare": compare}


# Scenarios


def _of_scenario(finding: Finding, trial: Trial) -> Ending:
    """What a check of a scenario demands of the outputs that it looks at.

    If the check says so itself, that; if it compares arrays, their elements; else that the answer
    is another than the one that was found.
    """
    checked = finding.checked
    if checked is None:
        return endings.answers(finding.demands)
    names = tuple(checked.values)
    if checked.wrong:
        return endings.gave_elements(finding.demands, names, _source(checked.wrong))
    if checked.fault:
        return endings.gave(finding.demands, names, _source(checked.fault))
    place = _place(finding, checked.values.values())
    if place is not None and isinstance(finding.expected, np.ndarray):
        return _of_place(finding, trial, names, place)
    found = [[_plain(value) for value in values] for values in checked.values.values()]
    fault = f"same([[measured(item) for item in part] for part in values], {found!r})"
    return endings.gave(finding.demands, names, _source(fault))


def _source(text: str) -> str:
    """The printed lists of numbers as Python source."""
    return re.sub(r"(?<![\w.'])(nan|inf)\b", r"np.\1", text)


def _place(finding: Finding, outputs: Iterable[Sequence[Any]]) -> tuple[int, int] | None:
    """Which output gave the array that was found, and where in it."""
    for number, values in enumerate(outputs):
        for item, value in enumerate(values):
            if value.array is not None and value.array is finding.got:
                return number, item
    return None


def _of_place(
    finding: Finding, trial: Trial, names: tuple[str, ...], place: tuple[int, int]
) -> Ending:
    wanted = np.asarray(finding.expected)
    got = f"values[{place[0]}][{place[1]}]"
    if finding.detail == "dtype":
        compare = (f"came = str(np.asarray({got}).dtype)", f"fault = came != {wanted.dtype.name!r}")
        made = Ending(wanted.dtype.name, compare)
    elif isinstance(finding.got, np.ndarray) and finding.got.shape != wanted.shape:
        made = endings.has_shape(wanted.shape, got)
    else:
        limits = limits_of(finding, trial)
        made = endings.has_elements(wanted, limits, named_index(finding), got)
    helpers = (*made.helpers, *endings.FLAT)
    listed = "".join(f"flat({name}), " for name in names)
    return replace(made, helpers=helpers, observe=(f"values = [{listed}]",))


def _plain(value: Any) -> Any:
    """What a script's `measured` gives for the value."""
    if value.array is None:
        told = value.python_type if value.text is None else value.text
        return None if value.python_type == "NoneType" else told
    if value.array.size <= endings.MOST_COMPARED:
        return value.array.tolist()
    numbers = value.array.astype("float64")
    measures = (numbers.min(), numbers.max(), numbers.mean(), (numbers == 0).mean())
    return [list(value.array.shape), *map(float, measures)]


# Failures without a case


def _without_case(
    title: str, finding: Finding, prelude: Prelude, documented: Signature
) -> str | None:
    if finding.kind == FindingKind.NO_GRADIENTS:
        own = finding.detail == OWN
        probe = own_gradient_probe() if own else gradient_probe(BINDINGS[0])
        return _probe_of_gradients(title, prelude, probe)
    if finding.kind == FindingKind.NO_STATIC_SHAPES:
        return _probe_of_shapes(title, prelude, shape_probe(Binding.VARIABLE))
    if finding.kind == FindingKind.ABSENT:
        ending = endings.looked_up(documented.name)
    elif str(finding.kind) in _SIGNATURE_FAULTS:
        ending = _of_signature(finding, documented, mapped=prelude.definitions is not None)
    else:
        return None
    return comparing_script(_NOTHING, prelude, ending, title)


def _probe_of_gradients(title: str, prelude: Prelude, probe: Batch) -> str:
    arrays = {name: stacked[0] for name, stacked in probe.arrays.items()}
    point = arrays["x"]
    ending = endings.has_elements(2 * point, np.zeros(point.shape), (0,) * point.ndim)
    ending = replace(ending, death=Death(compares=True))
    return comparing_script(Case(probe.program, arrays), prelude, ending, title, outputs="lists")


def _probe_of_shapes(title: str, prelude: Prelude, probe: Batch) -> str:
    arrays = {name: stacked[0] for name, stacked in probe.arrays.items()}
    (point,) = arrays.values()
    ending = endings.reports_a_shape(probe.program.outputs[0], str(point.shape))
    ending = replace(ending, death=Death(compares=True))
    whole = replace(prelude, absent=prelude.absent - {"int_shape"})
    return comparing_script(Case(probe.program, arrays), whole, ending, title)


def _of_signature(finding: Finding, documented: Signature, *, mapped: bool) -> Ending:
    if mapped:  # the table of the mapping defines K, and the signatures there are its own
        return endings.looked_up(documented.name, "keras.backend")
    names = [p.name for p in documented.parameters]
    default = next((p.default for p in documented.parameters if p.name == finding.detail), None)
    fault = _SIGNATURE_FAULTS[str(finding.kind)].format(
        name=finding.detail, names=names, default=default
    )
    return endings.has_signature(documented.name, finding.demands, fault)


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
