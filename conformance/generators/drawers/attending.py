"""Attention: queries, keys that heads share, values, masks and biases that broadcast."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.generators.calls import CallDraft

Dims = tuple[int, ...]
FEW = (2, 3, 1, 4)


def _shared(call: CallDraft, shape: Dims) -> Dims:
    """A shape that broadcasts to this one: batches and heads may share it."""
    batch, heads, *rest = shape
    return (call.pick((batch, 1)), call.pick((heads, 1)), *rest)


def _attention(call: CallDraft) -> None:
    """Queries (batch, positions, heads, size), keys and values of as many heads or fewer, and
    perhaps a bias and a mask. Each position attends to its first key at least."""
    batch, positions, shared, size = (call.pick(FEW) for _ in range(4))
    heads = shared * call.pick((1, 1, 2, 3))
    causal = call.pick((False, False, True))
    keys = positions if causal else call.pick(FEW)
    call.add_tensor("query", (batch, positions, heads, size), call.dtype, "real")
    for name in ("key", "value"):
        call.add_tensor(name, (batch, keys, shared, size), call.dtype, "real")
    scores = (batch, heads, positions, keys)
    if call.pick((False, True)):
        call.add_tensor("bias", _shared(call, scores), call.dtype, "real")
    if call.pick((False, True)):
        call.add_tensor("mask", _shared(call, scores), "bool", "first open")
    if causal or call.pick((False, True)):
        call.add_value("is_causal", causal)
    if call.pick((False, False, True)):
        call.add_value("flash_attention", call.pick((None, False)))


DRAWERS: Mapping[str, Callable[[CallDraft], None]] = {"attention": _attention}
