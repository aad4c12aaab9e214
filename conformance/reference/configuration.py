"""Settings of a backend (float type, epsilon, image layout), and its state: unique numbers, phase.

`keras.json` says which settings a process starts with. It lies in the folder `.keras` of the home
directory (ja-1:22, ja-2.0:18, ko-2.2:21), or in the folder that the environment variable KERAS_HOME
names, as in the released Keras. The package reads it once, at import, and never writes it. The
field `backend` and the variable KERAS_BACKEND choose a backend for Keras; an import of this package
is such a choice already.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.reference.edition import EDITION, documented, says
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Placeholder, Tensor
from conformance.reference.symbolic.rules import FLOATS

_FIELDS = ("image_dim_ordering", "image_data_format", "epsilon", "floatx", "backend")


def settings_file() -> Path:
    """Where the file is, if there is one."""
    folder = os.environ.get("KERAS_HOME")
    return (Path(folder).expanduser() if folder else Path.home() / ".keras") / "keras.json"


def settings_in(path: Path) -> Mapping[str, Any]:
    """The documented fields that the file has; none if there is no file.

    Raises:
        ValueError: the file is not a JSON object or cannot be read, or `backend` is not a name.
    """
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}; correct the file or delete it") from None
    if not isinstance(settings, dict):
        raise ValueError(f'{path}: write an object, such as {{"floatx": "float32"}}')
    if not isinstance(settings.get("backend", ""), str):
        raise ValueError(f"{path}: backend is {settings['backend']!r}; write a name in quotes")
    return {name: settings[name] for name in _FIELDS if name in settings}


LAYOUTS = {"tf": "channels_last", "th": "channels_first"}


def _float_type(value: Any, where: str) -> str:
    if not isinstance(value, str) or value not in FLOATS:
        raise ValueError(f"{where} is {value!r}; write one of {', '.join(FLOATS)}")
    return value


def _small_number(value: Any, where: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise ValueError(f"{where} is {value!r}; write a number such as 1e-07")
    return float(value)


def _layout(value: Any, where: str) -> str:
    if not isinstance(value, str) or value not in LAYOUTS.values():
        raise ValueError(f"{where} is {value!r}; write 'channels_last' or 'channels_first'")
    return value


def _older_layout(value: Any, where: str) -> str:
    if not isinstance(value, str) or value not in LAYOUTS:
        raise ValueError(f"{where} is {value!r}; write 'tf' or 'th'")
    return LAYOUTS[value]


class FileSettings:
    """The settings of `keras.json`, and the defaults of ko-2.2:29 for the fields that it lacks.

    ValueError for a value that the documents do not allow.
    """

    def __init__(self, fields: Mapping[str, Any], path: Path) -> None:
        settings = {"floatx": "float32", "epsilon": 1e-07, **fields}
        self.floatx = _float_type(settings["floatx"], f"{path}: floatx")
        self.epsilon = _small_number(settings["epsilon"], f"{path}: epsilon")
        self.image_data_format = _image_layout(fields, path)


def _image_layout(fields: Mapping[str, Any], path: Path) -> str:
    """The field has another name, and other values, in keras-1 (conflict C003)."""
    if EDITION == "keras-1":
        older = fields.get("image_dim_ordering", "tf")
        return _older_layout(older, f"{path}: image_dim_ordering")
    newer = fields.get("image_data_format", "channels_last")
    return _layout(newer, f"{path}: image_data_format")


def settings_from_file() -> FileSettings:
    """The settings that a backend starts with."""
    path = settings_file()
    return FileSettings(settings_in(path), path)


@documented("ja-1:1547 backend()", "ja-2.0:125 backend()", "ko-2.2:3744 backend()")
def backend() -> str:
    """Name of this implementation: that of its package, such as `"conformance.reference"`.

    That is the name by which KERAS_BACKEND, or the field `backend` of `keras.json`, makes Keras
    load it; the documented names stand for backends that are part of Keras (ko-2.2:71).
    """
    return active().name


@documented("ja-1:139 floatx()", "ja-2.0:192 floatx()", "ko-2.2:3875 floatx()")
def floatx() -> str:
    """Name of the default float type, `"float32"` unless set otherwise."""
    return active().settings.floatx


@documented("ja-2.0:213 set_floatx(floatx)", "ko-2.2:3899 set_floatx(floatx)")
def set_floatx(floatx: str) -> None:
    """Set the default float type.

    Raises:
        ValueError: the type is not float16, float32 or float64.
    """
    active().settings.floatx = _float_type(floatx, "set_floatx: floatx")


@documented("ja-1:119 epsilon()", "ja-2.0:146 epsilon()", "ko-2.2:4012 epsilon()")
def epsilon() -> float:
    """The small number that keeps divisions safe, 1e-07 unless set otherwise (ko-2.2:4026)."""
    return active().settings.epsilon


@documented("ja-1:128 set_epsilon(e)", "ja-2.0:167 set_epsilon(e)", "ko-2.2:4035 set_epsilon(e)")
def set_epsilon(e: float) -> None:
    """Set epsilon.

    Raises:
        ValueError: e is not a Python number.
    """
    active().settings.epsilon = _small_number(e, "set_epsilon: e")


@documented("ja-2.0:272 image_data_format()", "ko-2.2:3962 image_data_format()")
def image_data_format() -> str:
    """Layout of images: `"channels_last"` (the default) or `"channels_first"`."""
    return active().settings.image_data_format


@documented(
    "ja-2.0:293 set_image_data_format(data_format)",
    "ko-2.2:3985 set_image_data_format(data_format)",
)
def set_image_data_format(data_format: str) -> None:
    """Set the layout of images.

    Raises:
        ValueError: the layout is not channels_last or channels_first.
    """
    active().settings.image_data_format = _layout(data_format, "set_image_data_format: data_format")


@documented("ja-1:163 image_dim_ordering()", "ja-2.0:380 image_dim_ordering()")
def image_dim_ordering() -> str:
    """The older word for the layout of images: `"tf"` is channels_last, `"th"` channels_first."""
    return next(old for old, new in LAYOUTS.items() if new == active().settings.image_data_format)


@documented(
    "ja-1:173 set_image_dim_ordering(dim_ordering)",
    "ja-2.0:351 set_image_dim_ordering(dim_ordering)",
)
def set_image_dim_ordering(dim_ordering: str) -> None:
    """Set the layout of images by its older word.

    Raises:
        ValueError: the word is not tf or th (ja-2.0:373).
    """
    where = "set_image_dim_ordering: dim_ordering"
    active().settings.image_data_format = _older_layout(dim_ordering, where)


@documented(
    "ja-1:152 cast_to_floatx(x)", "ja-2.0:238 cast_to_floatx(x)", "ko-2.2:3926 cast_to_floatx(x)"
)
def cast_to_floatx(x: Any) -> Any:
    """A NumPy array with the elements of the array x in floatx.

    Raises:
        ValueError: x is a tensor.
    """
    if isinstance(x, Tensor):
        raise ValueError("cast_to_floatx: x is a tensor; use K.cast(x, K.floatx())")
    try:
        return active().library.export(active().library.convert(x, floatx()))
    except (TypeError, ValueError) as error:
        raise ValueError(f"cast_to_floatx: {error}") from None


@documented("ja-2.0:394 get_uid(prefix='')", "ko-2.2:3768 get_uid(prefix='')")
def get_uid(prefix: str = "") -> int:
    """The next integer for a prefix, from 1 upwards.

    Raises:
        ValueError: the prefix is not a text.
    """
    if not isinstance(prefix, str):
        raise ValueError(f"get_uid: prefix is {prefix!r}; write a text such as 'dense'")
    uids = active().uids
    uids[prefix] += 1
    return uids[prefix]


@documented("ja-2.0:412 reset_uids()", "ko-2.2:3788 reset_uids()")
def reset_uids() -> None:
    """Let `get_uid` start again from 1 for every prefix."""
    active().uids.clear()


@documented("ja-2.0:1230 clear_session()", "ko-2.2:3800 clear_session()")
def clear_session() -> None:
    """Forget the unique numbers and the learning phase.

    A graph belongs to its tensors; there is no other state to clear.
    """
    reset_uids()
    active().learning_phase = None


@documented(
    "ja-1:200 manual_variable_initialization(value)",
    "ja-2.0:1242 manual_variable_initialization(value)",
    "ko-2.2:3814 manual_variable_initialization(value)",
)
def manual_variable_initialization(value: bool) -> None:
    """Whether variables made from now on stay without a value until `set_value` gives them one.

    Raises:
        ValueError: value is not True or False (ko-2.2:3827).
    """
    if not isinstance(value, bool):
        raise ValueError(f"manual_variable_initialization: value is {value!r}; write True or False")
    active().initialises_variables = not value


@documented(
    "ja-1:184 learning_phase()", "ja-2.0:1258 learning_phase()", "ko-2.2:3835 learning_phase()"
)
def learning_phase() -> Placeholder | int:
    """The flag that tells training (1) from testing (0).

    The int that `set_learning_phase` fixed; else a scalar tensor, always the same until
    `clear_session`. It can be among the inputs of a function, and is 0 where it is not. It is bool
    (ja-2.0:1263, ko-2.2:3841), in keras-1 int32 (ja-1:192).
    """
    backend = active()
    if backend.learning_phase is None:
        dtype = "int32" if says("ja-1:192") else "bool"
        default = backend.library.filled((), 0, dtype)
        backend.learning_phase = Placeholder((), dtype, "learning_phase", default)
        backend.learning_phase._uses_learning_phase = True
    phase: Placeholder | int = backend.learning_phase
    return phase


@documented(
    "ja-2.0:1274 set_learning_phase(value)",
    "ko-2.2:3855 set_learning_phase(value)",
)
def set_learning_phase(value: Any) -> None:
    """Fix the learning phase.

    Raises:
        ValueError: value is not 0 or 1 (ja-2.0:1285, ko-2.2:3867).
    """
    if not isinstance(value, int) or value not in (0, 1):
        raise ValueError(
            f"set_learning_phase: value is {value!r}; write 0 for testing or 1 for training"
        )
    active().learning_phase = int(value)
