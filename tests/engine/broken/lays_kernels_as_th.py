# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="no-redef"
"""The reference, but with channels_first a kernel is laid out as in Theano, which is a reading of
the documents. No fault: kernels that do not fit it are refused."""

from conformance.reference import *  # noqa: F403
from conformance.reference import conv1d as _conv1d
from conformance.reference import conv2d as _conv2d
from conformance.reference import permute_dimensions as _permute_dimensions


def _as_documented(kernel, data_format, rank):
    if data_format != "channels_first":
        return kernel
    return _permute_dimensions(kernel, (*range(2, rank), 1, 0))


def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):  # noqa: PLR0917
    """Convolution of sequences."""
    kernel = _as_documented(kernel, data_format, 3)
    return _conv1d(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):  # noqa: PLR0917
    """Convolution of images."""
    kernel = _as_documented(kernel, data_format, 4)
    return _conv2d(x, kernel, strides, padding, data_format, dilation_rate)
