"""The next worker of a session, which starts while the present one is waited for.

On a target on which many calls hang, each function costs a wait and an import. A spare worker makes
the session wait and import at the same time.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from conformance.adapters.connection import Connection
from conformance.adapters.process import Launch, WorkerProcess
from conformance.adapters.start_errors import WorkerStartError


@dataclass(slots=True)
class Spare:
    """The spare worker of a launch, if there is one."""

    launch: Launch
    useful: bool = True
    """Whether workers are started: forked ones take no time."""
    _connection: Connection | None = None

    def prepare(self) -> None:
        """Start a spare worker, unless there is one or it is of no use; do not wait for it."""
        if self._connection is None and self.useful:
            with contextlib.suppress(WorkerStartError):  # `take` meets it again
                self._connection = self._new()

    def take(self) -> Connection:
        """The spare worker, or a new one.

        Raises:
            WorkerStartError: it cannot be started.
        """
        connection, self._connection = self._connection, None
        if connection is not None and connection.process.ended():
            connection.close()
            connection = None
        return connection or self._new()

    def drop(self) -> None:
        """End the spare worker."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _new(self) -> Connection:
        launch, memory = self.launch, self.launch.memory_limit
        try:
            process = WorkerProcess(
                launch.command(), launch.environment, launch.directory, memory, launch.writable
            )
        except OSError as error:
            raise WorkerStartError(f"{launch.python}: {error.strerror}") from error
        return Connection(process, memory)
