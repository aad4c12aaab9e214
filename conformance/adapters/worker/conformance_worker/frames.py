"""Encode and decode frames: a JSON header and NumPy arrays. Both ends use this module.

A frame is the magic `KBC1`, the header's length and the number of payloads (two little-endian
unsigned 32-bit integers), and the length of each payload (unsigned 64-bit). The header (a JSON
object, UTF-8) and the payloads follow (`.npy`, version 1.0, numbers and bools, never a pickle).
"""

import io
import json
import re
import struct
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

MAGIC = b"KBC1"
MAX_HEADER = 4 * 2**20
MAX_PAYLOADS = 16384
MAX_PAYLOAD_BYTES = 2**30
MAX_ANSWER_BYTES = 64 * 2**20
"""As much as the host takes of the payloads of one answer."""
KINDS = "biufc"

_PREFIX = struct.Struct("<4sII")
_NPY_PREFIX = b"\x93NUMPY\x01\x00"
_LENGTH = b"(?:0|[1-9][0-9]{0,17})"
_WRITTEN_BY_NUMPY = re.compile(
    b"[{]'descr': '([<|][biufc][0-9]{1,2})', 'fortran_order': (False|True), "
    b"'shape': [(]((?:LENGTH,(?: LENGTH(?:, LENGTH)*)?)?)[)], [}] *\n".replace(b"LENGTH", _LENGTH)
)
"""The header of an array as NumPy writes it, from its dictionary on."""
_READ: Dict[bytes, Tuple[Any, bool, Tuple[int, ...]]] = {}
_WRITTEN: Dict[Tuple[str, Tuple[int, ...]], bytes] = {}
_MOST_CACHED = 4096


class FrameError(Exception):
    """The bytes are not a frame, or the content cannot be encoded as one; the message says why."""


def encode_frame(header: Union[bytes, Dict[str, Any]], arrays: Sequence[Any] = ()) -> bytes:
    """The frame that holds `header`, which may be JSON already, and `arrays`; FrameError if a limit
    is exceeded."""
    text = header if isinstance(header, bytes) else _encode_header(header)
    payloads = [_encode_array(array) for array in arrays]
    lengths = [len(payload) for payload in payloads]
    _check_limits(len(text), len(payloads), lengths)
    sizes = struct.pack("<{}Q".format(len(lengths)), *lengths)
    return b"".join([_PREFIX.pack(MAGIC, len(text), len(payloads)), sizes, text, *payloads])


def _encode_header(header: Dict[str, Any]) -> bytes:
    try:
        return _ENCODER.encode(header).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise FrameError("the header is not JSON: {}".format(error)) from error


class FrameDecoder(object):
    """Decodes frames from bytes that arrive in pieces; payloads of `most` bytes at most."""

    def __init__(self, most: int = MAX_PAYLOAD_BYTES) -> None:
        self._most = most
        self._buffer = bytearray()
        self._layout: Optional[List[int]] = None

    def feed(self, data: bytes) -> None:
        """Add `data` to the bytes received so far."""
        self._buffer += data

    def next_frame(self) -> Optional[Tuple[Dict[str, Any], List[Any]]]:
        """The next (header, arrays), None if more bytes are needed; FrameError for garbage."""
        layout = self._layout = self._layout or _layout(self._buffer, self._most)
        if layout is None or len(self._buffer) < layout[-1]:
            return None
        self._layout = None
        with memoryview(self._buffer) as held:
            parts = [bytes(held[layout[i] : layout[i + 1]]) for i in range(len(layout) - 1)]
        del self._buffer[: layout[-1]]
        return _decode_header(parts[0]), [decode_array(part) for part in parts[1:]]

    def missing(self) -> int:
        """How many bytes to read next at least; 0 if a frame is complete."""
        layout = _layout(self._buffer, self._most)
        if layout is not None:
            return max(0, layout[-1] - len(self._buffer))
        count = 0
        if len(self._buffer) >= _PREFIX.size:
            count = _PREFIX.unpack_from(bytes(self._buffer[: _PREFIX.size]))[2]
        return _PREFIX.size + 8 * count - len(self._buffer)

    def finish(self) -> None:
        """Check that the stream ends between two frames.

        Raises:
            FrameError: the bytes so far end inside a frame.
        """
        if self._buffer:
            raise FrameError("the stream ended {} bytes into a frame".format(len(self._buffer)))


def decode_frames(data: bytes) -> List[Tuple[Dict[str, Any], List[Any]]]:
    """All the frames that make up `data`; FrameError if it is anything else."""
    decoder = FrameDecoder()
    decoder.feed(data)
    frames = []
    frame = decoder.next_frame()
    while frame is not None:
        frames.append(frame)
        frame = decoder.next_frame()
    decoder.finish()
    return frames


def _layout(buffer: bytearray, most: int) -> Optional[List[int]]:
    """Offsets of header, payloads and end; None if the lengths are not complete."""
    start = bytes(buffer[: _PREFIX.size])
    if start[:4] != MAGIC[: len(start)]:
        raise FrameError("the frame begins with {!r}, not with {!r}".format(start[:4], MAGIC))
    if len(start) < _PREFIX.size:
        return None
    _, header, count = _PREFIX.unpack(start)
    _check_limits(header, count, (), most)
    offset = _PREFIX.size + 8 * count
    if len(buffer) < offset:
        return None
    lengths = struct.unpack_from("<{}Q".format(count), bytes(buffer[_PREFIX.size : offset]))
    _check_limits(header, count, lengths, most)
    offsets = [offset]
    for length in (header, *lengths):
        offsets.append(offsets[-1] + length)
    return offsets


def _check_limits(
    header: int, count: int, lengths: Sequence[int], most_bytes: int = MAX_PAYLOAD_BYTES
) -> None:
    for what, size, most in (
        ("header", header, MAX_HEADER),
        ("number of payloads", count, MAX_PAYLOADS),
        ("payloads' size", sum(lengths), most_bytes),
    ):
        if size > most:
            raise FrameError("the {} is {}, more than {}".format(what, size, most))


def _decode_header(text: bytes) -> Dict[str, Any]:
    try:
        header = _DECODER.decode(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FrameError("the header is not JSON: {}".format(error)) from error
    if not isinstance(header, dict):
        raise FrameError("the header is a {}, not an object".format(type(header).__name__))
    return header


def _no_number(name: str) -> None:
    raise ValueError("{} is not a number in JSON".format(name))


# `json.dumps` and `json.loads` make one for each call
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_DECODER = json.JSONDecoder(parse_constant=_no_number)


def _encode_array(array: Any) -> bytes:
    """The array as `.npy`; np.save writes the same bytes for it, four times slower."""
    array = np.asarray(array)
    if array.dtype.kind not in KINDS:
        raise FrameError("an array of {} cannot be sent".format(array.dtype))
    array = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    key = (array.dtype.str, array.shape)
    if key not in _WRITTEN:
        _forget(_WRITTEN)
        _WRITTEN[key] = _npy_header(array)
    data: bytes = array.tobytes()
    return _WRITTEN[key] + data


def _npy_header(array: Any) -> bytes:
    description = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape}
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, description)
    return stream.getvalue()


def decode_array(payload: bytes) -> Any:
    """The read-only array that the `.npy` bytes hold.

    Raises:
        FrameError: the bytes hold no array.
    """
    end = 10 + int.from_bytes(payload[8:10], "little")
    if payload[:8] != _NPY_PREFIX or len(payload) < end:
        raise FrameError("a payload is not .npy, version 1.0")
    head = payload[:end]
    if head not in _READ:
        _forget(_READ)
        _READ[head] = _parse_npy_header(head)
    dtype, fortran, shape = _READ[head]
    count = 1
    for size in shape:
        count *= size
    if len(payload) - end != count * dtype.itemsize:
        raise FrameError("a payload's size does not fit {} {}".format(dtype, shape))
    flat = np.frombuffer(payload, dtype, offset=end) if count else _empty(dtype)
    return flat.reshape(shape, order="F" if fortran else "C")


def _parse_npy_header(head: bytes) -> Tuple[Any, bool, Tuple[int, ...]]:
    try:
        dtype, fortran, shape = _fields(head)
        # checked before decoding: a record may have any size
        known = dtype.kind in KINDS and dtype.subdtype is None
        if known:
            np.ndarray(shape, dtype, bytes(dtype.itemsize), strides=(0,) * len(shape))
    except Exception as error:
        raise FrameError("a payload's .npy header is broken: {}".format(error)) from error
    if not known:
        raise FrameError("a payload holds {}, not numbers or bools".format(dtype))
    return dtype, fortran, shape


def _fields(head: bytes) -> Tuple[Any, bool, Tuple[int, ...]]:
    """The fields of a header in any form; NumPy's parser takes ten times as long, and raises the
    errors of its version's tokenizer, not only ValueError."""
    plain = _WRITTEN_BY_NUMPY.fullmatch(head, 10)
    if plain is not None:
        descr, fortran, shape = plain.groups()
        lengths = tuple(int(length) for length in shape.replace(b",", b"").split())
        return np.dtype(descr.decode("ascii")), fortran == b"True", lengths
    with warnings.catch_warnings():
        # junk is also Python source with warnings of its own
        warnings.simplefilter("ignore")
        fields = np.lib.format.read_array_header_1_0(io.BytesIO(head[8:]))
    return fields[2], fields[1], fields[0]


def _empty(dtype: Any) -> Any:
    array = np.empty(0, dtype)
    array.flags.writeable = False
    return array


def _forget(cache: Dict[Any, Any]) -> None:
    if len(cache) >= _MOST_CACHED:
        cache.clear()
