"""The end of a script: compare what came with what was expected, and say so in one line.

Before the lines of an `Ending` run, `got` is the list of what the outputs gave (unless the ending
observes something else), or `raised` is the exception that came instead. They set three names:
`expected` and `came`, texts, and `fault`, whether the fault is there. The script prints the texts
and ends with status 1 if it is, with 0 if it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from conformance.program.literals import literal

Array = npt.NDArray[np.generic]

MOST_COMPARED = 64
"""The most elements of an array that a script compares; of a longer one it compares one."""
PATIENCE = 300
"""Seconds after which a script gives up where no time is in question."""


FAULT = ("fault = True",)


@dataclass(frozen=True, slots=True)
class Death:
    """How a process may end without an answer: the script sees it happen to a fork of itself."""

    seconds: int | None = None
    """To take longer is a fault; None if only an end by itself is one."""
    gibibytes: float | None = None
    """To take more memory than that is a fault, too."""
    refusal: bool = False
    """Whether an exception is what should come."""
    compares: bool = False
    """Whether the process, if it lives, compares what came."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a script finds out whether the fault is there."""

    expected: str
    """What should come, in words."""
    compare: Sequence[str] = ("came, fault = 'an answer', False",)
    """Statements that run if nothing was raised."""
    raised: Sequence[str] = FAULT
    """Statements that run if something was."""
    helpers: Sequence[str] = ()
    """Definitions that the statements need."""
    observe: Sequence[str] | None = None
    """Statements in place of those that evaluate the outputs."""
    steps: bool = True
    """Whether the program's steps are run; if not, only its inputs are made."""
    death: Death | None = None
    """Set where the process may end before anything can be compared."""


TELL = """
def told(error):
    text = str(error).encode('ascii', 'backslashreplace').decode()
    text = ' '.join(text.partition('[CALL STACK]')[0].split())
    return type(error).__name__ + ': ' + (text if len(text) <= 300 else text[:297] + '...')
""".splitlines()

_NOTHING = "nothing was looked at, for the implementation lacks what this script calls"
UNREACHED = f"""
def unreached(kind, error, trace):
    sys.__excepthook__(kind, error, trace)
    if lacks(error):
        print({_NOTHING!r})
        sys.exit(2)


sys.excepthook = unreached
""".splitlines()
"""For a script that compares nothing: where it cannot be run at all it ends with another status."""

_COMPARED = """
def compared(got, wanted, limits, index):
    got = np.asarray(got)
    if got.shape != wanted.shape:
        return 'shape %s' % (wanted.shape,), 'shape %s' % (got.shape,), True
    got = got if got.dtype.kind in 'biuf' else got.astype('float32')
    with np.errstate(all='ignore'):
        near = abs(got.astype('float64') - wanted) <= limits
    wrong = ~(near | (got == wanted) | ((got != got) & (wanted != wanted)))
    if wrong.any() and not wrong[index]:
        index = tuple(int(i) for i in np.argwhere(wrong)[0])
    place = ' at %s' % (list(index),) if index else ''
    if not got.size:
        return 'shape %s' % (wanted.shape,), 'it', False
    return repr(wanted[index].item()) + place, repr(got[index].item()) + place, wrong.any()

""".splitlines()

FLAT = """
def flat(value):
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flat(part)]
    plain = (np.ndarray, np.generic, bool, int, float, complex, str, bytes, type(None))
    if isinstance(value, plain) or type(value).__module__ == 'builtins':
        return [value]
    return [evaluated(value)]


def measured(value):
    array = np.asarray(value)
    if array.dtype.kind not in 'biuf':
        return value if value is None or isinstance(value, str) else type(value).__name__
    if array.size <= 64:
        return array.tolist()
    numbers = array.astype('float64')
    measures = [numbers.min(), numbers.max(), numbers.mean(), (numbers == 0).mean()]
    return [list(array.shape)] + [float(measure) for measure in measures]


def same(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.isclose(a, b, equal_nan=True))
    return type(a) is type(b) and a == b


def shown(values):
    return ', '.join(in_words(item) for part in values for item in part or [()])


def in_words(item):
    if isinstance(item, tuple):
        return '()'
    m = measured(item)
    if np.size(item) <= 64:
        return repr(m)
    return 'shape %s from %.9g to %.9g, mean %.9g, zeros %.9g' % (tuple(m[0]), *m[1:])

""".splitlines()
"""What a scenario's outputs gave, flattened and evaluated as the worker does it, and in words; an
output that holds nothing is ()."""


def answers(expected: str, observe: Sequence[str] | None = None, *, steps: bool = True) -> Ending:
    """Something should be answered, whatever it is; every exception is the fault."""
    return Ending(expected, observe=observe, steps=steps)


def refuses(names: Sequence[str], expected: str) -> Ending:
    """The call should raise one of these exceptions, or any if there are no names."""
    fault = f"not {{*{list(names)!r}}} & {{c.__name__ for c in type(raised).__mro__}}"
    return Ending(
        expected,
        ("came, fault = 'a result of shape %s' % (np.shape(got[0]),), True",),
        (f"fault = {fault if names else False}",),
    )


def dies(expected: str, death: Death) -> Ending:
    """The process should live, and give what is expected."""
    return Ending(expected, death=death)


def has_elements(
    wanted: Array, limits: npt.NDArray[np.float64], index: tuple[int, ...], got: str = "got[0]"
) -> Ending:
    """The array `got` (an expression) should be this one, each element within its limit.

    `index` is that of the element to name if it is wrong; of a long array it is the only one that
    is compared.
    """
    words = f"an array of shape {wanted.shape}"
    if wanted.size <= MOST_COMPARED:
        compare = [f"wanted, limits = {literal(wanted)}, {_limits(limits)}"]
        compare += [f"expected, came, fault = compared({got}, wanted, limits, {index!r})"]
        return Ending(words, compare, helpers=_COMPARED)
    one = literal(np.asarray(wanted[index]))
    limit = literal(np.asarray(limits[index]))
    compare = [
        f"if np.shape({got}) != {wanted.shape!r}:",
        f"    came, fault = 'shape %s' % (np.shape({got}),), True",
        "else:",
        f"    element = np.asarray({got})[{index!r}]",
        f"    expected, came, fault = compared(element, {one}, {limit}, ())",
        f"    came += ' at {list(index)}'",
    ]
    return Ending(words, compare, helpers=_COMPARED)


def _limits(limits: npt.NDArray[np.float64]) -> str:
    if limits.size and (limits == limits.flat[0]).all():
        return literal(np.asarray(limits.flat[0]))
    return literal(limits)


def has_shape(shape: Sequence[int], got: str = "got[0]") -> Ending:
    """The array `got` (an expression) should have this shape."""
    compare = (f"came = 'shape %s' % (np.shape({got}),)", f"fault = np.shape({got}) != {shape!r}")
    return Ending(f"shape {shape}", compare)


def has_rank(rank: int) -> Ending:
    """The first result should have so many axes."""
    compare = ("came = 'shape %s' % (np.shape(got[0]),)", f"fault = np.ndim(got[0]) != {rank}")
    return Ending(f"rank {rank}", compare)


def or_shapes(ending: Ending, shapes: Sequence[tuple[int, ...]]) -> Ending:
    """The ending, to which a first result of one of these other shapes is no fault either."""
    if not shapes:
        return ending
    compare = [
        f"if np.shape(got[0]) in {[*shapes]!r}:",
        "    came, fault = 'shape %s' % (np.shape(got[0]),), False",
        "else:",
        *(f"    {line}" for line in ending.compare),
    ]
    return replace(ending, compare=compare)


def or_refuses(ending: Ending) -> Ending:
    """The ending, to which an exception is no fault either."""
    return replace(ending, raised=("fault = False",)) if ending.raised == FAULT else ending


def is_one_array(shape: Sequence[int], got: str = "got", count: int = 1) -> Ending:
    """The list `got` (an expression) should hold so many arrays of numbers."""
    told = f"', '.join('%s of %s' % (type(g).__name__, np.asarray(g).dtype) for g in {got})"
    numeric = f"all(np.asarray(g).dtype.kind in 'biufV' for g in {got})"
    compare = (f"came = {told}", f"fault = len({got}) != {count} or not {numeric}")
    words = f"one array of shape {tuple(shape)}" if count == 1 else f"{count} arrays"
    return Ending(words, compare)


def has_dtype(accepted: Sequence[str], got: str = "got[0]") -> Ending:
    """The array `got` (an expression) should have one of these dtypes."""
    compare = (f"came = str(np.asarray({got}).dtype)", f"fault = came not in {list(accepted)!r}")
    return Ending(" or ".join(accepted), compare)


def reports_dtype(name: str, accepted: Sequence[str]) -> Ending:
    """`K.dtype` of the tensor called `name` should be one of these."""
    compare = (
        "came = str(getattr(said, 'name', said))",
        "came = came[:-4] if came.endswith('_ref') else came",
        f"fault = came not in {list(accepted)!r}",
    )
    return Ending(" or ".join(accepted), compare, observe=(f"said = K.dtype({name})",))


def reports_its_dtype(name: str) -> Ending:
    """`K.dtype` of the tensor called `name`, the first output, should be the dtype of its value.

    NumPy has no bfloat16: a value of this dtype may be an array of float32.
    """
    compare = (
        f"said = K.dtype({name})",
        "came = str(getattr(said, 'name', said))",
        "expected = str(np.asarray(got[0]).dtype)",
        "fault = came != expected and (came, expected) != ('bfloat16', 'float32')",
    )
    return Ending("the dtype of the value", compare)


_SAID = "said = [None if d is None else int(d) for d in K.int_shape({0}) or ()]"


def reports_shape(name: str, shapes: Sequence[Sequence[int | None]], *, precise: bool) -> Ending:
    """`K.int_shape` of the tensor called `name` should fit one of these shapes.

    If it is to be `precise`, it should name every dimension that the shape does.
    """
    known = "d is None or s == d" if precise else "s is None or d is None or s == d or s < 0"
    fits = f"len(said) == len(shape) and all({known} for s, d in zip(said, shape))"
    listed = [tuple(shape) for shape in shapes]
    compare = (
        "came = str(None if said is None else tuple(said))",
        f"fault = {'said is None or ' if precise else 'said is not None and '}"
        f"not any({fits} for shape in {listed!r})",
    )
    return Ending(str(listed[0]), compare, observe=(f"said = K.int_shape({name})",))


def reports_integers(name: str, expected: str) -> Ending:
    """Every dimension that `K.int_shape` gives should be an integer or None."""
    integer = "isinstance(d, (int, np.integer)) and not isinstance(d, bool)"
    compare = (
        "came = str(said)",
        f"fault = not all(d is None or ({integer}) for d in said)",
    )
    return Ending(expected, compare, observe=(f"said = K.int_shape({name})",))


def reports_a_shape(name: str, expected: str) -> Ending:
    """`K.int_shape` of the tensor called `name` should be None, or numbers and None."""
    return answers(expected, (_SAID.format(name),))


def unchanged(names: Sequence[str], bound: Iterable[str], read: str = "K.get_value") -> Ending:
    """The inputs should be as they were; those in `bound` are variables, which `read` reads."""
    held = read + "({0}).astype({0}_before.dtype)"  # the array may be of the other byte order
    pairs = [(n, held.format(n) if n in bound else f"{n}_value") for n in names]
    changed = [f"{n!r}: {now}.tobytes() != {n}_before.tobytes()" for n, now in pairs]
    compare = (
        f"changed = {{{', '.join(changed)}}}",
        "fault = any(changed.values())",
        "came = 'others in ' + ', '.join(n for n in changed if changed[n])",
        "came = came if fault else 'the same'",
    )
    return Ending("inputs as they were", compare)


def gave(expected: str, outputs: Sequence[str], fault: str) -> Ending:
    """The outputs of a scenario should be such that `fault` (an expression) is false.

    `values` holds for each output the list of what it gave, and `first` is the first of it.
    """
    listed = "".join(f"flat({name}), " for name in outputs)
    compare = (
        "first = values[0][0] if values[0] else None",
        "came = shown(values)",
        f"fault = {fault}",
    )
    return Ending(expected, compare, helpers=FLAT, observe=(f"values = [{listed}]",))


def gave_elements(expected: str, outputs: Sequence[str], wrong: str) -> Ending:
    """As `gave`; `wrong` (an expression) is a mask of elements of `first`, none of which should be
    set. The first that is set is named."""
    made = gave(expected, outputs, "wrong.any()")
    compare = (
        *made.compare[:1],
        f"first = np.asarray(first); wrong = {wrong}",
        *made.compare[1:],
        "if fault:",
        "    index = tuple(int(i) for i in np.argwhere(wrong)[0])",
        "    came = '%r at %s' % (first[index].item(), list(index))",
        "    came += ', and %d of %d so in all' % (wrong.sum(), wrong.size)",
    )
    return replace(made, compare=compare)


def inputs_fit(shapes: Mapping[str, Sequence[int]]) -> Ending:
    """`K.int_shape` of each of these inputs should not contradict its shape."""
    asked = "".join(f"({name!r}, K.int_shape({name}), {shapes[name]!r}), " for name in shapes)
    fits = "s is None or len(s) == len(w) and all(a in (None, b) for a, b in zip(s, w))"
    compare = (
        f"wrong = [(n, s) for n, s, w in said if not ({fits})]",
        "came, fault = ', '.join('%s of shape %s' % w for w in wrong) or 'them', bool(wrong)",
    )
    words = "inputs with the static shapes that they were given"
    return Ending(words, compare, observe=(f"said = [{asked}]",), steps=False)


def looked_up(name: str, place: str = "K") -> Ending:
    """There should be a function of this name in `place`."""
    compare = ("came = 'nothing of this name' if found is None else 'one'", "fault = found is None")
    words = f"a function {place}.{name}"
    return Ending(words, compare, observe=(f"found = getattr({place}, {name!r}, None)",))


def has_signature(
    name: str,
    documented: str,
    fault: str,
) -> Ending:
    """The function's signature should be the documented one.

    `fault` is an expression over `offered`, its parameters by name, and `kinds`, the class of
    parameters.
    """
    observe = (
        "import inspect",
        f"signature = inspect.signature(K.{name})",
        "offered, kinds = signature.parameters, inspect.Parameter",
    )
    compare = (f"came, fault = '{name}%s' % signature, {fault}",)
    return Ending(documented, compare, observe=observe)


def lacking(names: Sequence[str]) -> Iterator[str]:
    """A function that says whether an exception is that one of these names is not there."""
    yield from ("", "", "def lacks(error):", f"    for name in {list(names)!r}:")
    yield from ("        try:", "            eval(name)", "        except Exception as missing:")
    yield "            if type(error) is type(missing) is AttributeError:"
    yield "                if str(error) == str(missing):"
    yield "                    return True"
    yield from ("    return False", "")


def body(ending: Ending, lines: Iterable[str]) -> Iterator[str]:
    """The lines of the script's own, and what is made of them."""
    if ending.death is not None and not ending.death.compares:
        yield from lines
        return
    yield from ("raised = None", "try:")
    yield from (f"    {line}" for line in [*lines] or ["pass"])
    yield from ("except Exception as error:", "    raised = error")
    yield f"expected = {ending.expected!a}"
    yield "if raised is None:"
    yield from (f"    {line}" for line in ending.compare)
    yield "else:"
    yield "    came = told(raised)"
    yield from ("    if lacks(raised):", f"        print({_NOTHING!r}, came, sep=': ')")
    yield "        sys.exit(2)"
    yield from (f"    {line}" for line in ending.raised)
    yield "print('expected %s; got %s' % (expected, came))"
    yield "sys.exit(1 if fault else 0)"


def watching(ending: Ending, death: Death) -> Iterator[str]:
    """Lines at the beginning: a fork runs the rest of the script, and this process watches."""
    right = "1" if death.refusal else "0"
    yield from ("import os, resource, signal", "", "if os.fork():", "    ended = os.wait()[1]")
    yield "    died = os.WIFSIGNALED(ended)"
    yield "    status = os.WTERMSIG(ended) if died else os.WEXITSTATUS(ended)"
    leaves = "not died" if death.compares else "not died and status == 2"
    yield from (f"    if {leaves}:", "        sys.exit(status)")
    if death.seconds is None:
        yield "    if died and status == signal.SIGALRM:"
        yield f"        print('nothing was seen, for it does not end within {PATIENCE} s')"
        yield "        sys.exit(2)"
    yield f"    fault = died or status != {right}"
    yield "    came = 'an end by %s %d' % ('signal' if died else 'exit status', status)"
    if death.gibibytes is not None:
        yield "    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20"
        yield f"    fault = fault or taken > {death.gibibytes:g}"
        yield "    came += ' after taking %.1f GiB' % taken"
    yield f"    print('expected %s; got %s' % ({ending.expected!a}, came))"
    yield "    sys.exit(1 if fault else 0)"
    yield f"signal.alarm({death.seconds or PATIENCE})"
    yield ""
