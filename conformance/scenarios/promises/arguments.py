"""Forms of arguments: iterables other than lists, keywords for the session, and the phase."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from conformance.editions import Edition
from conformance.program import Argument
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
from conformance.scenarios.making import listed, written
from conformance.scenarios.model import Alternative, Check, Family, Problem, Scenario, Values
from conformance.scenarios.writing import FunctionWriter, ProgramWriter
from conformance.specs.convention_names import ConventionName

NEWER: tuple[Edition, ...] = ("keras-2.0", "keras-2.2")
Lines = Mapping[str, int]

REVERSED: Lines = {"ja-2.0": 1863, "ko-2.2": 2380}
NORMALISED: Lines = {"ja-2.0": 1433, "ko-2.2": 1896}
"""The lines that call the axes an iterable of integers."""

ITERABLES: Mapping[str, Callable[[ProgramWriter, int], Argument]] = {
    "a tuple": lambda _, count: tuple(range(count)),
    "a range": lambda w, count: w.call("operator.range", 0, count),
    "a set": lambda w, count: w.call("operator.set", list(range(count))),
    "an iterator": lambda w, count: w.call("operator.iter", list(range(count))),
}
"""The first `count` axes, in each form of an iterable."""
ONE_SHOT = {"an iterator": (ConventionName.ONE_SHOT_ITERABLE,)}
"""The forms that can be read once, and the convention about them."""

CUBE = np.arange(12.0).reshape(2, 3, 2).astype("float32")


def _reversed(_edition: Edition) -> Iterator[Scenario]:
    """`reverse` along one axis and along two."""
    for form, make in ITERABLES.items():
        for count in (1, 2):
            w = ProgramWriter()
            x = w.call("variable", w.array("x", CUBE), dtype="float32")
            w.observe("result", "eval", w.call("reverse", x, make(w, count)))
            check = Check(
                "axes in another form",
                Aspect.VALUE,
                outputs=("result",),
                test=is_array(np.flip(CUBE, tuple(range(count)))),
                demands=f"x reversed along the first {count} axes",
                at=REVERSED,
                conventions=ONE_SHOT.get(form, ()),
            )
            yield written("reverse", f"axes that are {form} of {count}", w, check)


def _normalised(_edition: Edition) -> Iterator[Scenario]:
    """Mean and variance over axes in another form are those of a list."""
    for form, make in ITERABLES.items():
        for shape in ((2, 2), (2, 1, 1, 2)):
            count = len(shape) - 1
            w = ProgramWriter()
            # two samples, of which every algorithm has the exact mean and variance
            start = np.array([[-1.0, 2.0], [3.0, 8.0]]).reshape(shape)
            x = w.call("variable", w.array("x", start, "float32"), dtype="float32")
            gamma, beta = (
                w.call("variable", w.array(n, [v, v], "float32"), dtype="float32")
                for n, v in (("gamma", 1.0), ("beta", 0.0))
            )
            axes: tuple[Argument, ...] = (make(w, count), list(range(count)))
            for name, given in zip(("given", "listed"), axes, strict=True):
                made = w.call("normalize_batch_in_training", x, gamma, beta, given)
                for place, part in ((1, "mean"), (2, "variance")):
                    result = w.call("operator.getitem", made, place)
                    w.observe(f"{part}_{name}", "eval", result)
            yield written(
                "normalize_batch_in_training",
                f"axes that are {form} of {count}",
                w,
                *(_alike(part, form) for part in ("mean", "variance")),
            )


def _alike(part: str, form: str) -> Check:
    return Check(
        f"the {part} by axes in another form",
        Aspect.VALUE,
        outputs=(f"{part}_given", f"{part}_listed"),
        test=as_second,
        demands=f"the {part} that a list gives, for {form}",
        at=NORMALISED,
        conventions=ONE_SHOT.get(form, ()),
    )


KEYWORDS: Lines = {"ja-2.0": 2542, "ko-2.2": 2538}
MATRIX = np.array([[1.0, -2.0], [3.5, 4.0]], "float32")


def _session_keywords(edition: Edition) -> Iterator[Scenario]:
    """Keywords of `tf.Session.run` reach it, and change no result; keras-2.0 ignores them (C090).

    Other backends, which have no such session, may call them invalid, by a ValueError.
    """
    for word in ("options", "run_metadata"):
        given: dict[str, Argument] = {word: None}
        w = ProgramWriter()
        x = w.call("placeholder", shape=(2, 2), dtype="float32")
        outputs: list[Argument] = [w.call("operator.add", x, x)]
        fed: list[Argument] = [w.array("fed", MATRIX)]
        made = FunctionWriter("compiled")
        computed = made.call("operator.call", made.call("function", [x], outputs, **given), fed)
        body = made.returning(made.call("operator.getitem", computed, 0))
        w.observe("backend", "backend")
        w.attempt("taken", "function", [x], outputs, **given)
        w.attempt("called", "operator.call", body)
        checks = [_taken(word, edition), _callable(word)]
        yield written("function", f"{word}=None", w, *checks)


def _taken(word: str, edition: Edition) -> Check:
    invalid = Alternative(ConventionName.SESSION_KEYWORDS, "no session", _invalid)
    return Check(
        "a keyword of the session is taken",
        Aspect.ERROR,
        outputs=("taken", "backend"),
        test=_taken_or_invalid,
        demands=f"a function: {word} is a keyword of tf.Session.run",
        at=KEYWORDS,
        alternatives=() if edition == "keras-2.0" else (invalid,),
    )


def _taken_or_invalid(attempt: Values, backend: Values) -> Problem | None:
    """The keyword is taken. On another backend than TensorFlow it may be called invalid."""
    if plain(backend) != "tensorflow" and raises("ValueError")(attempt) is None:
        return None
    return returns(attempt)


def _invalid(taken: Values, _backend: Values) -> Problem | None:
    return raises("ValueError")(taken)


def _callable(word: str) -> Check:
    return Check(
        "a function with a keyword of the session",
        Aspect.ERROR,
        outputs=("taken", "called"),
        test=_called,
        demands=f"that a function made with {word}=None can be called",
        at=KEYWORDS,
    )


def _called(taken: Values, called: Values) -> Problem | None:
    return None if plain(taken) != "returns" else of_last(returns(called))


PHASE: Lines = {"ja-1": 192, "ja-1-text": 137, "ja-2.0": 1267, "ko-2.2": 3847}


@dataclass(frozen=True)
class Whole:
    """A test that the phase is this number, as an integer or a truth value."""

    phase: int

    def __call__(self, values: Values) -> Problem | None:
        """None, or what the phase is instead."""
        got = only(values)
        if isinstance(got, Problem):
            return got
        fault = "np.asarray(first).dtype.kind not in 'biu' or np.ndim(first) != 0"
        if got.dtype.kind not in "biu":
            return Problem(f"gives {got.dtype} {shown(got)}", "no integer", got=got, fault=fault)
        if got.shape != ():
            return Problem(f"gives shape {got.shape}", "no scalar", got=got, fault=fault)
        return is_array(self.phase)(values)


def _fixed_phases(_edition: Edition) -> Iterator[Scenario]:
    """A phase that was set is an integer."""
    for phase in (0, 1):
        w = ProgramWriter()
        w.call("set_learning_phase", phase)
        w.observe("phase", "learning_phase")
        check = Check(
            "the phase is an integer",
            Aspect.DTYPE,
            outputs=("phase",),
            test=Whole(phase),
            demands=f"the integer {phase}, or a scalar tensor of it",
            at=PHASE,
        )
        yield written("learning_phase", f"after set_learning_phase({phase})", w, check)


def _rank_of_phase(_edition: Edition) -> Iterator[Scenario]:
    """The phase that functions take as an input is a scalar."""
    w = ProgramWriter()
    w.observe("rank", f"{MAYBE}ndim", w.call("learning_phase"))  # it may be a number
    check = Check(
        "the phase is a scalar",
        Aspect.DTYPE,
        outputs=("rank",),
        test=is_one_of(0, None),  # None: the number of its axes is not known before it is fed
        demands="a scalar",
        at=PHASE,
    )
    yield written("learning_phase", "the number of its axes", w, check)


FAMILIES: tuple[Family, ...] = (
    listed("reverse", _reversed, editions=NEWER),
    listed("normalize_batch_in_training", _normalised, editions=NEWER),
    listed("function", _session_keywords, Aspect.ERROR, NEWER),
    listed("learning_phase", _fixed_phases, Aspect.DTYPE, NEWER),
    listed("learning_phase", _rank_of_phase, Aspect.DTYPE, NEWER),
)
