"""The configuration file of the reference, in processes of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NEWER = "print(K.floatx(), K.epsilon(), K.image_data_format(), K.variable(1).dtype)"
OLDER = "print(K.floatx(), K.epsilon(), K.image_dim_ordering())"


def started(
    home: Path, program: str, edition: str = "keras-2.2", **variables: str
) -> subprocess.CompletedProcess[str]:
    """A program on the reference, with this home."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(home)}
    environment |= {"CONFORMANCE_REFERENCE_EDITION": edition, **variables}
    code = f"import conformance.reference as K; {program}"
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def printed(home: Path, program: str, edition: str = "keras-2.2", **variables: str) -> str:
    """What the program prints."""
    process = started(home, program, edition, **variables)
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def file(home: Path, text: str, folder: str = ".keras") -> Path:
    """A home with this configuration."""
    (home / folder).mkdir()
    (home / folder / "keras.json").write_text(text, encoding="utf-8")
    return home


def test_no_file(tmp_path: Path) -> None:
    assert printed(tmp_path, NEWER) == "float32 1e-07 channels_last float32"
    assert printed(tmp_path, OLDER, "keras-1") == "float32 1e-07 tf"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"floatx": "float64"}, "float64 1e-07 channels_last float64"),
        ({"epsilon": 0.5}, "float32 0.5 channels_last float32"),
        ({"epsilon": 1}, "float32 1.0 channels_last float32"),
        ({"image_data_format": "channels_first"}, "float32 1e-07 channels_first float32"),
        ({"image_dim_ordering": "th"}, "float32 1e-07 channels_last float32"),
        ({"backend": "theano", "other": [1]}, "float32 1e-07 channels_last float32"),
    ],
)
def test_fields(tmp_path: Path, fields: dict[str, Any], expected: str) -> None:
    home = file(tmp_path, json.dumps(fields))
    assert printed(home, NEWER) == expected
    assert printed(home, "print(K.backend())") == "conformance.reference"


def test_settings_are_never_written(tmp_path: Path) -> None:
    written = '{"floatx": "float64"}'
    home = file(tmp_path, written)
    change = "K.set_floatx('float16'); K.set_epsilon(1); K.set_image_data_format('channels_first')"
    assert printed(home, f"{change}; {NEWER}") == "float16 1.0 channels_first float16"
    assert [path.name for path in home.rglob("*")] == [".keras", "keras.json"]
    assert (home / ".keras" / "keras.json").read_text(encoding="utf-8") == written


def test_the_older_name_of_the_layout(tmp_path: Path) -> None:
    both = {"image_dim_ordering": "th", "image_data_format": "channels_last"}
    home = file(tmp_path, json.dumps(both))
    assert printed(home, OLDER, "keras-1") == "float32 1e-07 th"
    assert printed(home, OLDER, "keras-2.0") == "float32 1e-07 tf"


def test_keras_home_comes_first(tmp_path: Path) -> None:
    file(tmp_path, '{"floatx": "float64"}')
    file(tmp_path, '{"floatx": "float16"}', "other")
    assert printed(tmp_path, "print(K.floatx())", KERAS_HOME=str(tmp_path / "other")) == "float16"
    assert printed(tmp_path, "print(K.floatx())", KERAS_HOME="~/.keras") == "float64"
    assert printed(tmp_path, "print(K.floatx())", KERAS_HOME="") == "float64"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"floatx": "float128"}', "floatx is 'float128'; write one of float16"),
        ('{"floatx": ["float32"]}', "write one of float16"),
        ('{"epsilon": "small"}', "epsilon is 'small'; write a number"),
        ('{"epsilon": true}', "epsilon is True; write a number"),
        ('{"image_data_format": "tf"}', "write 'channels_last' or 'channels_first'"),
        ('{"backend": 3}', "backend is 3; write a name"),
        ('{"floatx":', "correct the file or delete it"),
        ('{"epsilon":\u00a01e-05}', "correct the file or delete it"),
        ("[]", "write an object"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    process = started(file(tmp_path, text), "pass")
    assert process.returncode == 1
    (line,) = (n for n in process.stderr.splitlines() if n.startswith("ValueError"))
    assert str(tmp_path / ".keras" / "keras.json") in line
    assert message in line
