"""The frame codec: round trips, limits, and nothing but FrameError for garbage."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from conformance.adapters.worker.conformance_worker import frames
from conformance.adapters.worker.conformance_worker.frames import FrameDecoder, FrameError

DTYPES = [np.dtype(code).name for code in "?bBhHiIqQefdFD"]
SHAPES: list[tuple[int, ...]] = [(), (0,), (3,), (2, 0, 3), (2, 3, 4)]
FRAME = frames.encode_frame({"id": 1, "ok": True}, [np.arange(6.0).reshape(2, 3), np.array(True)])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_come_back_as_they_were(dtype: str, shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    ((header, (back,)),) = frames.decode_frames(frames.encode_frame({"a": [1, None]}, [array]))
    assert header == {"a": [1, None]}
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()


def test_payload_is_what_numpy_reads_and_writes() -> None:
    array = np.arange(6, dtype="int16").reshape(2, 3)
    stream = io.BytesIO()
    np.save(stream, array.T)
    np.testing.assert_array_equal(frames.decode_array(stream.getvalue()), array.T)
    _, payloads = frames.decode_frames(frames.encode_frame({}, [array.T]))[0]
    np.testing.assert_array_equal(payloads[0], array.T)


def test_special_values_and_foreign_byte_order() -> None:
    array = np.array([np.nan, -np.inf, -0.0, 5e-324], ">f8")
    ((_, (back,)),) = frames.decode_frames(frames.encode_frame({}, [array]))
    assert back.dtype.isnative
    assert back.tobytes() == array.astype("f8").tobytes()


@given(st.integers(1, len(FRAME)))
def test_frames_in_pieces(size: int) -> None:
    decoder = FrameDecoder()
    frames = []
    for start in range(0, 2 * len(FRAME), size):
        decoder.feed((FRAME + FRAME)[start : start + size])
        while (frame := decoder.next_frame()) is not None:
            frames.append(frame)
    assert [header for header, _ in frames] == [{"id": 1, "ok": True}] * 2
    decoder.finish()


@pytest.mark.parametrize("length", range(1, len(FRAME)))
def test_truncated_frame(length: int) -> None:
    with pytest.raises(FrameError, match="ended"):
        frames.decode_frames(FRAME[:length])


@given(st.binary(max_size=300))
def test_junk_is_a_frame_error(junk: bytes) -> None:
    _only_frame_errors(b"KBC1" + junk)
    if junk and not junk.startswith(b"K"):
        with pytest.raises(FrameError, match="begins with"):
            frames.decode_frames(junk)


@given(st.integers(0, len(FRAME) - 1), st.binary(min_size=1, max_size=12))
def test_damaged_frame_is_a_frame_error(position: int, junk: bytes) -> None:
    _only_frame_errors(FRAME[:position] + junk + FRAME[position + len(junk) :])


@given(st.binary(max_size=200), st.lists(st.binary(max_size=100), max_size=3))
def test_well_framed_junk_is_a_frame_error(header: bytes, payloads: list[bytes]) -> None:
    _only_frame_errors(_framed(header, payloads))
    _only_frame_errors(_framed(b"{}", [b"\x93NUMPY\x01\x00" + p for p in payloads]))


@given(st.text(max_size=60))
def test_npy_header_junk_is_a_frame_error(text: str) -> None:
    head = text.encode()
    payload = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head
    _only_frame_errors(_framed(b"{}", [payload]))


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<U1', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<M8[s]', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'shape': (2,)}",
        "(" * 400,
    ],
)
def test_npy_headers_that_are_refused(header: str) -> None:
    head = header.encode() + b"\n"
    payload = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(8)
    with pytest.raises(FrameError):
        frames.decode_frames(_framed(b"{}", [payload]))


@pytest.mark.parametrize("header", [b"", b"[1]", b'"x"', b"{", b"\xff", b"[" * 100_000])
def test_headers_that_are_refused(header: bytes) -> None:
    with pytest.raises(FrameError, match="header"):
        frames.decode_frames(_framed(header, []))


def test_limits_are_found_before_the_content_comes() -> None:
    huge = [
        struct.pack("<4sII", b"KBC1", frames.MAX_HEADER + 1, 0),
        struct.pack("<4sII", b"KBC1", 2, frames.MAX_PAYLOADS + 1),
        struct.pack("<4sIIQ", b"KBC1", 2, 1, frames.MAX_PAYLOAD_BYTES + 1),
    ]
    for start in huge:
        decoder = FrameDecoder()
        decoder.feed(start)
        with pytest.raises(FrameError, match="more than"):
            decoder.next_frame()


@pytest.mark.parametrize("content", [{"a": object()}, {"a": float("nan")}])
def test_headers_that_cannot_be_sent(content: dict[str, Any]) -> None:
    with pytest.raises(FrameError, match="not JSON"):
        frames.encode_frame(content)


@pytest.mark.parametrize("array", [np.array([None]), np.array("text"), np.array(1, "M8[s]")])
def test_arrays_that_cannot_be_sent(array: npt.NDArray[Any]) -> None:
    with pytest.raises(FrameError, match="cannot be sent"):
        frames.encode_frame({}, [array])


@given(hnp.arrays(hnp.scalar_dtypes(), hnp.array_shapes(min_dims=0, min_side=0)))
def test_any_array_comes_back_or_is_refused(array: npt.NDArray[Any]) -> None:
    try:
        frame = frames.encode_frame({}, [array])
    except FrameError:
        assert array.dtype.kind not in "biufc"
        return
    ((_, (back,)),) = frames.decode_frames(frame)
    assert back.shape == array.shape
    assert back.tobytes() == array.astype(array.dtype.newbyteorder("=")).tobytes()


def _only_frame_errors(data: bytes) -> None:
    try:
        for header, payloads in frames.decode_frames(data):
            assert isinstance(header, dict)
            assert all(isinstance(p, np.ndarray) for p in payloads)
    except FrameError:
        pass


def _framed(header: bytes, payloads: list[bytes]) -> bytes:
    sizes = struct.pack(f"<{len(payloads)}Q", *map(len, payloads))
    return b"".join(
        [struct.pack("<4sII", b"KBC1", len(header), len(payloads)), sizes, header, *payloads]
    )


@given(
    hnp.scalar_dtypes() | st.sampled_from([np.dtype([("a", "<f4")]), np.dtype("V8")]),
    hnp.array_shapes(min_dims=0, max_dims=5, min_side=0),
    st.booleans(),
)
def test_headers_say_what_numpy_reads_in_them(
    dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool
) -> None:
    """Whether they are read by the suite's own expression or by NumPy's parser."""
    head = io.BytesIO()
    header = {
        "descr": np.lib.format.dtype_to_descr(dtype),
        "fortran_order": fortran,
        "shape": shape,
    }
    np.lib.format.write_array_header_1_0(head, header)
    content = head.getvalue()
    its_shape, its_order, its_dtype = np.lib.format.read_array_header_1_0(io.BytesIO(content[8:]))
    assert frames._fields(content) == (its_dtype, its_order, its_shape)
