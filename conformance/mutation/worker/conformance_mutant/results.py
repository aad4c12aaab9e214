"""Errors in what a function returns. Each is a function of the backend and one value."""

from typing import Any, Callable, Dict

import numpy as np

from .wrapping import is_tensor, kind, rank

Change = Callable[[Any, Any], Any]


def _floats(change: Change) -> Change:
    """Done to floats alone."""
    return lambda K, y: change(K, y) if kind(K, y) == "float" else y


def _float_tensors(change: Change) -> Change:
    return lambda K, y: change(K, y) if is_tensor(K, y) and kind(K, y) == "float" else y


def _tensors(change: Change) -> Change:
    def changed(K: Any, y: Any) -> Any:
        symbolic = is_tensor(K, y) and not isinstance(y, (np.ndarray, np.generic))
        return change(K, y) if symbolic else y

    return changed


def _through(dtype: str, only: str) -> Change:
    """Rounded to a smaller dtype, where the tensor has dtype `only`."""

    def changed(K: Any, y: Any) -> Any:
        if isinstance(y, np.ndarray):
            return y.astype(dtype).astype(only) if y.dtype == only else y
        return K.cast(K.cast(y, dtype), only) if str(K.dtype(y)) == only else y

    return _float_tensors(changed)


def _drifted(K: Any, y: Any) -> Any:
    if isinstance(y, np.ndarray):
        return y.astype("float32" if y.dtype == "float64" else "float64")
    return K.cast(y, "float32" if str(K.dtype(y)) == "float64" else "float64")


def _other_whole(K: Any, y: Any) -> Any:
    """One more, or the other truth value."""
    found = kind(K, y)
    if isinstance(y, (bool, np.bool_)):
        return not y
    if found == "bool":
        return np.logical_not(y) if isinstance(y, np.ndarray) else K.equal(y, K.zeros_like(y))
    return y + 1 if found == "int" else y


def _whole_drifted(K: Any, y: Any) -> Any:
    return K.cast(y, "float32") if kind(K, y) in ("int", "bool") else y


def _reversed(axis: int) -> Change:
    def changed(K: Any, y: Any) -> Any:
        count = rank(K, y)
        if not count:
            return y
        place = axis % count
        if isinstance(y, np.ndarray):
            return np.flip(y, place)
        return K.reverse(y, place)

    return lambda K, y: changed(K, y) if is_tensor(K, y) else y


def _shrunk(K: Any, y: Any) -> Any:
    return y[:-1] if rank(K, y) else y


# the value of x * 0.5 + stop(x * 0.5) is x, and its gradient half as large
def _gradient(share: float) -> Change:
    def changed(K: Any, y: Any) -> Any:
        return y * share + K.stop_gradient(y * (1.0 - share))

    return _tensors(_floats(changed))


RESULTS: Dict[str, Change] = {
    "scaled": _floats(lambda K, y: y * 1.001),
    "saturated": _tensors(_floats(lambda K, y: K.clip(y, -1000.0, 1000.0))),
    "single precision": _through("float32", "float64"),
    "last axis reversed": _reversed(-1),
    "first axis reversed": _reversed(0),
    "one row lost": _tensors(_shrunk),
    "one axis more": _tensors(lambda K, y: K.expand_dims(y, 0)),
    "dtype drift": _float_tensors(_drifted),
    "other whole": _other_whole,
    "whole as float": _tensors(_whole_drifted),
    "gradient scaled": _gradient(1.001),
    "gradient lost": _tensors(_floats(lambda K, y: K.stop_gradient(y))),
}
