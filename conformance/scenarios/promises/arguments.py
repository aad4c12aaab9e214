"""Forms of arguments: iterables other than lists, keywords for the session, and the phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from conformance.program.marks import MAYBE
from conformance.results import Aspect
from conformance.scenarios.checks import (
    as_second,
    is_array,
    is_one_of,
    of_last,
    only,
    plain,
    raises,
    returns,
    shown,
)
from conformance.scenarios.model import KERAS_2, Alternative, Problem, Values
from conformance.scenarios.recorder import Book, Recorder
from conformance.specs.convention_names import ConventionName

BOOK = Book()

NORMALISE = "normalize_batch_in_training"
REVERSED = {"ja-2.0": 1863, "ko-2.2": 2380}
NORMALISED = {"ja-2.0": 1433, "ko-2.2": 1896}
"""The lines that call the axes an iterable of integers."""

ITERABLES: Mapping[str, Callable[[Recorder, int], Any]] = {
    "a tuple": lambda _, count: tuple(range(count)),
    "a range": lambda K, count: K.operator.range(0, count),
    "a set": lambda K, count: K.operator.set(list(range(count))),
    "an iterator": lambda K, count: K.operator.iter(list(range(count))),
}
"""The first `count` axes, in each form of an iterable."""
ONE_SHOT = {"an iterator": (ConventionName.ONE_SHOT_ITERABLE,)}
"""The forms that can be read once, and the convention about them."""

CUBE = np.arange(12.0).reshape(2, 3, 2).astype("float32")


@BOOK.scenario(
    "reverse", "axes that are {form} of {count}", editions=KERAS_2, form=ITERABLES, count=(1, 2)
)
def reversed_along(K: Recorder, form: str, count: int) -> None:
    """`reverse` along one axis and along two."""
    x = K.variable(K.array("x", CUBE), dtype="float32")
    result = K.eval(K.reverse(x, ITERABLES[form](K, count))).output("result")
    test, demands = (
        is_array(np.flip(CUBE, (0, 1)[:count])),
        f"x reversed along the first {count} axes",
    )
    one_shot = ONE_SHOT.get(form, ())
    K.expect("axes in another form", result, test, demands, at=REVERSED, conventions=one_shot)


@BOOK.scenario(
    NORMALISE, "axes that are {form} of {count}", editions=KERAS_2, form=ITERABLES, count=(1, 3)
)
def normalised_over(K: Recorder, form: str, count: int) -> None:
    """Mean and variance over axes in another form are those of a list."""
    # two samples, of which every algorithm has the exact mean and variance
    start = np.array([[-1.0, 2.0], [3.0, 8.0]]).reshape(2, *[1] * (count - 1), 2)
    x, gamma, beta = (
        K.variable(K.array(name, value, "float32"), dtype="float32")
        for name, value in (("x", start), ("gamma", [1, 1]), ("beta", [0, 0]))
    )
    axes = {"given": ITERABLES[form](K, count), "listed": list(range(count))}
    for name, along in axes.items():
        results = K.normalize_batch_in_training(x, gamma, beta, along)
        for place, part in ((1, "mean"), (2, "variance")):
            K.eval(results[place]).output(f"{part}_{name}")
    one_shot = ONE_SHOT.get(form, ())
    for part in ("mean", "variance"):
        name, both = f"the {part} by axes in another form", [f"{part}_{name}" for name in axes]
        demands = f"the {part} that a list gives, for {form}"
        K.expect(name, both, as_second, demands, at=NORMALISED, conventions=one_shot)


KEYWORDS = {"ja-2.0": 2542, "ko-2.2": 2538}
MATRIX = np.array([[1.0, -2.0], [3.5, 4.0]], "float32")


@BOOK.scenario(
    "function", "{word}=None", Aspect.ERROR, editions=KERAS_2, word=("options", "run_metadata")
)
def session_keyword(K: Recorder, word: str) -> None:
    """Keywords of `tf.Session.run` reach it, and change no result; keras-2.0 ignores them (C090).

    Other backends, which have no such session, may call them invalid, by a ValueError.
    """
    keyword = {word: None}
    x = K.placeholder(shape=(2, 2), dtype="float32")
    outputs, fed = [x + x], [K.array("fed", MATRIX)]

    def compiled() -> Any:
        return K.function([x], outputs, **keyword)(fed)[0]

    backend = K.backend().output("backend")
    taken = K.attempt(K.function, [x], outputs, **keyword).output("taken")
    called = K.attempt(K.operator.call, compiled).output("called")
    invalid = Alternative(ConventionName.SESSION_KEYWORDS, "no session", _invalid)
    K.expect(
        "a keyword of the session is taken",
        (taken, backend),
        _taken_or_invalid,
        f"a function: {word} is a keyword of tf.Session.run",
        at=KEYWORDS,
        alternatives=() if K.edition == "keras-2.0" else (invalid,),
    )
    name = "a function with a keyword of the session"
    demands = f"that a function made with {word}=None can be called"
    K.expect(name, (taken, called), _called, demands, at=KEYWORDS)


def _taken_or_invalid(attempt: Values, backend: Values) -> Problem | None:
    """The keyword is taken. On another backend than TensorFlow it may be called invalid."""
    if plain(backend) != "tensorflow" and raises("ValueError")(attempt) is None:
        return None
    return returns(attempt)


def _invalid(taken: Values, _backend: Values) -> Problem | None:
    return raises("ValueError")(taken)


def _called(taken: Values, called: Values) -> Problem | None:
    return None if plain(taken) != "returns" else of_last(returns(called))


PHASE = {"ja-1": 192, "ja-1-text": 137, "ja-2.0": 1267, "ko-2.2": 3847}


def is_whole(phase: int, values: Values) -> Problem | None:
    """A test that the phase is this number, as an integer or a truth value."""
    got = only(values)
    if isinstance(got, Problem):
        return got
    fault = "np.asarray(first).dtype.kind not in 'biu' or np.ndim(first) != 0"
    if got.dtype.kind not in "biu":
        return Problem(f"gives {got.dtype} {shown(got)}", "no integer", got=got, fault=fault)
    if got.shape != ():
        return Problem(f"gives shape {got.shape}", "no scalar", got=got, fault=fault)
    return is_array(phase)(values)


@BOOK.scenario(
    "learning_phase",
    "after set_learning_phase({phase})",
    Aspect.DTYPE,
    editions=KERAS_2,
    phase=(0, 1),
)
def fixed_phase(K: Recorder, phase: int) -> None:
    """A phase that was set is an integer."""
    K.set_learning_phase(phase)
    value, demands = (
        K.learning_phase().output("phase"),
        f"the integer {phase}, or a scalar tensor of it",
    )
    K.expect("the phase is an integer", value, partial(is_whole, phase), demands, at=PHASE)


@BOOK.scenario("learning_phase", "the number of its axes", Aspect.DTYPE, editions=KERAS_2)
def rank_of_phase(K: Recorder) -> None:
    """The phase that functions take as an input is a scalar."""
    rank = K[f"{MAYBE}ndim"](K.learning_phase()).output("rank")  # it may be a number
    # None: the number of its axes is not known before it is fed
    K.expect("the phase is a scalar", rank, is_one_of(0, None), "a scalar", at=PHASE)


FAMILIES = BOOK.families
