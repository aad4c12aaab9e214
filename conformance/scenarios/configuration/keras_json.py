"""The configuration file and KERAS_BACKEND, each case in a process of its own.

Every scenario reads one setting with the function under test, in a process that was started with
the file and the variables in its `Setup`. Without a file, or without a field, the settings are the
defaults that the documents print; what the documents rule out may be refused when the library is
imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.model import Alternative, Array, Problem, Setup, Values
from conformance.scenarios.recorder import Book, Lines, Recorder
from conformance.specs.convention_names import ConventionName

OWN = "{backend}"
"""The target's own backend."""

BOOK = Book()
FIELD: dict[str, Lines] = {
    "epsilon": {"ja-1": 61, "ja-1-text": 48, "ja-2.0": 63, "zh-TW": 56, "ko-2.2": 69},
    "floatx": {"ja-1": 62, "ja-1-text": 49, "ja-2.0": 64, "zh-TW": 57, "ko-2.2": 70},
    "image_data_format": {"ja-2.0": 60, "zh-TW": 54, "ko-2.2": 66},
    "image_dim_ordering": {"ja-1": 58, "ja-1-text": 45, "ja-2.0": 60},
    "backend": {"ja-1": 32, "ja-1-text": 26, "ja-2.0": 35, "zh-TW": 34, "ko-2.2": 38},
}
"""The lines that describe a field of the file."""

DEFAULT: dict[str, Lines] = {
    "epsilon": {"ja-2.0": 29, "zh-TW": 28, "ko-2.2": 32},
    "floatx": {"ja-2.0": 30, "zh-TW": 29, "ko-2.2": 33},
    "image_data_format": {"ja-2.0": 28, "zh-TW": 27, "ko-2.2": 31},
    "image_dim_ordering": {"ja-2.0": 28},
}
"""The lines of the default configuration; the file that keras-1 prints is called none."""

VARIABLE: Lines = {"ja-1": 34, "ja-1-text": 28, "ja-2.0": 37, "zh-TW": 36, "ko-2.2": 40}
"""The lines that say what KERAS_BACKEND does."""

WORDS = {"channels_last": "tf", "channels_first": "th"}
OFFERED = {
    "epsilon": EDITIONS,
    "floatx": EDITIONS,
    "image_data_format": EDITIONS[1:],
    "image_dim_ordering": EDITIONS[:2],
}
VALUES: dict[str, tuple[Any, ...]] = {
    "epsilon": (1e-05,),
    "floatx": ("float64", "float16"),
    "image_data_format": ("channels_first",),
    "image_dim_ordering": ("th",),
}
DEFAULTS = {
    "epsilon": 1e-07,
    "floatx": "float32",
    "image_data_format": "channels_last",
    "image_dim_ordering": "tf",
}
INVALID = {
    "epsilon": "small",
    "floatx": "float128",
    "image_data_format": "middle",
    "image_dim_ordering": "middle",
}
BROKEN = '{"floatx": "float64",'


def _file(edition: Edition, **changes: Any) -> str:
    """A file with every field of the edition, none of them the default; None leaves one out."""
    layout = {"image_data_format": "channels_first"}
    if edition == "keras-1":
        layout = {"image_dim_ordering": "th"}
    fields = {**layout, "epsilon": 1e-05, "floatx": "float64", "backend": OWN, **changes}
    return json.dumps({k: v for k, v in fields.items() if v is not None})


def _in_file(setting: str, value: Any, edition: Edition) -> dict[str, Any]:
    """The field that says it: keras-2.0 has both names of the layout, and one in the file."""
    if setting == "image_dim_ordering" and edition == "keras-2.0":
        layouts = {word: layout for layout, word in WORDS.items()}
        return {"image_data_format": layouts.get(value, value)}
    return {setting: value}


def own_setup(setting: str, value: Any, edition: Edition) -> Setup:
    """A process whose file says this, and names another backend than KERAS_BACKEND."""
    fields = {"backend": "theano", **_in_file(setting, value, edition)}
    return Setup(_file(edition, **fields), environment={"KERAS_BACKEND": OWN})


def _expect_read(
    K: Recorder, value: Any, at: Lines, name: str, others: Sequence[Alternative] = ()
) -> None:
    """The function under test reads this value; what is cast follows floatx."""
    read = K[K.tested]().output("value")
    K.expect(name, read, checks.is_one_of(value), repr(value), at=at, alternatives=others)
    if K.tested == "floatx":
        cast = K.cast_to_floatx(K.array("numbers", [1.0, 2.0], "float32")).output("cast")
        test, demands = checks.has_dtype(value), f"an array in {value}"
        K.expect(name, cast, test, demands, at=at, alternatives=others)


@BOOK.scenario(OFFERED, "", Aspect.CONFIGURATION, value=lambda setting: VALUES[setting])
def in_file(K: Recorder, value: Any) -> None:
    """The file says it; KERAS_BACKEND, which the target may have set, changes nothing (C005).

    The texts are the same for several settings, which then share a process.
    """
    K.title = f"keras.json with {json.dumps(_in_file(K.tested, value, K.edition))}"
    K.setup = own_setup(K.tested, value, K.edition)
    _expect_read(K, value, FIELD[K.tested], "what the file says")


PROCESSES = {
    "no keras.json": Setup(None, environment={"KERAS_BACKEND": OWN}),
    "keras.json with nothing but the backend": Setup(json.dumps({"backend": OWN})),
}
# the documents of keras-1 do not say which of the two layouts is the default (C002)
WITH_DEFAULTS = {**OFFERED, "image_dim_ordering": ("keras-2.0",)}


@BOOK.scenario(WITH_DEFAULTS, "{what}", Aspect.CONFIGURATION, what=PROCESSES)
def default(K: Recorder, what: str) -> None:
    """No file; and a file without the field."""
    K.setup = PROCESSES[what]
    # the documents of keras-1 call no file the default
    others = _other_defaults(K.tested) if K.edition == "keras-1" else ()
    _expect_read(K, DEFAULTS[K.tested], DEFAULT[K.tested], "the default", others)


def _other_defaults(setting: str) -> tuple[Alternative, ...]:
    """Any value that the documents allow, of the setting itself or of an array cast to it."""
    named = _is_documented(setting)

    def test(values: Values) -> Problem | None:
        if setting == "floatx" and values and values[0].array is not None:
            return checks.has_dtype("float16", "float32", "float64")(values)
        return named(values)

    return (Alternative(ConventionName.DEFAULT_SETTING, "another default", test),)


@BOOK.scenario(OFFERED, "", Aspect.CONFIGURATION)
def invalid(K: Recorder) -> None:
    """A value that is not documented: what is read is of the documented kind, whatever it says."""
    fields = _in_file(K.tested, INVALID[K.tested], K.edition)
    K.title = f"keras.json with {json.dumps(fields)}"
    K.setup = Setup(_file(K.edition, **fields), may_refuse=True)
    K.conventions = (ConventionName.INVALID_SETTING,)
    read, test = K[K.tested]().output("value"), _is_documented(K.tested)
    if K.tested == "floatx":
        K.cast_to_floatx(K.array("numbers", [1.0, 2.0], "float32")).output("cast")
    demands = "an import that fails, or a documented value"
    K.expect("an invalid value", read, test, demands, at=FIELD[K.tested])


@BOOK.scenario("floatx", "a keras.json that is not JSON", Aspect.CONFIGURATION)
def broken(K: Recorder) -> None:
    """A file that is not JSON."""
    K.setup = Setup(BROKEN, may_refuse=True)
    K.conventions = (ConventionName.INVALID_SETTING,)
    _expect_read(K, "float32", {}, "the default")


def _is_documented(setting: str) -> checks.Test:
    if setting == "epsilon":
        return _is_positive
    return checks.is_one_of(*VALUES[setting], DEFAULTS[setting])


@checks.of_array
def _is_positive(got: Array) -> Problem | None:
    if got.shape == () and got.dtype.kind == "f" and np.isfinite(got) and got > 0:
        return None
    return Problem(f"gives {checks.shown(got)}", "value", got=got)


NO_FILE = PROCESSES["no keras.json"]
BACKENDS = {
    "the field backend": None,
    "KERAS_BACKEND without keras.json": None,
    "KERAS_BACKEND over tensorflow in the file": "tensorflow",
    "KERAS_BACKEND over theano in the file": "theano",
}


@BOOK.scenario("backend", "{what}", Aspect.CONFIGURATION, what=BACKENDS)
def backends(K: Recorder, what: str) -> None:
    """The environment variable names the backend, whatever the file says."""
    in_file, other = what == "the field backend", BACKENDS[what]
    if other is None:
        by_field = Setup(_file(K.edition), environment={"KERAS_BACKEND": None})
        K.setup = by_field if in_file else NO_FILE
    else:
        environment = {"KERAS_BACKEND": OWN}
        K.setup = Setup(_file(K.edition, backend=other), environment=environment)
    name, at = ("what the file says", FIELD["backend"]) if in_file else ("KERAS_BACKEND", VARIABLE)
    same = K.operator.eq(K.backend(), OWN).output("same")
    K.expect(name, same, checks.is_one_of(True), "the name that was given", at=at)


MESSAGE: Lines = {"ja-1": 38, "ja-1-text": 31, "ja-2.0": 41, "zh-TW": 40, "ko-2.2": 45}
"""The lines that show what the import of a backend prints: "Using TensorFlow backend."."""
USING = re.compile(r"\bUsing (\S+) backend\b")


@BOOK.scenario("backend", "what an import prints", Aspect.CONFIGURATION)
def message(K: Recorder) -> None:
    """The message of an import, if there is one, names the backend that is in use."""
    K.setup = NO_FILE
    both = K["printed.import"]().output("said"), K.backend().output("name")
    demands = "that the import tells the backend in use, if it tells one"
    K.expect("the message of the import", both, _names_the_backend, demands, at=MESSAGE)


def _names_the_backend(printed: Values, name: Values) -> Problem | None:
    text, backend = str(checks.plain(printed)), str(checks.plain(name))
    others = [other for other in USING.findall(text) if other.lower() != backend.lower()]
    if not others:
        return None
    using = f"Using {others[0]} backend"
    fault = f"{using!r} in first and values[1][0].lower() != {others[0].lower()!r}"
    gives = f"prints {using!r}, and backend() gives {backend!r}"
    return Problem(gives, "another backend", got=others[0], fault=fault)


FAMILIES = BOOK.families
