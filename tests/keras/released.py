"""Keras 2.2.4 where Python, NumPy, h5py and PyYAML are newer than it.

What Keras was written for, and what has since been taken away, is put back before it is imported.
Nothing here changes what a backend does. It runs on CPython 3.6 too, where there is little to do.
"""

import importlib
import sys
import types
import warnings
from typing import Any

NAMES = ("Iterable", "Mapping", "Sequence", "Callable", "Hashable")


class Text(str):
    """A text of an h5py attribute, which was bytes before h5py 3."""

    __slots__ = ()

    def decode(self, *_: Any) -> str:
        """The text."""
        return str(self)


def keras() -> Any:
    """The package, imported; `KERAS_BACKEND` and `KERAS_HOME` are as the caller has set them."""
    put_back()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import keras as package  # noqa: PLC0415
    return package


def put_back() -> None:
    """Names and behaviour of older Python, PyYAML and h5py."""
    _collections()
    _yaml()
    _h5py()


def _collections() -> None:
    import collections.abc  # noqa: PLC0415

    for name in NAMES:
        if not hasattr(collections, name):
            setattr(collections, name, getattr(collections.abc, name))


def _yaml() -> None:
    """PyYAML 6 has no default for the loader."""
    import yaml  # noqa: PLC0415

    load = yaml.load

    def with_default(text: Any, Loader: Any = yaml.UnsafeLoader) -> Any:  # noqa: N803
        return load(text, Loader)

    setattr(yaml, "load", with_default)  # noqa: B010 - another type


def _h5py() -> None:
    """h5py 3 reads texts as `str`, and opens files to be read only."""
    try:
        import h5py  # noqa: PLC0415
    except ImportError:
        return  # Keras does without it, until a model is saved
    if int(h5py.__version__.split(".", maxsplit=1)[0]) < 3:
        return
    read, opened = h5py.AttributeManager.__getitem__, h5py.File.__init__
    h5py.AttributeManager.__getitem__ = lambda self, name: _as_before(read(self, name))

    def file(self: Any, name: Any, mode: str = "a", *args: Any, **kwargs: Any) -> None:
        opened(self, name, mode, *args, **kwargs)

    h5py.File.__init__ = file


def _as_before(value: Any) -> Any:
    """Bytes in arrays, and texts that can be decoded."""
    import numpy as np  # noqa: PLC0415

    if isinstance(value, str):
        return Text(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        items = [item.encode() if isinstance(item, str) else item for item in value.ravel()]
        return np.array(items).reshape(value.shape)
    return value


def scipy_misc() -> None:
    """`scipy.misc.logsumexp`, which Keras's own tests use."""
    import scipy  # noqa: PLC0415
    import scipy.special  # noqa: PLC0415

    try:
        module = importlib.import_module("scipy.misc")
    except ImportError:
        module = sys.modules["scipy.misc"] = scipy.misc = types.ModuleType("scipy.misc")
    setattr(module, "logsumexp", scipy.special.logsumexp)  # noqa: B010 - a module has any name
