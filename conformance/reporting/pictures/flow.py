"""A program as a picture: what is made of what, from the inputs at the top to the outputs below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.program import Program
from conformance.reporting.flow import Node, nodes
from conformance.reporting.pictures.svg import Element, add, label, picture, words

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
    listed = nodes(program)
    slots = _slots(listed)
    width = max(x + _width(slot, listed) for slot, (x, _) in slots.items()) + _EDGE
    height = max(y for _, y in slots.values()) + _HIGH + _EDGE
    root = picture(width, height, _title(listed))
    root.set("class", "flow")
    _described(root, listed, identity)
    for node in listed:
        for number in range(len(node.given)):
            _arrow(root, slots, listed, node, number)
    for node in listed:
        _box(root, node, slots[node.name, node.layer])
    return root


def _title(listed: Sequence[Node]) -> str:
    inputs = sum(node.is_input for node in listed)
    outputs = [node.name for node in listed if node.is_output]
    return f"{len(listed) - inputs} steps from {inputs} inputs to {', '.join(outputs)}"


def _described(root: Element, listed: Sequence[Node], identity: str) -> None:
    """The program in words for who does not see it."""
    title = root[0]
    told = words(add(root, "desc"), "; ".join(n.says.replace("\n", " ") for n in listed))
    title.set("id", f"{identity}-title")
    told.set("id", f"{identity}-desc")
    root.set("aria-labelledby", f"{identity}-title")
    root.set("aria-describedby", f"{identity}-desc")


def _slots(listed: Sequence[Node]) -> dict[Slot, Place]:
    """The upper left corner of each slot: layers below each other, near what they are made of."""
    rows = _rows(listed)
    lengths = {layer: _length(row, listed) for layer, row in rows.items()}
    places: dict[Slot, Place] = {}
    for layer, row in sorted(rows.items()):
        x = _EDGE + (max(lengths.values()) - lengths[layer]) / 2
        for slot in sorted(row, key=lambda s: _middle(s, listed, places)):
            places[slot] = (x, float(_EDGE + layer * (_HIGH + _BELOW)))
            x += _width(slot, listed) + _BESIDE
    return places


def _rows(listed: Sequence[Node]) -> dict[int, list[Slot]]:
    """The slots of each layer: boxes, and lines that pass it."""
    rows: dict[int, list[Slot]] = {}
    for node in listed:
        takers = [other.layer for other in listed if node.name in other.given]
        for layer in range(node.layer, max([node.layer + 1, *takers])):
            rows.setdefault(layer, []).append((node.name, layer))
    return rows


def _length(row: Sequence[Slot], listed: Sequence[Node]) -> float:
    return sum(_width(slot, listed) for slot in row) + _BESIDE * (len(row) - 1)


def _node(name: str, listed: Sequence[Node]) -> Node:
    return next(node for node in listed if node.name == name)


def _width(slot: Slot, listed: Sequence[Node]) -> float:
    name, layer = slot
    return _WIDE if _node(name, listed).layer == layer else _PATH


def _middle(slot: Slot, listed: Sequence[Node], places: Mapping[Slot, Place]) -> float:
    """Where a slot would like to be: below what leads to it."""
    name, layer = slot
    node = _node(name, listed)
    before = node.given if node.layer == layer else [name]
    above = [places[n, layer - 1] for n in before if (n, layer - 1) in places]
    return sum(x for x, _ in above) / len(above) if above else 0.0


def _arrow(
    root: Element, slots: Mapping[Slot, Place], listed: Sequence[Node], node: Node, number: int
) -> None:
    """From the lower edge of a box, past the layers between, to a place at the upper edge of
    another box."""
    name = node.given[number]
    x, y = _lower(slots, listed, (name, _node(name, listed).layer))
    path = f"M{x:g},{y:g}"
    for layer in range(_node(name, listed).layer + 1, node.layer):
        through = slots[name, layer][0] + _PATH / 2
        path += _curve(x, y, through, slots[name, layer][1])
        x, y = through, slots[name, layer][1] + _HIGH
        path += f"V{y:g}"
    left, top = slots[node.name, node.layer]
    end = left + _WIDE * (number + 1) / (len(node.given) + 1)
    add(root, "path", d=path + _curve(x, y, end, top - 5), class_="edge")
    add(root, "path", d=f"M{end:g},{top:g}l-4,-7h8z", class_="head")


def _lower(slots: Mapping[Slot, Place], listed: Sequence[Node], slot: Slot) -> Place:
    x, y = slots[slot]
    return x + _width(slot, listed) / 2, y + _HIGH


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
