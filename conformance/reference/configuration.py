"""Settings of the process: float type, epsilon, image layout, and counters of unique names."""

from __future__ import annotations

from collections import defaultdict

from conformance.reference.dtypes import FLOATS
from conformance.reference.edition import documented

LAYOUTS = {"tf": "channels_last", "th": "channels_first"}


class _Settings:
    floatx = "float32"
    epsilon = 1e-07
    image_data_format = "channels_last"


_settings = _Settings()
_uids: defaultdict[str, int] = defaultdict(int)


@documented("ja-1:1547 backend()", "ja-2.0:125 backend()", "ko-2.2:3744 backend()")
def backend() -> str:
    """Name of this implementation: `"reference"`."""
    return "reference"


@documented("ja-1:139 floatx()", "ja-2.0:192 floatx()", "ko-2.2:3875 floatx()")
def floatx() -> str:
    """Name of the default float type, `"float32"` unless set otherwise."""
    return _settings.floatx


@documented("ja-2.0:213 set_floatx(floatx)", "ko-2.2:3899 set_floatx(floatx)")
def set_floatx(floatx: str) -> None:
    """Set the default float type; ValueError unless float16, float32 or float64."""
    if floatx not in FLOATS:
        raise ValueError(f"set_floatx: floatx is {floatx!r}; write one of {', '.join(FLOATS)}")
    _settings.floatx = floatx


@documented("ja-1:119 epsilon()", "ja-2.0:146 epsilon()", "ko-2.2:4012 epsilon()")
def epsilon() -> float:
    """The small number that keeps divisions safe, 1e-07 unless set otherwise (ko-2.2:4026)."""
    return _settings.epsilon


@documented("ja-1:128 set_epsilon(e)", "ja-2.0:167 set_epsilon(e)", "ko-2.2:4035 set_epsilon(e)")
def set_epsilon(e: float) -> None:
    """Set epsilon; ValueError unless it is a Python number."""
    if not isinstance(e, (int, float)) or isinstance(e, bool):
        raise ValueError(f"set_epsilon: e is {e!r}; write a number such as 1e-07")
    _settings.epsilon = e


@documented("ja-2.0:272 image_data_format()", "ko-2.2:3962 image_data_format()")
def image_data_format() -> str:
    """Layout of images: `"channels_last"` (the default) or `"channels_first"`."""
    return _settings.image_data_format


@documented(
    "ja-2.0:293 set_image_data_format(data_format)",
    "ko-2.2:3985 set_image_data_format(data_format)",
)
def set_image_data_format(data_format: str) -> None:
    """Set the layout of images; ValueError unless channels_last or channels_first."""
    if data_format not in LAYOUTS.values():
        raise ValueError(
            f"set_image_data_format: data_format is {data_format!r}; "
            "write 'channels_last' or 'channels_first'"
        )
    _settings.image_data_format = data_format


@documented("ja-1:163 image_dim_ordering()", "ja-2.0:380 image_dim_ordering()")
def image_dim_ordering() -> str:
    """The older word for the layout of images: `"tf"` is channels_last, `"th"` channels_first."""
    return next(old for old, new in LAYOUTS.items() if new == _settings.image_data_format)


@documented(
    "ja-1:173 set_image_dim_ordering(dim_ordering)",
    "ja-2.0:351 set_image_dim_ordering(dim_ordering)",
)
def set_image_dim_ordering(dim_ordering: str) -> None:
    """Set the layout of images by its older word; ValueError unless tf or th (ja-2.0:373)."""
    if dim_ordering not in LAYOUTS:
        raise ValueError(
            f"set_image_dim_ordering: dim_ordering is {dim_ordering!r}; write 'tf' or 'th'"
        )
    _settings.image_data_format = LAYOUTS[dim_ordering]


@documented("ja-2.0:394 get_uid(prefix='')", "ko-2.2:3768 get_uid(prefix='')")
def get_uid(prefix: str = "") -> int:
    """The next integer for a prefix, from 1 upwards."""
    _uids[prefix] += 1
    return _uids[prefix]


@documented("ja-2.0:412 reset_uids()", "ko-2.2:3788 reset_uids()")
def reset_uids() -> None:
    """Let `get_uid` start again from 1 for every prefix."""
    _uids.clear()


@documented("ja-2.0:1230 clear_session()", "ko-2.2:3800 clear_session()")
def clear_session() -> None:
    """Forget what `get_uid` counted. A graph belongs to its tensors; there is no other state."""
    reset_uids()
