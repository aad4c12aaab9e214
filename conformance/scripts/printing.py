"""Print a case as a standalone script: header, inputs, calls and comparison."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping, Sequence

from conformance.dtypes import BFLOAT16
from conformance.program.calls import (
    catches_prints,
    imports_again,
    step_lines,
    uses_package,
)
from conformance.program.layouts import relaid
from conformance.program.model import (
    AS_THEY_ARE,
    BACKEND,
    Case,
    Layout,
    Outputs,
    Program,
    Ref,
    Step,
)
from conformance.scripts.endings import ScriptEnding, watching
from conformance.scripts.literals import assignment
from conformance.scripts.own_means import OwnMeans
from conformance.scripts.prelude import COMPUTED, Home, Prelude
from conformance.scripts.reaching import bound, fed_inputs, reached
from conformance.source_text import comment, inside

JUDGES = "status 0 only if right"
"""The words of a script's header about its exit status."""
ACCEPTS_REFUSAL = "status 0 if right or refused"
"""The same where an exception of the calls is also right."""
_LONG = 10_000
"""Columns of a line at the head of a script that is not folded."""
_TITLE = 120
"""Columns of the message at the head of a script."""
_WIDTH = 110
"""Columns of a line that has an array in it."""


_LAST = "got[-1]"
"""The result of a call in an ending that asks for it after the gradients."""

PRINTED = """
def printed(function, *args):
    import ctypes, os, sys, tempfile
    streams = sys.stdout, sys.stderr
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as file:
        try:
            for number, stream in enumerate(streams, 1):
                stream.flush()
                os.dup2(file.fileno(), number)
            function(*args)
        finally:
            ctypes.CDLL(None).fflush(None)
            for number, stream in enumerate(streams, 1):
                stream.flush()
                os.dup2(kept[number - 1], number)
        file.seek(0)
        return file.read().decode(errors='replace')

""".splitlines()
"""A function for scripts that returns what a call prints."""

IMPORTED = """
def printed_import():
    import subprocess, sys
""".splitlines()
"""The beginning of a function that returns the print of another process that imports the module."""


def comparing_script(
    case: Case,
    prelude: Prelude,
    ending: ScriptEnding,
    title: str,
    *,
    echo: str | None = None,
    outputs: Outputs = "tensors",
) -> str:
    """Python source that runs the case and ends with status 0 only where its answer is right, or
    where an exception of its calls is, if the ending says so.

    `title` says in words what the fault is. `echo` names a fed input that the function may have
    returned as its result: some implementations cannot compute an output that is an input.
    `outputs` says what the outputs are.
    """
    program = reached(case.program, prelude)
    means = OwnMeans(program, prelude, unless=_LAST in str(ending.answers))
    program = means.program
    inputs = _inputs(program, prelude)
    calls = _calls(means, prelude, ending, echo, outputs)
    statements = [*ending.statements(prelude)]
    own = _own_helpers(ending, [*calls, *statements], prelude)
    before = [f"{n}_before = {n}_value.copy()" for n in case.arrays if f"{n}_before" in str(ending)]
    body = _inlined(
        _values(case, prelude), [*before, *inputs, *_guarded(calls, ending), *statements]
    )
    called = [*body, *own]
    uses = uses_package(program.steps) or any("keras." in line for line in called)
    imports = _prelude(prelude, called, [*means.imports], uses_package=uses)
    watch = watching(ending.death) if ending.death else ()
    lines = [*_head(title, prelude, ending), *watch, *imports, *_printing(program, prelude), *own]
    return _joined([*lines, *body], prelude)


def _own_helpers(ending: ScriptEnding, lines: Sequence[str], prelude: Prelude) -> list[str]:
    """The definitions that the lines need: first the function that evaluates a tensor."""
    helpers = [*ending.helpers]
    return [*_evaluating(prelude, [*lines, *helpers]), *helpers]


def _calls(
    means: OwnMeans, prelude: Prelude, ending: ScriptEnding, echo: str | None, outputs: Outputs
) -> list[str]:
    """The steps, what is observed, and the reading of the outputs."""
    program = means.program
    steps = [line for step in program.steps if ending.steps for line in _step(step, prelude, means)]
    observed = [*(ending.observe or ())]
    if ending.observe is not None and not (ending.computes and ending.answers):
        return [*steps, *observed]
    if means.differentiates:
        (gradients,) = program.outputs
        return [*steps, *observed, f"got = [{_read(prelude, 'g')} for g in {gradients}]"]
    return [*steps, *observed, *_computed_outputs(program, prelude, ending, echo, outputs)]


def _step(step: Step, prelude: Prelude, means: OwnMeans) -> Iterator[str]:
    """The statements of a step; a dtype and a static shape are read without the help of `K`."""
    if means.takes(step):
        yield from means.lines(step)
        return
    words = prelude.short.get(step.function) if step.function in ("dtype", "int_shape") else None
    match step.args:
        case [Ref(name=tensor)] if words and not step.kwargs and not step.attempt:
            yield f"{step.result} = {words.format(tensor=tensor)}"
        case _:
            yield from step_lines(step)


def _guarded(calls: Sequence[str], ending: ScriptEnding) -> Iterator[str]:
    """The calls; in a `try` where they must raise, or may."""
    if ending.raises is None and not ending.may_raise:
        yield from calls
        return
    yield "try:"
    yield from (f"    {line}" for line in calls)
    if ending.raises is None:
        yield from ("except Exception:", "    raise SystemExit(0)")
        return
    yield from _caught(ending.raises)
    yield f"raise AssertionError({f'expected {ending.expected}'!a})"


def _caught(names: Sequence[str]) -> Iterator[str]:
    """The end of a `try` that passes for these exceptions, for any if there are no names."""
    if all(map(_is_builtin_error, names)):
        classes = ", ".join(names) or "Exception"
        yield f"except {f'({classes})' if len(names) > 1 else classes}:"
        yield "    raise SystemExit(0)"
        return
    yield "except Exception as error:"
    yield "    classes = {c.__name__ for c in type(error).__mro__}"
    yield f"    raise SystemExit(int(classes.isdisjoint({[*names]!r})))"


def _is_builtin_error(name: str) -> bool:
    known = getattr(builtins, name, None)
    return isinstance(known, type) and issubclass(known, Exception)


def _inlined(values: Mapping[str, Sequence[str]], lines: Sequence[str]) -> list[str]:
    """The lines with the arrays that they need: in place where one is short and used once."""
    before: list[str] = []
    body = [*lines]
    for name, lines_of in values.items():
        word = re.compile(rf"\b{name}\b")
        places = [n for n, line in enumerate(body) for _ in word.finditer(line)]
        text = lines_of[0].partition(" = ")[2] if len(lines_of) == 1 else ""
        if len(places) == 1 and text and len(text) + len(body[places[0]]) <= _WIDTH:
            start, end = word.split(body[places[0]])
            body[places[0]] = f"{start}{text}{end}"
        elif places:
            before += lines_of
    return [*before, *body]


def _evaluating(prelude: Prelude, lines: Sequence[str]) -> Iterator[str]:
    """The function that gives the value of one tensor as the worker reads it, if lines call it."""
    if not any("evaluated(" in line for line in lines):
        return
    yield from ("", "", "def evaluated(value):")
    each = f"return {_read(prelude, 'value')}"
    if prelude.at_once:
        yield f"    {each}"
    else:
        yield from ("    try:", "        return K.function([], [value])([])[0]")
        yield from ("    except Exception:", f"        {each}")
    yield from ("", "")


def _printing(program: Program, prelude: Prelude) -> Iterator[str]:
    """The functions that catch what the program's steps print, as far as it needs them."""
    if catches_prints(program.steps):
        yield from PRINTED
    if imports_again(program.steps):
        paths = [f"import sys; sys.path[:0] = {list(prelude.paths)!r}"] if prelude.paths else []
        source = "; ".join([*paths, *prelude.imports])
        yield from IMPORTED
        yield f"    done = subprocess.run([sys.executable, '-c', {source!r}],"
        yield "                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)"
        yield from ("    return done.stdout.decode(errors='replace')", "")


def _joined(lines: Sequence[str], prelude: Prelude) -> str:
    script = "\n".join(lines) + "\n"
    return script.replace(BACKEND, inside(prelude.backend)) if prelude.home else script


def _head(title: str, prelude: Prelude, ending: ScriptEnding) -> Iterator[str]:
    yield from comment(title, _TITLE)
    made_for = prelude.made_for or "any that has the library"
    status = ACCEPTS_REFUSAL if ending.may_raise else JUDGES
    yield from comment(f"Made for {made_for}; {status}.", _LONG)
    yield from (line for sentence in prelude.needs for line in comment(sentence, _LONG))


def _values(case: Case, prelude: Prelude) -> dict[str, list[str]]:
    """The statements that make each array."""
    items = {item.name: item for item in case.program.inputs}
    statements = {}
    for name, array in case.arrays.items():
        layout = items[name].layout if name in items else Layout.C
        # where nothing but the short words makes tensors, they get arrays as the processor has them
        if prelude.short and layout is Layout.SWAPPED and items[name].binding not in AS_THEY_ARE:
            layout = Layout.C
        lines = assignment(f"{name}_value", array)
        statements[f"{name}_value"] = [*lines, *relaid(f"{name}_value", layout)]
    return statements


def _inputs(program: Program, prelude: Prelude) -> list[str]:
    return [bound(item, prelude) for item in program.inputs]


def _computed_outputs(
    program: Program, prelude: Prelude, ending: ScriptEnding, echo: str | None, outputs: Outputs
) -> Sequence[str]:
    """The lines after which `got` is the value of the output, or the list of all values."""
    if not ending.steps or outputs == "values" or not program.outputs:
        return ()
    if outputs == "lists":
        return _flattening(program, prelude)
    if len(program.outputs) > 1:
        return _computed(program, prelude, f"[{', '.join(program.outputs)}]")
    (output,) = program.outputs
    computed = _computed_alone(program, prelude, output, half=ending.is_half)
    if echo not in fed_inputs(program) or prelude.short:
        return computed
    indented = (f"    {line}" for line in computed)
    return [f"if {output} is {echo}:", f"    got = {echo}_value", "else:", *indented]


def _flattening(program: Program, prelude: Prelude) -> Sequence[str]:
    """For outputs that are lists of tensors; what is None is not evaluated."""
    parts = " + ".join(f"flattened({name})" for name in program.outputs)
    return [
        "def flattened(parts):",
        "    return list(parts) if isinstance(parts, (list, tuple)) else [parts]",
        f"tensors = {parts}",
        *_computed(program, prelude, "[t for t in tensors if t is not None]"),
        "computed = iter(got)",
        "got = [t if t is None else next(computed) for t in tensors]",
    ]


def _read(prelude: Prelude, tensor: str, *, half: bool = False) -> str:
    """The expression for the value of a tensor; of bfloat16 in float32."""
    words = prelude.short.get("read_bfloat16" if half else "read")
    return f"{prelude.read}({tensor})" if words is None else words.format(tensor=tensor)


def _computed_alone(program: Program, prelude: Prelude, output: str, *, half: bool) -> list[str]:
    """As `_computed`, for the value of one tensor."""
    fed = fed_inputs(program)
    if fed and "compute" in prelude.short:
        computed = f"{_compute(program, prelude, f'[{output}]')}[0]"
        return _read_alone(prelude, computed, half=half)
    if fed:
        return [f"got = {_compute(program, prelude, f'[{output}]')}[0]"]
    if prelude.at_once:
        return _read_alone(prelude, output, half=half)
    each = f"got = {_read(prelude, output, half=half)}"
    compiled = f"    got = K.function([], [{output}])([])[0]"
    return ["try:", compiled, "except Exception:", f"    {each}"]


def _read_alone(prelude: Prelude, tensor: str, *, half: bool) -> list[str]:
    """The lines that read a tensor. If it may be of bfloat16, it keeps a name, for its dtype."""
    if half and "read_bfloat16" in prelude.short:
        return [f"{COMPUTED} = {tensor}", f"got = {_read(prelude, COMPUTED, half=True)}"]
    return [f"got = {_read(prelude, tensor, half=half)}"]


def _compute(program: Program, prelude: Prelude, tensors: str) -> str:
    """The call that computes tensors of fed inputs."""
    fed = fed_inputs(program)
    inputs, values = ", ".join(fed), ", ".join(_fed_value(program, prelude, name) for name in fed)
    words = prelude.short.get("compute", "K.function({inputs}, {outputs})({values})")
    return words.format(inputs=f"[{inputs}]", outputs=tensors, values=f"[{values}]")


def _fed_value(program: Program, prelude: Prelude, name: str) -> str:
    """The value that a symbol is fed: of a bfloat16 a tensor, because NumPy has none."""
    value = f"{name}_value"
    is_half = any(i.name == name and i.dtype == BFLOAT16 for i in program.inputs)
    words = prelude.short.get("constant") if is_half and "compute" in prelude.short else None
    return value if words is None else words.format(value=value, dtype=repr(BFLOAT16))


def _computed(program: Program, prelude: Prelude, tensors: str) -> list[str]:
    """By the way that the worker takes: by `function`, and if that refuses to have no inputs, by
    `eval`."""
    if fed_inputs(program):
        computed = _compute(program, prelude, tensors)
        if "compute" in prelude.short:
            return [f"got = [{_read(prelude, 't')} for t in {computed}]"]
        return [f"got = {computed}"]
    each = f"got = [{_read(prelude, 't')} for t in {tensors}]"
    if prelude.at_once:
        return [each]
    compiled = f"    got = K.function([], {tensors})([])"
    return ["try:", compiled, "except Exception:", f"    {each}"]


def _prelude(
    prelude: Prelude, body: Sequence[str], more: Sequence[str], *, uses_package: bool
) -> list[str]:
    """The environment and the imports, `more` of them too, and the definitions of `K`."""
    lines = []
    if prelude.environment or prelude.home:
        lines = ["import os"]
        environment = sorted((prelude.environment or {}).items())
        lines += [f"os.environ[{k!r}] = {v!r}" for k, v in environment]
        lines += _home(prelude.home) if prelude.home else []
    name = prelude.package
    package = f"import {name}" if name == "keras" else f"import {name} as keras"
    lines += ["import sys", f"sys.path[:0] = {list(prelude.paths)!r}"] if prelude.paths else []
    imports = ["import numpy as np", *([package] if uses_package else []), *prelude.imports, *more]
    return [*lines, *dict.fromkeys(imports), *_definitions(prelude, body), *_renamed(prelude)]


def _definitions(prelude: Prelude, body: Sequence[str]) -> Iterator[str]:
    """A class `K` with the functions that the body calls, if no module has them."""
    called = dict.fromkeys(re.findall(r"\bK\.(\w+)", "\n".join(body)))
    if prelude.definitions is None or (prelude.short and not called):
        return
    yield from ("", "", "class K:")
    if not {*called} & {*prelude.definitions}:
        yield "    pass"
    for name in called:
        if name in prelude.definitions:
            yield from (f"    {line}" for line in prelude.definitions[name])
            yield ""


def _renamed(prelude: Prelude) -> list[str]:
    return [f"K.{name} = K.{own}" for name, own in sorted(prelude.names.items())]


def _home(home: Home) -> Iterator[str]:
    yield "import tempfile"
    yield "os.environ['HOME'] = tempfile.mkdtemp()"
    yield "os.environ['KERAS_HOME'] = os.path.join(os.environ['HOME'], '.keras')"
    if home.configuration is not None:
        yield "os.mkdir(os.environ['KERAS_HOME'])"
        yield "with open(os.path.join(os.environ['KERAS_HOME'], 'keras.json'), 'w') as file:"
        yield f"    file.write({home.configuration!r})"
    for name, value in sorted(home.environment.items()):
        yield (
            f"os.environ.pop({name!r}, None)"
            if value is None
            else f"os.environ[{name!r}] = {value!r}"
        )
