"""The command `run`: one program, many draws, one answer."""

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from .evaluation import Evaluator
from .failures import ImplementationError, Meter, describe
from .joined import Joined, joined_name, joined_names
from .layouts import laid_out, numbers
from .programs import AS_THEY_ARE, HELD_IN, PLACEHOLDERS, Input, Program, RequestError
from .stages import Announce, silent
from .structures import BoundProgram
from .values import Columns, Value, is_plain, read

Manner = NamedTuple("Manner", [("eager", bool), ("draws_together", bool)])
"""Whether functions are eager, and whether one function computes the graphs of all draws that hold
numbers."""


class BatchRun(object):
    """One batch of draws.

    A graph is built once; if it holds numbers (a constant, an array, or a step that returns
    values), it is built for every draw. With `draws_together` such graphs are evaluated together,
    unless one of them fails; then the worker evaluates them one by one. In eager mode every draw
    calls the steps again, unless there are placeholders. Before the worker builds graphs, it calls
    `before_build` with their number, and with whether a draw has failed since the last graph. At
    the end `spoiled` says whether a draw has failed. It calls `announce` with its next stage.
    """

    def __init__(
        self,
        adapter: Any,
        manner: Manner,
        program: Program,
        before_build: Callable[[bool, int], None],
        announce: Announce = silent,
    ) -> None:
        eager = manner.eager
        fed = [item.name for item in program.inputs if item.binding in PLACEHOLDERS]
        self._adapter, self._program, self._fed = adapter, program, fed
        self._layouts = {item.name: item.layout for item in program.inputs}
        self._variables = [item.name for item in program.inputs if item.binding == "variable"]
        # a graph computes with a constant's numbers, and an eager function may write into them
        bindings = ("variable", "constant") if eager else ("variable",)
        self._readable = [item for item in program.inputs if item.binding in bindings]
        self._fixed = any(item.binding in ("constant", *AS_THEY_ARE) for item in program.inputs)
        if eager and fed and self._variables:
            # steps that depend on variables only are computed when the graph is built
            self._fixed = True
        self._eager = eager and not fed
        self._together = manner.draws_together and self._fixed and not eager
        self._meter = Meter(announce)
        self._structure = BoundProgram(adapter, program, self._meter, eager)
        self._evaluator = Evaluator(adapter, self._meter, fed, eager)
        self._before_build = before_build
        self._ready = False
        self.spoiled = False
        self._unbuilt: Optional[ImplementationError] = None
        self._inputs: Optional[List[Any]] = None
        self._outputs: Optional[List[Any]] = None
        self._columns = Columns()
        self._errors: Dict[str, Tuple[int, List[Any]]] = {}

    def answer(self, stacked: Dict[str, Any], draws: int) -> Tuple[Dict[str, Any], List[Any]]:
        """The answer's header, without its id, and its payloads."""
        feeds = [{name: array[d, ...] for name, array in stacked.items()} for d in range(draws)]
        rows = self._joined(feeds) if self._together and draws > 1 else None
        if rows is None:
            # reading a variable can cost as much as the call: only after the first and last draw
            rows = [self._draw(d, feeds[d], d in (0, draws - 1)) for d in range(draws)]
        inputs, outputs = self._inputs or [], self._outputs or []
        payloads: List[Any] = []
        header = {
            "inputs": inputs,
            "outputs": outputs,
            "errors": [data for _, data in self._errors.values()],
            "draws": rows,
            "values": self._columns.answer(payloads),
            "seconds": [self._meter.seconds[key] for key in ("bind", "build", "call")],
            "evaluated_with": self._evaluator.way if outputs else None,
        }
        return header, payloads

    def _joined(self, draws: List[Dict[str, Any]]) -> Optional[List[List[Any]]]:
        """As many `_draw`; None if anything fails, which leaves no trace."""
        feeds = [self._laid_out(draw) for draw in draws]
        try:
            self._before_build(self.spoiled, len(feeds))
            structures = [self._built(feed) for feed in feeds]
            values = self._evaluated(structures, feeds)
        except BaseException:
            # one draw failed, or the draws cannot be computed together
            self._inputs = self._outputs = None
            self.spoiled = True
            return None
        for draw, outputs in enumerate(values):
            self._add(draw, outputs)
        return self._changes(structures, feeds, draws)

    def _built(self, feed: Dict[str, Any]) -> BoundProgram:
        """The program of one draw, bound and called."""
        structure = BoundProgram(self._adapter, self._program, self._meter, eager=False)
        structure.bind(feed)
        if self._inputs is None:
            self._inputs = structure.input_claims()
        structure.build()
        if self._outputs is None:
            self._outputs = structure.output_claims()
        return structure

    def _evaluated(
        self, structures: List[BoundProgram], feeds: List[Dict[str, Any]]
    ) -> List[List[Tuple[str, Value]]]:
        """The values of every draw, computed by one function."""
        fed = [joined_name(draw, name) for draw in range(len(feeds)) for name in self._fed]
        joined = Joined(structures)
        evaluator = Evaluator(self._adapter, self._meter, fed, eager=False)
        evaluator.prepare(joined)
        results = joined.split(evaluator.evaluate(joined_names(feeds)))
        if evaluator.fell_back():
            raise RequestError("the draws cannot be computed together")
        return [
            self._meter.call("read", None, _read, structure, results[draw])
            for draw, structure in enumerate(structures)
        ]

    def _changes(
        self,
        structures: List[BoundProgram],
        feeds: List[Dict[str, Any]],
        draws: List[Dict[str, Any]],
    ) -> List[List[Any]]:
        rows: List[List[Any]] = []
        for draw, self._structure in enumerate(structures):
            look = draw in (0, len(structures) - 1)
            rows.append([None, self._changed(feeds[draw], draws[draw], look)])
        return rows

    def _laid_out(self, arrays: Dict[str, Any]) -> Dict[str, Any]:
        return {name: laid_out(array, self._layouts[name]) for name, array in arrays.items()}

    def _draw(self, draw: int, arrays: Dict[str, Any], look: bool) -> List[Any]:
        """[index of the error or null, names of the changed inputs]."""
        feed = self._laid_out(arrays)
        error = None
        try:
            self._attempt(draw, feed)
        except ImplementationError as failure:
            error = self._failed(failure.data)
        except BaseException as broken:
            # a result that cannot be inspected: a list that contains itself, or an object whose
            # class exits when it is read
            error = self._failed(describe(broken, "read"))
        return [error, self._changed(feed, arrays, look)]

    def _failed(self, data: List[Any]) -> int:
        """The index of the error; the next draw gets a new graph, so as not to fail with it."""
        self._ready, self.spoiled = False, True
        return self._errors.setdefault(repr(data), (len(self._errors), data))[0]

    def _attempt(self, draw: int, feed: Dict[str, Any]) -> None:
        try:
            self._prepare(feed)
            self._evaluate(draw, feed)
        except ImplementationError:
            if not self._evaluator.fell_back():
                raise
            # `function` failed before, and may have damaged the session that `eval` uses
            self.spoiled = True
            self._build(feed)
            self._evaluate(draw, feed)

    def _prepare(self, feed: Dict[str, Any]) -> None:
        if self._unbuilt is not None:
            raise self._unbuilt
        if not self._ready:
            self._build(feed)
            return
        self._structure.rebind(feed)
        if self._eager:
            self._call_steps()

    def _build(self, feed: Dict[str, Any]) -> None:
        """Bind and build again; a graph without numbers that fails once fails for every draw."""
        if not self._eager:
            self._before_build(self.spoiled, 1)
            self.spoiled = False
        try:
            self._structure.bind(feed)
            if self._inputs is None:
                # before the steps, one of which may fail because of a wrong input
                self._inputs = self._structure.input_claims()
            self._call_steps()
        except ImplementationError as failure:
            self._unbuilt = None if self._fixed or self._eager else failure
            raise
        self._ready = self._eager or not (self._fixed or self._structure.has_values())

    def _call_steps(self) -> None:
        self._structure.build()
        if self._outputs is None:
            self._outputs = self._structure.output_claims()
        self._evaluator.prepare(self._structure)

    def _evaluate(self, draw: int, feed: Dict[str, Any]) -> None:
        results = self._evaluator.evaluate(feed)
        self._add(draw, self._meter.call("read", None, _read, self._structure, results))

    def _add(self, draw: int, values: List[Tuple[str, Value]]) -> None:
        for index, (output, value) in enumerate(values):
            self._columns.add(draw, output, index, value)

    def _changed(self, feed: Dict[str, Any], arrays: Dict[str, Any], look: bool) -> List[str]:
        changed = [name for name in feed if numbers(feed[name]) != numbers(arrays[name])]
        for item in self._readable if look else ():
            if item.name not in changed and self._has_changed(item, arrays[item.name]):
                changed.append(item.name)
        return changed

    def _has_changed(self, item: Input, array: Any) -> bool:
        """Whether a tensor changed; False too if it does not exist or cannot be read."""
        try:
            return bool(self._meter.call("read", None, self._structure.changed, item, array))
        except ImplementationError:
            return False


def _read(structure: BoundProgram, results: List[Any]) -> List[Tuple[str, Value]]:
    """The values of a structure's items, of which `results` are those that are evaluated."""
    evaluated = iter(results)
    return [
        (output, read(part if is_plain(part) else next(evaluated)))
        for output, part in structure.items
    ]


def draws_of(program: Program, request: Dict[str, Any], payloads: List[Any]) -> Dict[str, Any]:
    """The stacked array of every input.

    Raises:
        RequestError: an array is missing or has a wrong shape.
    """
    stacked = {}
    for item in program.inputs:
        index = request["arrays"].get(item.name)
        if not isinstance(index, int) or not 0 <= index < len(payloads):
            raise RequestError("input {!r} has no payload".format(item.name))
        array = payloads[index]
        expected = (request["draws"], *item.shape)
        if array.shape != expected:
            raise RequestError(
                "input {!r} has shape {}, not {}".format(item.name, array.shape, expected)
            )
        held = HELD_IN.get(item.dtype, item.dtype)
        stacked[item.name] = array.astype(np.dtype(held), copy=False)
    return stacked
