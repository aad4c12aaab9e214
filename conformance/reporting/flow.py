"""The flow of values in a program: its tensors in layers, as text and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.program import (
    Argument,
    Binding,
    Function,
    Input,
    Program,
    Ref,
    Step,
    call_text,
    from_json,
)
from conformance.program.calls import step_lines
from conformance.reporting.pictures.svg import Element, add, label, picture, words
from conformance.results import Failure

DAMAGED = (ValueError, KeyError, TypeError, IndexError)
"""The exceptions that reading a damaged program may raise."""
_FED = (Binding.PLACEHOLDER, Binding.PLACEHOLDER_NONE)
_WORDS = {"operator.call": "call", "operator.getitem": "member"}
COMPOSED = "fuzz"
"""The profile of results of composed programs (docs/fuzz.md)."""


class Node(NamedTuple):
    """An input, or a step: its name, what it is, all that is to be said of it, and its layer."""

    name: str
    what: str
    says: str
    layer: int
    sources: Sequence[str]
    """Its sources, in order; a source that is passed twice occurs twice."""
    is_input: bool
    is_output: bool


def composed_program(failure: Failure) -> Program | None:
    """The program of a failure of composition; None of any other failure, and of damaged ones."""
    origin = failure.origin
    if failure.program is None or getattr(origin, "profile", None) != COMPOSED:
        return None
    try:
        return from_json(failure.program)
    except DAMAGED:
        return None


def nodes(program: Program) -> list[Node]:
    """The inputs that a step refers to, and the steps, in order."""
    used = {name for step in program.steps for name in references(step)}
    known: dict[str, Node] = {}
    for item in program.inputs:
        if item.name in used or item.name in program.outputs:
            known[item.name] = _of_input(item, item.name in program.outputs)
    for step in program.steps:
        known[step.result] = _of_step(step, known, step.result in program.outputs)
    return list(known.values())


def _of_input(item: Input, is_output: bool) -> Node:
    shape = tuple("?" if d is None else d for d in item.static_shape)
    lengths = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    what = f"{item.dtype} ({lengths})"
    way = "fed" if item.binding in _FED else str(item.binding)
    return Node(item.name, what, f"{item.name}: {what}, {way}", 0, (), True, is_output)


def _of_step(step: Step, known: Mapping[str, Node], is_output: bool) -> Node:
    sources = [name for name in references(step) if name in known]
    layer = 1 + max((known[name].layer for name in sources), default=-1)
    says = "\n".join(step_lines(step))
    what = _WORDS.get(step.function, step.function)
    return Node(step.result, what, says, layer, sources, False, is_output)


def references(step: Step) -> list[str]:
    """The names that a step refers to, also from within callables."""
    return [*_references([*step.args, *(value for _, value in step.kwargs)])]


def _references(value: Argument | Step) -> Iterator[str]:
    if isinstance(value, Ref):
        yield value.name
    elif isinstance(value, Step):
        yield from references(value)
    elif isinstance(value, Function):
        inside = {*value.parameters, *(step.result for step in value.steps)}
        named: Sequence[Any] = [*value.steps, value.returns]
        yield from (name for part in named for name in _references(part) if name not in inside)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)


def flow_lines(program: Program) -> Iterator[tuple[int, str]]:
    """A line for each input and step, with its layer: what it is, and what takes it."""
    in_order = nodes(program)
    for node in in_order:
        takers = [other.name for other in in_order if node.name in other.sources]
        ends = ["an output"] if node.is_output else []
        to = ", ".join([*takers, *ends]) or "nothing"
        first, *more = (node.says if node.is_input else _line(program, node.name)).split("\n")
        yield node.layer, f"{first} → {to}"
        yield from ((node.layer + 2, line) for line in more)


def _line(program: Program, name: str) -> str:
    (step,) = (s for s in program.steps if s.result == name)
    *bodies, _ = step_lines(step)
    return "\n".join([f"{name} = {call_text(step)}", *bodies])


_WIDE, _HIGH, _BESIDE, _BELOW, _EDGE = 164, 42, 22, 34, 14
"""The size of a box, what is between boxes, and the margin."""
_PATH = 12
"""The room that a line has which passes a layer."""
_LETTERS = 23
"""How many letters a line in a box has at most."""
Place = tuple[float, float]
Slot = tuple[str, int]
"""A tensor in a layer: its box, or below that its line on the way to what takes it."""


def flow_picture(program: Program, identity: str) -> Element:
    """The picture; `identity` makes the names of its parts different from those of other ones."""
    in_order = nodes(program)
    slots = _slots(in_order)
    width = max(x + _width(slot, in_order) for slot, (x, _) in slots.items()) + _EDGE
    height = max(y for _, y in slots.values()) + _HIGH + _EDGE
    root = picture(width, height, _title(in_order))
    root.set("class", "flow")
    _described(root, in_order, identity)
    for node in in_order:
        for number in range(len(node.sources)):
            _arrow(root, slots, in_order, node, number)
    for node in in_order:
        _box(root, node, slots[node.name, node.layer])
    return root


def _title(in_order: Sequence[Node]) -> str:
    inputs = sum(node.is_input for node in in_order)
    outputs = [node.name for node in in_order if node.is_output]
    return f"{len(in_order) - inputs} steps from {inputs} inputs to {', '.join(outputs)}"


def _described(root: Element, in_order: Sequence[Node], identity: str) -> None:
    """The program in words for who does not see it."""
    title = root[0]
    text = words(add(root, "desc"), "; ".join(n.says.replace("\n", " ") for n in in_order))
    title.set("id", f"{identity}-title")
    text.set("id", f"{identity}-desc")
    root.set("aria-labelledby", f"{identity}-title")
    root.set("aria-describedby", f"{identity}-desc")


def _slots(in_order: Sequence[Node]) -> dict[Slot, Place]:
    """The upper left corner of each slot: layers below each other, near what they are made of."""
    rows = _rows(in_order)
    lengths = {layer: _length(row, in_order) for layer, row in rows.items()}
    places: dict[Slot, Place] = {}
    for layer, row in sorted(rows.items()):
        x = _EDGE + (max(lengths.values()) - lengths[layer]) / 2
        for slot in sorted(row, key=lambda s: _middle(s, in_order, places)):
            places[slot] = (x, float(_EDGE + layer * (_HIGH + _BELOW)))
            x += _width(slot, in_order) + _BESIDE
    return places


def _rows(in_order: Sequence[Node]) -> dict[int, list[Slot]]:
    """The slots of each layer: boxes, and lines that pass it."""
    rows: dict[int, list[Slot]] = {}
    for node in in_order:
        takers = [other.layer for other in in_order if node.name in other.sources]
        for layer in range(node.layer, max([node.layer + 1, *takers])):
            rows.setdefault(layer, []).append((node.name, layer))
    return rows


def _length(row: Sequence[Slot], in_order: Sequence[Node]) -> float:
    return sum(_width(slot, in_order) for slot in row) + _BESIDE * (len(row) - 1)


def _node(name: str, in_order: Sequence[Node]) -> Node:
    return next(node for node in in_order if node.name == name)


def _width(slot: Slot, in_order: Sequence[Node]) -> float:
    name, layer = slot
    return _WIDE if _node(name, in_order).layer == layer else _PATH


def _middle(slot: Slot, in_order: Sequence[Node], places: Mapping[Slot, Place]) -> float:
    """Where a slot would like to be: below what leads to it."""
    name, layer = slot
    node = _node(name, in_order)
    before = node.sources if node.layer == layer else [name]
    above = [places[n, layer - 1] for n in before if (n, layer - 1) in places]
    return sum(x for x, _ in above) / len(above) if above else 0.0


def _arrow(
    root: Element, slots: Mapping[Slot, Place], in_order: Sequence[Node], node: Node, number: int
) -> None:
    """From the lower edge of a box, past the layers between, to a place at the upper edge of
    another box."""
    name = node.sources[number]
    x, y = _lower(slots, in_order, (name, _node(name, in_order).layer))
    path = f"M{x:g},{y:g}"
    for layer in range(_node(name, in_order).layer + 1, node.layer):
        through = slots[name, layer][0] + _PATH / 2
        path += _curve(x, y, through, slots[name, layer][1])
        x, y = through, slots[name, layer][1] + _HIGH
        path += f"V{y:g}"
    left, top = slots[node.name, node.layer]
    end = left + _WIDE * (number + 1) / (len(node.sources) + 1)
    add(root, "path", d=path + _curve(x, y, end, top - 5), class_="edge")
    add(root, "path", d=f"M{end:g},{top:g}l-4,-7h8z", class_="head")


def _lower(slots: Mapping[Slot, Place], in_order: Sequence[Node], slot: Slot) -> Place:
    x, y = slots[slot]
    return x + _width(slot, in_order) / 2, y + _HIGH


def _curve(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = (y0 + y1) / 2
    return f"C{x0:g},{middle:g} {x1:g},{middle:g} {x1:g},{y1:g}"


def _box(root: Element, node: Node, place: Place) -> None:
    x, y = place
    sort = "input" if node.is_input else "output" if node.is_output else "step"
    group = add(root, "g", class_=sort)
    words(add(group, "title"), node.says)
    add(group, "rect", x=x, y=y, width=_WIDE, height=_HIGH, rx=14 if node.is_input else 5)
    if node.is_output:
        inner = {"x": x + 3, "y": y + 3, "width": _WIDE - 6, "height": _HIGH - 6}
        add(group, "rect", rx=3, **inner)
    middle = x + _WIDE / 2
    label(group, middle, y + 18, _short(node.what), text_anchor="middle", class_="bold")
    label(group, middle, y + 33, _short(node.name), text_anchor="middle", class_="faint small")


def _short(text: str) -> str:
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"
