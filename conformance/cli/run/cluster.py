"""`--scheduler`: the portions of a run on a Dask cluster.

Dask moves a portion between its processes as a small description. A process of the cluster
examines the portion as any host does, with a worker of the target beside it.
"""

from __future__ import annotations

import itertools
import logging
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

import conformance
from conformance.adapters import environments, layout, registry
from conformance.adapters.target_records import Target
from conformance.cli.errors import CANNOT_RUN, UsageProblem
from conformance.cli.targets.subjects import subject
from conformance.engine import Answer, Assignment, Elsewhere, Perform, Stop, perform

_RUN = uuid.uuid4().hex
EXTRA = "pip install distributed"
CONNECT_SECONDS = 10
PORTIONS_PER_THREAD = 3
"""So many that a fast machine does more of them, so few that starting workers does not matter."""


class Unreachable(UsageProblem):
    """There is no cluster to run on."""

    exit_code = CANNOT_RUN


@contextmanager
def cluster(address: str | None) -> Iterator[Elsewhere | None]:
    """Where the portions of a run go; None for this machine.

    Raises:
        UsageProblem: Dask is missing, or the address is wrong.
        Unreachable: nobody answers there.
    """
    if address is None:
        yield None
        return
    client = _connected(address)
    try:
        yield Elsewhere(client.get_executor(), PORTIONS_PER_THREAD * _threads(client, address))
    finally:
        with suppress(OSError, TimeoutError):
            _ended(_RUN, client).set()
        client.close(timeout=CONNECT_SECONDS)


def remote(target: Target) -> Perform:
    """A function that examines a portion of the target in another process; can be pickled."""
    return partial(examine, target, _RUN)


@dataclass(slots=True)
class _Watching(Stop):
    """Ends when the run has ended to which a portion belongs; asks for it once a second."""

    run: str = ""
    _asked: float = field(default_factory=time.monotonic)

    def is_set(self) -> bool:
        """Whether to end."""
        if not Stop.is_set(self) and time.monotonic() - self._asked > 1:
            self._asked = time.monotonic()
            if _ended(self.run).is_set():
                self.set()
        return Stop.is_set(self)


def _ended(run: str, client: Any = None) -> Any:
    """An event that all processes of the cluster see: nobody waits for the run any more."""
    from distributed import Event, get_client  # noqa: PLC0415 - an extra

    make: Any = Event
    return make(f"conformance-{run}-ended", client=client or get_client())


def examine(target: Target, run: str, assignment: Assignment) -> Answer:
    """Examine a portion of a run in this process of the cluster."""
    place = socket.gethostname()
    if assignment.suite_version != conformance.__version__:
        has = f"{place} has version {conformance.__version__} of the suite"
        return Answer(
            lost=f"{has}, and this is {assignment.suite_version}", cure="install one version"
        )
    here = _as_here(target)
    state = environments.status(here)
    if not isinstance(state, environments.Ready):
        return Answer(lost=f"{place}: {state.reason}", cure=f"there: {state.hint}")
    with _slot() as number:
        return perform(subject(here), assignment, number, _Watching(run=run))


def _as_here(target: Target) -> Target:
    """A shipped target as this machine has it: its files lie elsewhere than on the sender's."""
    shipped = registry.shipped().get(target.name)
    if shipped is None or shipped.module != target.module:
        return target
    return msgspec.structs.replace(shipped, edition=target.edition)


@contextmanager
def _slot() -> Iterator[int]:
    """A number that no other portion has on this machine at the same time: workers of one target
    have folders of their own by number."""
    import fcntl  # noqa: PLC0415 - Windows has none, and `conformance run` imports this module

    for number in itertools.count():
        with (_slots() / f"{number}.lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            yield number
            return


def _slots() -> Path:
    """A folder that is the user's own: in one for everybody another user could hold the locks."""
    with layout.in_home():
        folder = layout.suite_home() / "slots"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def _connected(address: str) -> Any:
    try:
        from distributed import Client  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        raise UsageProblem("--scheduler needs Dask, which is not installed here", EXTRA) from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        make: Any = Client
        return make(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise Unreachable(
            f"--scheduler {address}: no answer within {CONNECT_SECONDS} s ({type(error).__name__})",
            "start it with `dask scheduler`, and give the address that it prints",
        ) from None
    except (ValueError, TypeError) as error:
        hint = "write --scheduler tcp://HOST:PORT, as `dask scheduler` prints it"
        raise UsageProblem(f"--scheduler {address}: {error}", hint) from None


def _threads(client: Any, address: str) -> int:
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    if not workers:
        hint = f"start some: dask worker {address} --nthreads 1"
        raise Unreachable(f"--scheduler {address}: the cluster has no workers", hint)
    return sum(worker["nthreads"] for worker in workers)
