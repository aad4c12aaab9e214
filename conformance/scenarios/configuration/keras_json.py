"""The configuration file and KERAS_BACKEND, each case in a process of its own.

Every scenario reads one setting with the function under test, in a process that was started with
the file and the variables in its `Setup`. Without a file, or without a field, the settings are the
defaults that the documents print; what the documents rule out may be refused when the library is
imported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from conformance.editions import EDITIONS, Edition
from conformance.results import Aspect
from conformance.scenarios import checks
from conformance.scenarios.model import (
    Alternative,
    Check,
    Family,
    Problem,
    Scenario,
    Setup,
    Values,
)
from conformance.scenarios.writing import ProgramWriter
from conformance.specs.convention_names import ConventionName

OWN = "{backend}"
"""The target's own backend."""

Lines = Mapping[str, int]

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

VARIABLE = {"ja-1": 34, "ja-1-text": 28, "ja-2.0": 37, "zh-TW": 36, "ko-2.2": 40}
"""The lines that say what KERAS_BACKEND does."""

WORDS = {"channels_last": "tf", "channels_first": "th"}
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
NO_FILE = Setup(None, environment={"KERAS_BACKEND": OWN})
LITTLE = Setup(json.dumps({"backend": OWN}))


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


def _scenario(
    setting: str, title: str, setup: Setup, *tests: Check, conventions: tuple[str, ...] = ()
) -> Scenario:
    """A program that reads one setting, as the output "value"."""
    w = ProgramWriter()
    w.observe("value", setting)
    if setting == "floatx":
        w.observe("cast", "cast_to_floatx", w.array("numbers", [1.0, 2.0], "float32"))
    return Scenario(
        setting,
        title,
        program=w.program(),
        arrays=w.arrays,
        checks=tests,
        conventions=conventions,
        setup=setup,
    )


def _reads(setting: str, value: Any, at: Lines, name: str) -> tuple[Check, ...]:
    test = checks.is_one_of(value)
    read = Check(
        name, Aspect.CONFIGURATION, outputs=("value",), test=test, demands=repr(value), at=at
    )
    if setting != "floatx":
        return (read,)
    followed = checks.has_dtype(value)
    cast = Check(
        name,
        Aspect.CONFIGURATION,
        outputs=("cast",),
        test=followed,
        demands=f"an array in {value}",
        at=at,
    )
    return (read, cast)


def _given(setting: str, edition: Edition) -> Iterator[Scenario]:
    """The file says it; KERAS_BACKEND, which the target may have set, changes nothing (C005).

    The texts are the same for several settings, which then share a process.
    """
    for value in VALUES[setting]:
        fields, setup = _in_file(setting, value, edition), given_setup(setting, value, edition)
        tests = _reads(setting, value, FIELD[setting], "what the file says")
        yield _scenario(setting, f"keras.json with {json.dumps(fields)}", setup, *tests)


def given_setup(setting: str, value: Any, edition: Edition) -> Setup:
    """A process whose file says this, and names another backend than KERAS_BACKEND."""
    fields = {"backend": "theano", **_in_file(setting, value, edition)}
    return Setup(_file(edition, **fields), environment={"KERAS_BACKEND": OWN})


def _defaults(setting: str, edition: Edition) -> Iterator[Scenario]:
    """No file; and a file without the field."""
    value, at = DEFAULTS[setting], DEFAULT[setting]
    if setting == "image_dim_ordering" and edition == "keras-1":
        return  # the documents do not say which of the two is the default (C002)
    tests = _reads(setting, value, at, "the default")
    if edition == "keras-1":  # whose documents call no file the default
        tests = tuple(replace(test, alternatives=_other_defaults(setting)) for test in tests)
    yield _scenario(setting, "no keras.json", NO_FILE, *tests)
    yield _scenario(setting, "keras.json with nothing but the backend", LITTLE, *tests)


def _other_defaults(setting: str) -> tuple[Alternative, ...]:
    """Any value that the documents allow, of the setting itself or of an array cast to it."""
    named = _is_documented(setting)

    def test(values: Values) -> Problem | None:
        if setting == "floatx" and values and values[0].array is not None:
            return checks.has_dtype("float16", "float32", "float64")(values)
        return named(values)

    return (Alternative(ConventionName.DEFAULT_SETTING, "another default", test),)


def _invalid(setting: str, edition: Edition) -> Iterator[Scenario]:
    """A value that is not documented, and a file that is not JSON."""
    fields = _in_file(setting, INVALID[setting], edition)
    invalid = Setup(_file(edition, **fields), may_refuse=True)
    title = f"keras.json with {json.dumps(fields)}"
    yield _scenario(
        setting, title, invalid, _valid(setting), conventions=(ConventionName.INVALID_SETTING,)
    )
    if setting == "floatx":
        broken = Setup(BROKEN, may_refuse=True)
        tests = _reads(setting, "float32", {}, "the default")
        title = "a keras.json that is not JSON"
        yield _scenario(
            setting, title, broken, *tests, conventions=(ConventionName.INVALID_SETTING,)
        )


def _valid(setting: str) -> Check:
    """What is read is of the documented kind, whatever the file says."""
    return Check(
        "an invalid value",
        Aspect.CONFIGURATION,
        outputs=("value",),
        test=_is_documented(setting),
        demands="an import that fails, or a documented value",
        at=FIELD[setting],
    )


def _is_documented(setting: str) -> checks.Test:
    if setting == "epsilon":
        return _is_positive
    return checks.is_one_of(*VALUES[setting], DEFAULTS[setting])


def _is_positive(values: Values) -> Problem | None:
    got = checks.only(values)
    if isinstance(got, Problem):
        return got
    if got.shape == () and got.dtype.kind == "f" and np.isfinite(got) and got > 0:
        return None
    return Problem(f"gives {checks.shown(got)}", "value", got=got)


def _backends(edition: Edition) -> Iterator[Scenario]:
    """The environment variable names the backend, whatever the file says."""
    named = _named("what the file says", FIELD["backend"])
    yield named("the field backend", Setup(_file(edition), environment={"KERAS_BACKEND": None}))
    named = _named("KERAS_BACKEND", VARIABLE)
    yield named("KERAS_BACKEND without keras.json", NO_FILE)
    for other in ("tensorflow", "theano"):
        file = _file(edition, backend=other)
        yield named(
            f"KERAS_BACKEND over {other} in the file",
            Setup(file, environment={"KERAS_BACKEND": OWN}),
        )


MESSAGE = {"ja-1": 38, "ja-1-text": 31, "ja-2.0": 41, "zh-TW": 40, "ko-2.2": 45}
"""The lines that show what the import of a backend prints: "Using TensorFlow backend."."""
SAID = re.compile(r"\bUsing (\S+) backend\b")


def _messages(_edition: Edition) -> Iterator[Scenario]:
    """The message of an import, if there is one, names the backend that is in use."""
    w = ProgramWriter()
    w.observe("said", "printed.import")
    w.observe("name", "backend")
    check = Check(
        "the message of the import",
        Aspect.CONFIGURATION,
        outputs=("said", "name"),
        test=_names_the_backend,
        demands="that the import tells the backend in use, if it tells one",
        at=MESSAGE,
    )
    title = "what an import prints"
    yield Scenario("backend", title, program=w.program(), arrays={}, checks=(check,), setup=NO_FILE)


def _names_the_backend(said: Values, name: Values) -> Problem | None:
    text, backend = str(checks.plain(said)), str(checks.plain(name))
    others = [found for found in SAID.findall(text) if found.lower() != backend.lower()]
    if not others:
        return None
    fault = (
        f"'Using {others[0]} backend' in first and values[1][0].lower() != {others[0].lower()!r}"
    )
    return Problem(
        f"prints 'Using {others[0]} backend', and backend() gives {backend!r}",
        "another backend",
        got=others[0],
        fault=fault,
    )


def _named(name: str, at: Lines) -> Any:
    """Makes scenarios in which the backend is the target's own."""

    def scenario(title: str, setup: Setup) -> Scenario:
        w = ProgramWriter()
        w.observe("same", "operator.eq", w.call("backend"), OWN)
        test, demands = checks.is_one_of(True), "the name that was given"
        check = Check(
            name, Aspect.CONFIGURATION, outputs=("same",), test=test, demands=demands, at=at
        )
        return Scenario(
            "backend",
            title,
            program=w.program(),
            arrays={},
            checks=(check,),
            conventions=(),
            setup=setup,
        )

    return scenario


def _family(setting: str, make: Any, editions: tuple[Edition, ...]) -> Family:
    return Family(setting, frozenset({Aspect.CONFIGURATION}), make=make, editions=editions)


def _families() -> Iterator[Family]:
    yield _family("backend", _backends, EDITIONS)
    yield _family("backend", _messages, EDITIONS)
    offered = {"image_data_format": EDITIONS[1:], "image_dim_ordering": EDITIONS[:2]}
    for setting in VALUES:
        for make in (_given, _defaults, _invalid):
            yield _family(setting, partial(make, setting), offered.get(setting, EDITIONS))


FAMILIES: tuple[Family, ...] = tuple(_families())
