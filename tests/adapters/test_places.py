"""Where in the implementation an exception was raised: the innermost line of its package."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.adapters.worker.conformance_worker import failures
from conformance.adapters.worker.conformance_worker.failures import describe, find_sources

INNER = "import json\n\ndef fail(text):\n    return json.loads(text)\n"
OUTER = "from place_package.inner import fail\n\ndef call():\n    return fail('{')\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path, whose modules are forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(failures, "_sources", [])
    known = {*sys.modules}
    yield tmp_path
    for name in {*sys.modules} - known:
        del sys.modules[name]


def place(module: str) -> object:
    """The place of the exception that `call` of the module raises."""
    imported = importlib.import_module(module)
    find_sources(module)
    with pytest.raises(Exception) as raised:
        imported.call()
    return describe(raised.value, "call")[-1]


def test_the_innermost_line_of_the_package_is_the_place(folder: Path) -> None:
    package = folder / "place_package"
    package.mkdir()
    for name, source in (("__init__", ""), ("inner", INNER), ("outer", OUTER)):
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    assert place("place_package.outer") == "place_package/inner.py:4, in fail"


def test_a_module_is_its_own_package(folder: Path) -> None:
    (folder / "place_module.py").write_text("def call():\n    1 / 0\n", encoding="utf-8")
    assert place("place_module") == "place_module.py:2, in call"


def test_an_exception_from_elsewhere_has_no_place(folder: Path) -> None:
    (folder / "place_module.py").write_text("from os import listdir as call\n", encoding="utf-8")
    importlib.import_module("place_module")
    find_sources("place_module")
    with pytest.raises(ValueError, match="invalid literal") as raised:
        int("x")
    assert describe(raised.value, "call")[-1] is None


@pytest.mark.parametrize("file", [None, 7, "", "/nowhere/module.so"])
def test_a_module_without_a_source_has_no_place(
    file: object, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "def call():\n    raise ValueError\n"
    (folder / "place_module.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(importlib.import_module("place_module"), "__file__", file)
    assert place("place_module") is None


def test_a_place_is_short(folder: Path) -> None:
    source = "exec(compile('def call():\\n    1 / 0', __file__ + 'a' * 5000, 'exec'))\n"
    (folder / "place_module.py").write_text(source, encoding="utf-8")
    assert len(str(place("place_module"))) == 200


WRAPPER = """
import functools
import types

_EXCLUDED_PATHS = (__file__.partition('/src/')[0],)


def wrapped(function):
    @functools.wraps(function)
    def error_handler(*args):
        try:
            return function(*args)
        except Exception as error:
            cut, frame = None, error.__traceback__
            frames = []
            while frame is not None:
                frames.append(frame)
                frame = frame.tb_next
            for frame in reversed(frames):
                file = frame.tb_frame.f_code.co_filename
                if not any(path in file for path in _EXCLUDED_PATHS):
                    cut = types.TracebackType(cut, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
            raise error.with_traceback(cut) from None
    return error_handler
"""
"""As Keras has it: it cuts its own frames from what a library below it raises."""
WRAPPED = "from place_keras.src.utils.traceback_utils import wrapped\n"


def wrapped_package(folder: Path, source: str) -> None:
    utils = folder / "place_keras" / "src" / "utils"
    utils.mkdir(parents=True)
    for package in (utils, utils.parent, utils.parent.parent):
        (package / "__init__.py").touch()
    (utils / "traceback_utils.py").write_text(WRAPPER, encoding="utf-8")
    text = f"{WRAPPED}{source}"
    (folder / "place_keras" / "ops.py").write_text(text, encoding="utf-8")


def test_a_wrapper_of_keras_hides_no_line_below_it(folder: Path) -> None:
    source = "import json\n\n@wrapped\ndef call():\n    return json.loads('{')\n"
    wrapped_package(folder, source)
    assert place("place_keras.ops") == "place_keras/ops.py:6, in call"


def test_a_wrapper_of_keras_is_no_place(folder: Path) -> None:
    wrapped_package(folder, "import json\n\nloads = wrapped(json.loads)\n\ncall = loads\n")
    assert place("place_keras.ops") is None
