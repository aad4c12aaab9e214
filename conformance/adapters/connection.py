"""The host's end of one worker process: it sends and receives frames, with a time limit for each.

One poll loop sends requests, receives answers and keeps the end of the process's output, so no full
pipe can block another and no thread is needed. A connection is not reused: after a fault, the
session closes it and opens another.
"""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.adapters import texts
from conformance.adapters.guardian import MOST_FILE_BYTES, MOST_FILES, MOST_PROCESSES
from conformance.adapters.process import MEMORY, AnyWorker, OutputTail
from conformance.adapters.worker.conformance_worker.frames import (
    MAX_ANSWER_BYTES,
    FrameDecoder,
    FrameError,
    encode_frame,
)
from conformance.observations import Array, Crashed, Fault, Garbled, TimedOut

Frame = tuple[dict[str, Any], list[Array]]

_CHUNK = 2**16
"""The capacity of a pipe: a larger read allocates memory from the system and frees it again."""
_EXIT_GRACE = 5.0
"""Seconds to wait for the process to end once its answers have ended. A crashed process frees its
descriptors before its memory, and on a busy machine its guardian may have to wait for a core."""
_POLL_SECONDS = 0.05
_TURN_SECONDS = 1.0


class WorkerFault(Exception):  # noqa: N818 - named after its `fault`
    """The worker died, hung or answered garbage; `fault` says which."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


class Connection:
    """Exchanges frames with the worker `process`, which may hold `memory` bytes, and ends it.

    `submit` may be called several times before `receive`; answers arrive in the order of the
    requests.
    """

    def __init__(self, process: AnyWorker, memory: int = MEMORY) -> None:
        self.process = process
        self._memory = memory
        self.output = OutputTail()
        self.output.feed(process.before)
        self._decoder = FrameDecoder(MAX_ANSWER_BYTES)
        self._unsent = bytearray()
        self._closed = False
        self._poll = select.poll()
        for descriptor in (self.process.answers, self.process.output, self.process.watch):
            if descriptor is not None:
                self._poll.register(descriptor, select.POLLIN)

    def submit(
        self,
        header: dict[str, Any] | bytes,
        arrays: Sequence[Array] = (),
        *,
        more: bool = False,
    ) -> None:
        """Queue a request, whose header may be JSON already, and send as much as fits if no `more`
        follow at once; FrameError if it is too large."""
        self._unsent += encode_frame(header, arrays)
        if not more or len(self._unsent) > _CHUNK:
            self._send()

    def receive(self, limit: float) -> Frame:
        """The next answer.

        Time in which this process itself was stopped does not count, because the worker may also
        have been stopped.

        Raises:
            WorkerFault: no answer within `limit` seconds, or an answer that is garbage.
        """
        waited = 0.0
        try:
            frame = self._decoder.next_frame()
            while frame is None:
                if waited >= limit:
                    raise WorkerFault(self._timed_out(limit))
                waited += self._turn(min(limit - waited, _TURN_SECONDS))
                frame = self._decoder.next_frame()
        except FrameError as error:
            reason = texts.message(str(error))
            raise WorkerFault(Garbled(reason, self._rest_of_output())) from error
        return frame

    def close(self) -> int:
        """End the process and all that it started; the exit code (negative: the signal)."""
        if not self._closed:
            self._closed = True
            code = self.process.end()
            self._drain()
            self.process.close()
            return code
        return self.process.end()

    def _timed_out(self, limit: float) -> Fault:
        stage, step = self.process.stage
        return TimedOut(limit, self._rest_of_output(), stage, step)

    def _turn(self, most: float) -> float:
        """Wait for any descriptor and serve all that are ready; the seconds to count as waited.

        A turn that takes longer than it can means that this process was stopped meanwhile.
        """
        if self.process.watch is None:
            most = min(most, _POLL_SECONDS)
        begun = time.monotonic()
        ready = dict(self._poll.poll(math.ceil(most * 1000)))
        if self.process.output in ready:
            self._read_output()
        if self.process.requests in ready:
            self._send()
        # before reading, or a process that ends in between could leave output unread
        ended = self.process.ended() if self._may_have_ended(ready) else False
        if self.process.answers in ready or ended:
            self._read_answers(ended)
        return min(time.monotonic() - begun, _TURN_SECONDS)

    def _may_have_ended(self, ready: Mapping[int, int]) -> bool:
        return self.process.watch is None or self.process.watch in ready

    def _read_answers(self, ended: bool) -> None:
        data = _read(self.process.answers)
        if data:
            self._decoder.feed(data)
        elif data == b"" and not ended:
            self.process.wait(_EXIT_GRACE)
            raise WorkerFault(self._end_of_answers())
        elif ended:
            raise WorkerFault(self._end_of_answers())

    def _end_of_answers(self) -> Fault:
        ended = self.process.ended()
        stage, step = self.process.stage
        limit = self._named(self.process.limit)
        code = self.close()
        if not ended:
            return Garbled("the worker closed its connection and went on", str(self.output))
        signal, exit_code = (-code, None) if code < 0 else (None, code)
        return Crashed(signal, exit_code, str(self.output), stage, step, limit)

    def _named(self, limit: str | None) -> str | None:
        """The limit with its size, as messages name it."""
        sizes = {
            "memory": f"{self._memory / 2**30:g} GiB of memory (memory_limit)",
            "processes": f"{MOST_PROCESSES} processes",
            "disk": f"{MOST_FILE_BYTES / 2**30:g} GiB or {MOST_FILES:,} files in its folder for "
            "temporary files",
        }
        return None if limit is None else sizes[limit]

    def _rest_of_output(self) -> str:
        """The end of the output of the process, after its end."""
        self.close()
        return str(self.output)

    def _read_output(self) -> None:
        data = _read(self.process.output)
        if data:
            self.output.feed(data)
        elif data == b"":
            self._poll.unregister(self.process.output)

    def _drain(self) -> None:
        """Read the rest of the output without waiting: a stray child may keep the pipe open."""
        for _ in range(64):
            data = _read(self.process.output)
            if not data:
                return
            self.output.feed(data)

    def _send(self) -> None:
        """Send what fits. If the worker has ended, `receive` raises the fault."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self.process.requests, self._unsent[:_CHUNK])]
            self._watch_requests(False)
        except BlockingIOError:
            self._watch_requests(True)
        except BrokenPipeError:
            self._unsent.clear()
            self._watch_requests(False)

    def _watch_requests(self, watch: bool) -> None:
        if watch:
            self._poll.register(self.process.requests, select.POLLOUT)
        else:
            try:
                self._poll.unregister(self.process.requests)
            except KeyError:
                return


def _read(descriptor: int) -> bytes | None:
    """The bytes that have arrived; b"" at the end of the stream, None if there are none yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
