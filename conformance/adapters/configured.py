"""Sessions in a process with a configuration file and environment variables of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.adapters.access import launch, limits, open_session
from conformance.adapters.patience import CallLimits
from conformance.adapters.process import Launch, new_folder
from conformance.adapters.removal import remove
from conformance.adapters.session import Session
from conformance.adapters.target_records import Target
from conformance.adapters.zygotes import LentWorkers, ZygoteSource
from conformance.observations import Batch
from conformance.program import BACKEND, Argument, Program, Step

_OF_KERAS = "KERAS_"
"""How the names of the variables begin that nothing reads before Keras is imported."""


class Configurable:
    """A target that can be started with a configuration of its own."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._plain: Session | None = None
        self._forks: _Forks | None = None

    def plain(self, functions: Sequence[str], number: int) -> Session:
        """A session in the target's own environment, whose worker also reports `backend`.

        While it is open, `open` may fork a process that has imported the library.
        """
        self._plain = open_session(self._target, functions, number)
        self._forks = None if self._target.preload is None else _Forks(self._target)
        self._plain.at_close(self._end_forks)
        return self._plain

    def _end_forks(self) -> None:
        forks, self._forks = self._forks, None
        if forks is not None:
            forks.end()

    @cached_property
    def backend(self) -> str:
        """The result of `K.backend()` in the target's own environment; empty if there is none.

        It lacks characters that no variable and no file can have.
        """
        if self._plain is not None and self._plain.known_identity is not None:
            return _storable(self._plain.known_identity.backend)
        with open_session(self._target) as session:
            return _storable(session.identity.backend)

    @contextmanager
    def open(
        self, configuration: str | None, environment: Mapping[str, str | None]
    ) -> Iterator[Session]:
        """A session whose home is a new folder, removed afterwards.

        `configuration` is the text of `.keras/keras.json` there; None for no such file. Variables
        of `environment` are added to the target's own, or removed where they are None. `{backend}`
        is replaced by the name of the backend, here and in the programs that the session runs. The
        worker does not set floatx, epsilon and the like. If the import fails, the session raises
        `WorkerStartError` when it is used.
        """
        forks = self._forks if all(name.startswith(_OF_KERAS) for name in environment) else None
        place = None if forks is None else forks.homes
        text = None if configuration is None else configuration.replace(BACKEND, self.backend)
        with _new_home(text, place) as home:
            texts = {k: v and v.replace(BACKEND, self.backend) for k, v in environment.items()}
            changes = {"HOME": home, "KERAS_HOME": str(Path(home) / ".keras"), **texts}
            started = _changed(launch(self._target), home, changes)
            workers = None if forks is None else forks.workers(changes)
            with _FilledSession(started, limits(self._target), self.backend, workers) as session:
                yield session


class _Forks:
    """The zygotes for processes with a configuration of their own, which have imported what no
    configuration concerns. Their sandbox lets workers write to the folder `homes`."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._ends = ExitStack()

    @cached_property
    def homes(self) -> str:
        """The folder, which is made when it is needed first."""
        folder = new_folder()
        self._ends.callback(remove, folder)
        return folder

    @cached_property
    def _source(self) -> ZygoteSource:
        started = launch(self._target)
        writable = None if started.writable is None else (*started.writable, self.homes)
        launched = replace(started, fork=True, preload=self._target.preload, writable=writable)
        source = ZygoteSource(launched)
        self._ends.callback(source.drop)
        return source

    def workers(self, changes: Mapping[str, str | None]) -> LentWorkers:
        """The workers with these changes."""
        return LentWorkers(self._source, changes)

    def end(self) -> None:
        """End the zygotes, then remove the folder."""
        self._ends.close()


class _FilledSession(Session):
    """A session that sets nothing, and puts the backend's name into the programs that it runs."""

    def __init__(
        self, started: Launch, limits: CallLimits, backend: str, workers: LentWorkers | None
    ) -> None:
        super().__init__(started, configuration=None, limits=limits, workers=workers)
        self._backend = backend

    def _submit(self, batch: Batch, *, more: bool = False) -> None:
        """Send the batch with the name of the backend put into its program."""
        super()._submit(replace(batch, program=_filled(batch.program, self._backend)), more=more)


def _storable(name: str | None) -> str:
    return (name or "").encode("utf-8", "ignore").decode("utf-8").replace("\0", "")


@contextmanager
def _new_home(text: str | None, place: str | None) -> Iterator[str]:
    """A home with this text in its keras.json, in `place`; it is removed afterwards.

    Workers can write to `place`, and could lead the host elsewhere by a link. The host therefore
    fills the home where no worker can write, and then moves it there.
    """
    home = tempfile.mkdtemp(prefix="conformance-")
    try:
        if text is not None:
            _write(Path(home), text)
        if place is not None:
            home = str(Path(home).rename(Path(place, Path(home).name)))
        yield home
    finally:
        remove(home)


def _write(home: Path, text: str) -> None:
    folder = home / ".keras"
    folder.mkdir()
    (folder / "keras.json").write_text(text, encoding="utf-8")


def _changed(started: Launch, home: str, changes: Mapping[str, str | None]) -> Launch:
    """The same launch with changed variables and a home; released Keras looks at KERAS_HOME first.

    No other worker has this configuration: a zygote that has imported Keras would fork only once.
    """
    environment = {k: v for k, v in {**started.environment, **changes}.items() if v is not None}
    writable = None if started.writable is None else (*started.writable, home)
    return replace(started, environment=environment, fork=False, writable=writable)


def _filled(program: Program, backend: str) -> Program:
    return replace(program, steps=tuple(_filled_step(step, backend) for step in program.steps))


def _filled_step(step: Step, backend: str) -> Step:
    args = tuple(_filled_argument(a, backend) for a in step.args)
    kwargs = tuple((k, _filled_argument(a, backend)) for k, a in step.kwargs)
    return replace(step, args=args, kwargs=kwargs)


def _filled_argument(argument: Argument, backend: str) -> Any:
    return argument.replace(BACKEND, backend) if isinstance(argument, str) else argument
