"""The worker's main loop: set limits, import the module, answer requests until the host closes."""

import argparse
import ctypes
import gc
import json
import os
import resource
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .adapters import BUILT_IN
from .adapters import load as load_adapter
from .blame import blamed
from .brief import Brief
from .channel import Channel
from .failures import describe, find_sources
from .forking import Ends, Zygote
from .frames import FrameError
from .identity import identity
from .loading import functions, preload
from .loading import load as load_module
from .mapping import Mapped
from .programs import RequestError, parse
from .running import BatchRun, Manner, draws_of
from .settings import Settings
from .stages import Announce, announcer, silent
from .structures import offered
from .surroundings import Surroundings
from .tracing import traced

MOST_FILE_BYTES = 2 * 2**30
CLEAR_EVERY = 4
FORGET_EVERY = 100

Answer = Tuple[Dict[str, Any], List[Any]]


class Worker(object):
    """Answers requests about one implementation, reached through `adapter`.

    The worker calls `announce` with its next stage, and each of `forget` after every `FORGET_EVERY`
    batches. The system ends the process if a batch takes more than `cpu_limit` seconds of CPU time,
    and a second for each draw.
    """

    def __init__(
        self,
        module: Any,
        adapter: Any,
        manner: Manner,
        announce: Announce = silent,
        *,
        forget: Sequence[Callable[[], Any]] = (),
        cpu_limit: Optional[int] = None,
    ) -> None:
        self._announce = announce
        self._forgetting = forget
        self._cpu_limit = cpu_limit
        self._batches = 0
        self._module = module
        self._adapter = adapter
        self._manner = manner
        self._brief = Brief()
        self._settings = Settings(adapter, self._brief)
        self._surroundings = Surroundings()
        self._builds = 0
        self._clean = False
        self._spoiled = False
        self._leaked: List[str] = []
        self._commands: Dict[str, Callable[[Dict[str, Any], List[Any]], Answer]] = {
            "start": self._start,
            "configure": self._configure,
            "run": self._run,
            "stop": lambda *_: ({}, []),
        }

    def answer(self, request: Dict[str, Any], payloads: List[Any]) -> Answer:
        """The answer to a request; to anything that is not a request, the reason why it is not."""
        number = request.get("id")
        try:
            command = self._commands.get(request.get("command"))  # type: ignore[arg-type]
            if command is None:
                raise RequestError("{!r} is not a command".format(request.get("command")))
            header, arrays = command(request, payloads)
        except BaseException as error:
            # any call of the implementation may exit
            return refusal(number, error), []
        return dict(header, id=number, ok=True), arrays

    def _start(self, request: Dict[str, Any], payloads: List[Any]) -> Answer:  # noqa: ARG002
        self._brief.know(request.get("late", ()))
        self._announce("session", None)
        self._settings.begin()
        answer = identity(self._module, self._adapter, request["functions"], self._brief)
        self._announce(None, None)
        return dict(answer, late=sorted(self._brief.late)), []

    def _configure(self, request: Dict[str, Any], payloads: List[Any]) -> Answer:  # noqa: ARG002
        self._announce("session", None)
        done = self._settings.configure(request)
        self._announce(None, None)
        return {"configured": done, "late": sorted(self._brief.late)}, []

    def _run(self, request: Dict[str, Any], payloads: List[Any]) -> Answer:
        self._settings.begin()
        program = parse(request["program"])
        stacked = draws_of(program, request, payloads)
        self._leaked = []
        if request.get("fresh") and not self._clean:
            self._forget()
        self._clean = False
        eager_inputs = isinstance(self._module, Mapped) and self._module.eager_inputs
        program = offered(self._adapter, program, eager_inputs)
        if self._cpu_limit is not None:  # `restore` lifts it
            _limit(
                resource.RLIMIT_CPU, int(time.process_time()) + self._cpu_limit + request["draws"]
            )
        run = BatchRun(self._adapter, self._manner, program, self._before_build, self._announce)
        try:
            with traced(bool(request.get("trace"))) as lines:
                header, arrays = run.answer(stacked, request["draws"])
        finally:
            whole = self._surroundings.restore()
        self._spoiled = run.spoiled
        if request.get("fresh"):
            self._settings.restore()
            self._forget()
            self._clean = True
        if not whole:
            self._leaked.append("process")
        self._free()
        header.update(lines, leaked=sorted({*self._leaked, *self._settings.restore()}))
        self._announce(None, None)
        return header, arrays

    def _free(self) -> None:
        """Have the library forget, now and then, what it keeps of the calls before."""
        self._batches += 1
        if self._batches % FORGET_EVERY == 0:
            for forget in self._forgetting:
                forget()
            if self._forgetting:
                give_back()

    def _before_build(self, spoiled: bool, graphs: int) -> None:
        """Clear the session now and then: TensorFlow 1 slows down with each graph that it keeps.

        After a failure clear it immediately. An operation that a session cannot place stays in the
        graph, and old releases then fail on every later operation of the graph.
        """
        self._builds += graphs
        if spoiled or self._spoiled or self._builds > CLEAR_EVERY:
            self._builds = graphs
            self._forget()

    def _forget(self) -> None:
        """Make the session as it was at the start, as far as the implementation can."""
        self._spoiled = False
        self._announce("session", None)
        try:
            self._adapter.reset()
        except BaseException:
            # an error of the library, of any class, which the scenarios of clear_session show
            self._leaked.append("clear_session")
        self._settings.initialise()
        self._leaked += self._settings.restore()
        if self._settings.phase_leaked():
            self._leaked.append("learning_phase")


def refusal(number: Any, error: BaseException) -> Dict[str, Any]:
    """The answer to a request that cannot be carried out."""
    kind, _, message, *_ = describe(error, "read")
    return {"id": number, "ok": False, "error": "{}: {}".format(kind, message)}


def give_back() -> None:
    """Give freed memory back to the system. Otherwise the C library of Linux keeps gigabytes that a
    compiler needed for a moment."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def serve(channel: Channel, worker: Worker) -> None:
    """Answer requests until `stop`, or until the host closes its end."""
    owner = os.getpid()
    frame = channel.receive()
    while frame is not None:
        request, payloads = frame
        header, arrays = worker.answer(request, payloads)
        if os.getpid() != owner:
            # the implementation forked, and this is the child: two must not answer
            os._exit(0)
        try:
            channel.send(header, arrays)
        except FrameError as error:
            channel.send(refusal(request.get("id"), error))
        frame = None if request.get("command") == "stop" else channel.receive()


def main() -> None:
    """Run the worker, or the zygote and then its workers, that the command line describes."""
    options = _options()
    _freeze_imports()
    gc.enable()  # a module may disable it during its import
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, MOST_FILE_BYTES)
    if options.zygote_fd is None:
        channel, announce = _connected(Ends(options.read_fd, options.write_fd, options.stage_fd))
        module = _imported(options)
    elif options.preload is None:
        zygote = Zygote(options.zygote_fd)
        module = _imported(options)
        channel, announce = _connected(zygote.forked())
    else:
        zygote = Zygote(options.zygote_fd)
        preload(options.preload, options.startup)
        _freeze_imports()
        channel, announce = _connected(zygote.forked())
        options.startup = ""
        module = _imported(options)
    adapter = _adapter(module, options)
    announce(None, None)
    manner = Manner(options.family == "eager", options.draws_together == "yes")
    limits = {"forget": functions(options.forget), "cpu_limit": options.cpu_limit}
    serve(channel, Worker(module, adapter, manner, announce, **limits))


def _connected(ends: Ends) -> Tuple[Channel, Announce]:
    """The channel of a worker that is about to import, and what announces its stages."""
    channel = Channel(ends.read, ends.write)
    announce = silent if ends.stage is None else announcer(ends.stage)
    announce("import", None)
    return channel, announce


def _imported(options: Any) -> Any:
    module = load_module(options.module, options.startup, options.mapping)
    find_sources(options.module)
    _freeze_imports()
    return module


def _adapter(module: Any, options: Any) -> Any:
    if options.adapter:
        with blamed("adapter"):
            return load_adapter(options.adapter)(module)
    return BUILT_IN[options.family](module, json.loads(options.names))


def _options() -> Any:
    parser = argparse.ArgumentParser(description=sys.modules[__name__].__doc__)
    parser.add_argument("--read-fd", type=int)
    parser.add_argument("--write-fd", type=int)
    parser.add_argument("--stage-fd", type=int)
    parser.add_argument("--zygote-fd", type=int)
    parser.add_argument("--preload")
    parser.add_argument("--module", required=True)
    parser.add_argument("--family", choices=("graph", "eager"), required=True)
    parser.add_argument("--adapter")
    parser.add_argument("--names", default="{}")
    parser.add_argument("--cpu-limit", type=int)
    parser.add_argument("--startup", default="")
    parser.add_argument("--mapping")
    parser.add_argument("--forget", default="")
    parser.add_argument("--draws-together", choices=("yes",))
    return parser.parse_args()


def _freeze_imports() -> None:
    """Exclude what was imported from garbage collection, which `clear_session` may run.

    Each collection would visit all objects of the library; so would one here.
    """
    if hasattr(gc, "freeze"):  # not before CPython 3.7
        gc.freeze()


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (most, hard))
