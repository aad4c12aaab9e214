"""The configuration file of Keras, which says what the settings of a process start with.

It is `keras.json` in the folder `.keras` of the home directory (ja-1:22, ja-2.0:18, ko-2.2:21), or
in the folder that the environment variable KERAS_HOME names, as in the released Keras. It is read
once, when the package is imported, and never written. The field `backend` and the environment
variable KERAS_BACKEND say which backend Keras loads; who imports this package has chosen already.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FIELDS = ("image_dim_ordering", "image_data_format", "epsilon", "floatx", "backend")


def location() -> Path:
    """Where the file is, if there is one."""
    folder = os.environ.get("KERAS_HOME")
    return (Path(folder).expanduser() if folder else Path.home() / ".keras") / "keras.json"


def read(path: Path) -> Mapping[str, Any]:
    """The documented fields that the file has; none if there is no file.

    ValueError if it is not a JSON object, cannot be read, or if `backend` is not a name.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {error}; correct the file or delete it") from None
    if not isinstance(found, dict):
        raise ValueError(f'{path}: write an object, such as {{"floatx": "float32"}}')
    if not isinstance(found.get("backend", ""), str):
        raise ValueError(f"{path}: backend is {found['backend']!r}; write a name in quotes")
    return {name: found[name] for name in FIELDS if name in found}
