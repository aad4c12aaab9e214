"""The end of a script: statements that assert a right answer, or calls that must raise.

Before the statements of a `ScriptEnding` run, `got` is the value of the output, or a list of the
values of several outputs, unless the ending observes something else. An assertion that fails ends
the script with status 1, as every exception does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.dtypes import BFLOAT16
from conformance.scripts.answers import RightAnswer, Words, asserted
from conformance.scripts.prelude import COMPUTED, Prelude

PATIENCE = 300
"""Seconds after which a script gives up where no time is in question."""


@dataclass(frozen=True, slots=True)
class Death:
    """How a process may end without an answer: the script sees it happen to a fork of itself."""

    seconds: int | None = None
    """To take longer is a fault; None if only an end by itself is one."""
    gibibytes: float | None = None
    """To take more memory than that is also a fault."""


@dataclass(frozen=True, slots=True)
class ScriptEnding:
    """The assertions of a script after its calls."""

    compare: Sequence[str] = ()
    """Statements that fail if the fault is there."""
    answers: Sequence[tuple[str, RightAnswer]] = ()
    """Expressions and their right answers: `got`, or parts of it."""
    raises: Sequence[str] | None = None
    """The classes of one of which the calls must raise an exception, any if there are no names;
    None if they must not raise."""
    expected: str = ""
    """The exception that must be raised, in words."""
    may_raise: bool = False
    """Whether an exception of the calls is also right."""
    helpers: Sequence[str] = ()
    """Definitions that the statements need."""
    observe: Sequence[str] | None = None
    """Statements in place of those that evaluate the outputs."""
    computes: bool = True
    """Whether the outputs are also evaluated, after `observe`."""
    steps: bool = True
    """Whether the program's steps are run; if not, only its inputs are reports."""
    death: Death | None = None
    """Set where the process may end before anything can be compared."""
    reads_dtype: str = ""
    """The tensor whose dtype the script reads if NumPy lacks the dtype, such as bfloat16. If the
    implementation has no `dtype`, the script reads that of the array."""

    def statements(self, prelude: Prelude) -> Iterator[str]:
        """All assertions, for a script of this target."""
        yield from self.compare
        reported = bool(self.reads_dtype) and "dtype" not in prelude.absent - {*prelude.short}
        for place, answer in self.answers:
            named = reported and BFLOAT16 in answer.dtypes
            dtype = prelude.dtype(self.reads_dtype) if named else ""
            words = Words(prelude.strict, typed=bool(prelude.short), dtype_of=dtype)
            yield from asserted(answer, place, words)

    @property
    def is_half(self) -> bool:
        """Whether the answer may be of bfloat16, which NumPy lacks."""
        named = any(re.search(rf"\b{COMPUTED}\b", line) for line in self.compare)
        return named or any(BFLOAT16 in answer.dtypes for _, answer in self.answers)


FLAT = """
def flat(value):
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part)]
    plain = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None))
    if isinstance(value, plain) or type(value).__module__ == 'builtins':
        return [value]
    return [evaluated(value)]

""".splitlines()
"""Flattens the outputs of a scenario, and evaluates them as the worker does."""

MEASURED = """
def measured(value):
    array = np.asarray(value)
    if array.dtype.kind not in 'biuf':
        return value if value is None or isinstance(value, str) else type(value).__name__
    if array.size <= 64:
        return array.tolist()
    numbers = array.astype('float64')
    measures = [numbers.min(), numbers.max(), numbers.mean(), (numbers == 0).mean()]
    return [list(array.shape)] + [float(measure) for measure in measures]

""".splitlines()
"""A value as Python's own numbers, or the measures of a long array."""

SAME = """
def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, equal_nan=True))
    return type(a) is type(b) and a == b

""".splitlines()
"""Whether two values are the same: an integer is not the same as a float."""


def is_answer(answer: RightAnswer, place: str = "got", reads_dtype: str = "result") -> ScriptEnding:
    """The answer must be right in value, shape and dtype."""
    return ScriptEnding(answers=((place, answer),), reads_dtype=reads_dtype)


def answers(observe: Sequence[str] | None = None, *, steps: bool = True) -> ScriptEnding:
    """Nothing may raise; what is answered is not looked at."""
    return ScriptEnding(observe=observe, steps=steps)


def refuses(names: Sequence[str], expected: str, symbol: str = "") -> ScriptEnding:
    """The call must raise one of these exceptions, or any if there are no names.

    `symbol` names a symbolic result that the call should not give; it is not computed.
    """
    observe = (f"got = [{symbol}]",) if symbol else None
    return ScriptEnding(raises=names, expected=expected, observe=observe, computes=not symbol)


def also(ending: ScriptEnding, more: ScriptEnding) -> ScriptEnding:
    """An ending that asserts what both demand; `more` has the answer."""
    return replace(
        more,
        compare=(*ending.compare, *more.compare),
        helpers=(*ending.helpers, *more.helpers),
        observe=ending.observe,
        computes=True,
        steps=ending.steps,
    )


def has_shape(shape: Sequence[int], got: str = "got") -> ScriptEnding:
    """The array `got` (an expression) must have this shape."""
    return ScriptEnding((f"assert np.shape({got}) == {tuple(shape)!r}, np.shape({got})",))


def has_rank(rank: int, got: str = "got") -> ScriptEnding:
    """The array `got` (an expression) must have this number of axes."""
    return ScriptEnding((f"assert np.ndim({got}) == {rank}, np.shape({got})",))


def or_raises(ending: ScriptEnding) -> ScriptEnding:
    """The ending, to which an exception of the calls is also right."""
    return ending if ending.raises is not None else replace(ending, may_raise=True)


def are_arrays(got: str, count: int) -> ScriptEnding:
    """The list `got` (an expression) must hold this number of arrays of numbers."""
    numeric = f"[np.asarray(g).dtype.kind in 'biufV' for g in {got}]"
    return ScriptEnding((f"assert {numeric} == [True] * {count}, {got}",))


def has_dtype(accepted: Sequence[str], got: str = "got") -> ScriptEnding:
    """The array `got` (an expression) must have one of these dtypes."""
    dtype = f"str(np.asarray({got}).dtype)"
    return ScriptEnding((f"assert {dtype} in {list(accepted)!r}, {dtype}",))


def reports_dtype(name: str, accepted: Sequence[str], prelude: Prelude) -> ScriptEnding:
    """The reported dtype of the tensor `name` must be one of these."""
    asked = prelude.dtype(name)
    one_alone = f"== {accepted[0]!r}" if len(accepted) == 1 else f"in {list(accepted)!r}"
    return ScriptEnding((f"assert {asked} {one_alone}, {asked}",), computes=False, observe=())


def reports_its_dtype(
    name: str, prelude: Prelude, got: str = "got", *, half: bool = False
) -> ScriptEnding:
    """The dtype of the tensor called `name`, the first output, must be the dtype of its value.

    `half` says that bfloat16 is in question. NumPy lacks it: a value may be an array of float32.
    Then the dtype is that of the tensor.
    """
    if half and got == "got" and "read_bfloat16" in prelude.short:
        dtypes = prelude.dtype(name), prelude.dtype(COMPUTED)
        return ScriptEnding((f"assert {dtypes[0]} == {dtypes[1]}, {dtypes[1]}",))
    alike = f"{prelude.dtype(name)} == str({got}.dtype)"
    if half:
        alike += f" or ({prelude.dtype(name)}, str({got}.dtype)) == ('bfloat16', 'float32')"
    return ScriptEnding((f"assert {alike}, {got}.dtype",))


def reports_shape(name: str, shape: Sequence[int | None], prelude: Prelude) -> ScriptEnding:
    """The static shape of the tensor called `name` must be precise: every dimension that is known
    in this shape is known there."""
    known = tuple(shape)
    asked = f"shape_of_{name} = {prelude.int_shape(name)}"
    if None not in known:
        fits = f"tuple(shape_of_{name}) == {known!r}"
    else:
        each = f"all(k is None or s == k for s, k in zip(shape_of_{name}, {known!r}))"
        fits = f"len(shape_of_{name}) == {len(known)} and {each}"
    return ScriptEnding((f"assert {fits}, shape_of_{name}",), computes=False, observe=(asked,))


def reports_compatible_shape(
    name: str, shape: Sequence[int | None], prelude: Prelude
) -> ScriptEnding:
    """The static shape of the tensor called `name` must not contradict this one."""
    asked = f"shape_of_{name} = {prelude.int_shape(name)}"
    each = (
        f"all(None in (s, k) or s == k or s < 0 for s, k in zip(shape_of_{name}, {tuple(shape)!r}))"
    )
    fits = f"shape_of_{name} is None or len(shape_of_{name}) == {len(tuple(shape))} and {each}"
    return ScriptEnding((f"assert {fits}, shape_of_{name}",), computes=False, observe=(asked,))


def reports_integers(name: str, prelude: Prelude) -> ScriptEnding:
    """Every dimension of the static shape of the tensor `name` must be an integer or None."""
    asked = f"shape_of_{name} = {prelude.int_shape(name)}"
    integer = "isinstance(d, (int, np.integer)) and not isinstance(d, bool)"
    fits = f"all(d is None or ({integer}) for d in shape_of_{name})"
    return ScriptEnding((f"assert {fits}, shape_of_{name}",), computes=False, observe=(asked,))


def reports_a_shape(name: str, prelude: Prelude) -> ScriptEnding:
    """The static shape of the tensor called `name` must be None, or numbers and None."""
    asked = f"[None if d is None else int(d) for d in {prelude.int_shape(name)} or ()]"
    return ScriptEnding(computes=False, observe=(asked,))


def unchanged(
    names: Sequence[str], bound: Iterable[str], read: str = "K.get_value"
) -> ScriptEnding:
    """The inputs must be as they were; those in `bound` are variables, which `read` reads."""
    held = read + "({0}).astype({0}_before.dtype)"  # the array may be of the other byte order
    pairs = [(n, held.format(n) if n in bound else f"{n}_value") for n in names]
    return ScriptEnding([f"np.testing.assert_array_equal({now}, {n}_before)" for n, now in pairs])


def gave(outputs: Sequence[str], fault: str) -> ScriptEnding:
    """The outputs of a scenario must be such that `fault` (an expression) is false.

    `values` holds a list of values for each output, and `first` is the first of a list.
    """
    compare = (*_first(fault), f"assert {_opposite(fault)}, values")
    return replace(_flattened(outputs, fault), compare=compare)


def _opposite(fault: str) -> str:
    """The expression that is true where `fault` is false."""
    tree = ast.parse(fault, mode="eval").body
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return ast.get_source_segment(fault, tree.operand) or f"not ({fault})"
    return f"not ({fault})"


def gave_text(name: str, texts: Sequence[str]) -> ScriptEnding:
    """The output called `name` must be one of these texts."""
    one_alone = f"== {texts[0]!r}" if len(texts) == 1 else f"in {[*texts]!r}"
    return ScriptEnding((f"assert {name} {one_alone}, {name}",), observe=(), computes=False)


def gave_elements(outputs: Sequence[str], wrong: str) -> ScriptEnding:
    """As `gave`; `wrong` (an expression) is a mask of elements of `first`, none of which may be
    set."""
    compare = (
        "first = np.asarray(values[0][0])",
        f"wrong = {wrong}",
        "assert not wrong.any(), (np.argwhere(wrong)[0], first[wrong][0])",
    )
    return replace(_flattened(outputs, wrong), compare=compare)


def gave_answer(
    outputs: Sequence[str],
    answer: RightAnswer,
    place: tuple[int, int],
    shape: tuple[int, ...] | None = None,
) -> ScriptEnding:
    """One value that an output of a scenario gave must be right; `place` says which.

    With `shape`, the value may be arranged in another shape.
    """
    got = f"values[{place[0]}][{place[1]}]"
    got = got if shape is None else f"np.reshape({got}, {shape!r})"
    return replace(_flattened(outputs, ""), answers=((got, answer),))


def all_of(several: Sequence[ScriptEnding]) -> ScriptEnding:
    """Everything that several endings of one scenario demand, one after the other."""
    lines: list[str] = []
    for ending in several:
        lines += [*(ending.observe or ()), *ending.compare]
        for place, answer in ending.answers:
            lines += asserted(answer, place, Words())
    names = ((FLAT, "flat("), (SAME, "same("), (MEASURED, "measured("))
    helpers = [h for needed, name in names if name in "".join(lines) for h in needed]
    return ScriptEnding(lines, helpers=helpers, observe=(), computes=False)


_VALUES = re.compile(r"values = \[((?:flat\(\w+\), )+)\]")
_ONE_VALUE = re.compile(r"\bvalues\[(\d+)\]\[0\]")


def without_flat(ending: ScriptEnding, arrays: Collection[str]) -> ScriptEnding:
    """The ending of a scenario with the names of its outputs in place of `values`.

    The outputs must be among `arrays`, and the ending must ask for nothing but their only values.
    """
    answers = [place for place, _ in ending.answers]
    lines: list[str] = []
    names: list[str] = []
    for line in (*(ending.observe or ()), *ending.compare, *answers):
        if assigned := _VALUES.fullmatch(line):
            names = re.findall(r"flat\((\w+)\)", assigned[1])
        elif not names or not {*names} <= {*arrays} or not _asks_for_one_value(line):
            return ending
        else:
            lines.append(_named(line, names))
    count = len(lines) - len(answers)
    right = zip(lines[count:], (answer for _, answer in ending.answers), strict=True)
    return replace(ending, compare=lines[:count], answers=[*right], observe=(), helpers=())


def _asks_for_one_value(line: str) -> bool:
    """Whether a line asks for nothing but the only values of outputs, and shows them."""
    rest = re.sub(r", values$", "", _ONE_VALUE.sub("", line))
    return re.search(r"\b(values|first|flat)\b", rest) is None


def _named(line: str, names: Sequence[str]) -> str:
    """A line with the names of outputs in place of their values."""
    shown = names[0] if len(names) == 1 else f"({', '.join(names)})"
    text = re.sub(r", values$", lambda _: f", {shown}", line)
    return _ONE_VALUE.sub(lambda place: names[int(place[1])], text)


def _flattened(outputs: Sequence[str], fault: str) -> ScriptEnding:
    names = "".join(f"flat({name}), " for name in outputs)
    needs = [(SAME, "same("), (MEASURED, "measured(")]
    helpers = [*FLAT, *(line for lines, name in needs if name in fault for line in lines)]
    return ScriptEnding(helpers=helpers, observe=(f"values = [{names}]",), computes=False)


def _first(fault: str) -> Sequence[str]:
    return ["first = values[0][0] if values[0] else None"] if "first" in fault else []


def inputs_fit(shapes: Mapping[str, Sequence[int]], prelude: Prelude) -> ScriptEnding:
    """The static shape of each of these inputs must not contradict its shape."""
    reports = [reports_compatible_shape(name, shape, prelude) for name, shape in shapes.items()]
    observe = [line for ending in reports for line in ending.observe or ()]
    compare = [line for ending in reports for line in ending.compare]
    return ScriptEnding(compare, observe=observe, computes=False, steps=False)


def looked_up(name: str, place: str = "K") -> ScriptEnding:
    """There must be a function of this name in `place`."""
    return ScriptEnding((f"assert hasattr({place}, {name!r}), 'there is no {name}'",), observe=())


def has_signature(name: str, fault: str) -> ScriptEnding:
    """The function's signature must be the documented one.

    `fault` is an expression over `offered`, its parameters by name, and `kinds`, the class of
    parameters.
    """
    observe = (
        "import inspect",
        f"signature = inspect.signature({name if name.startswith('keras.') else f'K.{name}'})",
        "offered, kinds = signature.parameters, inspect.Parameter",
    )
    return ScriptEnding((f"assert not ({fault}), signature",), observe=observe)


def watching(death: Death) -> Iterator[str]:
    """Lines at the beginning: a fork runs the rest of the script, and this process watches."""
    yield from ("import os, resource, signal, sys", "", "if os.fork():", "    ended = os.wait()[1]")
    if death.seconds is None:
        yield "    if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGALRM:"
        yield f"        print('nothing was seen, for it does not end within {PATIENCE} s')"
        yield "        sys.exit(2)"
    yield "    assert not os.WIFSIGNALED(ended), 'ended by signal %d' % os.WTERMSIG(ended)"
    if death.gibibytes is not None:
        yield "    unit = 1 if sys.platform == 'darwin' else 1024"
        yield "    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 2**30"
        yield f"    assert taken <= {death.gibibytes:g}, '%.1f GiB' % taken"
    yield "    sys.exit(os.WEXITSTATUS(ended))"
    yield f"signal.alarm({death.seconds or PATIENCE})"
