"""Settings of a backend: float type, epsilon and image layout."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.reference import keras_json
from conformance.reference.edition import EDITION, documented
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.dtypes import FLOATS
from conformance.reference.symbolic.graph import Tensor

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
    """What `keras.json` says, and the defaults of ko-2.2:29 for the fields that it lacks.

    ValueError for a value that the documents do not allow.
    """

    def __init__(self, fields: Mapping[str, Any], path: Path) -> None:
        given = {"floatx": "float32", "epsilon": 1e-07, **fields}
        self.floatx = _float_type(given["floatx"], f"{path}: floatx")
        self.epsilon = _small_number(given["epsilon"], f"{path}: epsilon")
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
    path = keras_json.location()
    return FileSettings(keras_json.read(path), path)


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
    """Set the default float type; ValueError unless float16, float32 or float64."""
    active().settings.floatx = _float_type(floatx, "set_floatx: floatx")


@documented("ja-1:119 epsilon()", "ja-2.0:146 epsilon()", "ko-2.2:4012 epsilon()")
def epsilon() -> float:
    """The small number that keeps divisions safe, 1e-07 unless set otherwise (ko-2.2:4026)."""
    return active().settings.epsilon


@documented("ja-1:128 set_epsilon(e)", "ja-2.0:167 set_epsilon(e)", "ko-2.2:4035 set_epsilon(e)")
def set_epsilon(e: float) -> None:
    """Set epsilon; ValueError unless it is a Python number."""
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
    """Set the layout of images; ValueError unless channels_last or channels_first."""
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
    """Set the layout of images by its older word; ValueError unless tf or th (ja-2.0:373)."""
    where = "set_image_dim_ordering: dim_ordering"
    active().settings.image_data_format = _older_layout(dim_ordering, where)


@documented(
    "ja-1:152 cast_to_floatx(x)", "ja-2.0:238 cast_to_floatx(x)", "ko-2.2:3926 cast_to_floatx(x)"
)
def cast_to_floatx(x: Any) -> Any:
    """A NumPy array with the elements of the array x in floatx. ValueError if x is a tensor."""
    if isinstance(x, Tensor):
        raise ValueError("cast_to_floatx: x is a tensor; use K.cast(x, K.floatx())")
    try:
        return active().library.export(active().library.convert(x, floatx()))
    except (TypeError, ValueError) as error:
        raise ValueError(f"cast_to_floatx: {error}") from None
