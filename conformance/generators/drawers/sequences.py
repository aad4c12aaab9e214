"""Logits of CTC with the lengths of samples, and labels that some path stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft

SAMPLES = (2, 1, 3)


def _logits(call: CallDraft, name: str, steps: int, classes: int) -> int:
    """Add the logits of some samples, all of whose lengths are known; how many samples."""
    call.aim(name)
    count: int = call.pick(SAMPLES)
    call.add_tensor(name, (count, steps, classes), call.dtype, "logit")
    call.know(name, 0, 1, 2)
    return count


def _lengths(call: CallDraft, name: str, count: int, steps: int) -> None:
    call.add_places(name, (count,), steps + 1)
    call.know(name, 0)


def _pass_blank(call: CallDraft, classes: int) -> None:
    blank = call.pick((0, classes - 1, 1))
    if blank or call.pick((False, True)):
        call.add_value("mask_index", blank)


def _labelled(call: CallDraft) -> None:
    """Logits and labels with as many places as there are time steps: the docstring calls both
    lengths by one name."""
    steps, classes = call.pick((3, 2, 1, 4, 5, 6, 8)), call.integer((3, 6))
    _pass_blank(call, classes)
    count = _logits(call, "output", steps, classes)
    call.add_places("target", (count, steps), classes)
    call.know("target", 0, 1)
    for name in ("target_length", "output_length"):
        _lengths(call, name, count, steps)
    call.joint["target"] = "labels of paths"


WAYS = ("greedy", "unmerged", "beam")


def _decoded(call: CallDraft) -> None:
    """Logits of which the likeliest path is taken, with repeats merged or not, or few of which a
    beam as wide as there are paths is searched for."""
    way = call.pick(WAYS)
    steps = call.pick((3, 2, 4) if way == "beam" else (3, 2, 4, 6, 9))
    classes = call.integer((3, 4) if way == "beam" else (2, 5))
    _pass_blank(call, classes)
    count = _logits(call, "inputs", steps, classes)
    _lengths(call, "sequence_lengths", count, steps)
    call.joint["sequence_lengths"] = "lengths of samples"
    if way == "beam":
        _pass_beam(call, classes**steps)
        return
    if call.pick((False, True)):
        call.add_value("strategy", "greedy")
    if way == "unmerged" or call.pick((False, True)):
        call.add_value("merge_repeated", way == "greedy")


def _pass_beam(call: CallDraft, paths: int) -> None:
    call.add_value("strategy", "beam_search")
    width = call.pick((None, paths, 300))
    if width is not None:
        call.add_value("beam_width", width)
    top = call.pick((1, 2, 3))
    if top > 1 or call.pick((False, True)):
        call.add_value("top_paths", top)


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {
    "labelled logits": _labelled,
    "decoded logits": _decoded,
}
