"""Long messages of an implementation keep their beginning and their end."""

from __future__ import annotations

from conformance.adapters.worker.conformance_worker.failures import describe
from conformance.adapters.worker.conformance_worker.limits import MOST_MESSAGE, ends


def test_what_stands_below_a_long_call_stack_is_kept() -> None:
    stack = "".join(f'  File "{"x" * 60}.py", line {n}, in f\n' for n in range(100))
    message = describe(
        ValueError(f"Graph execution error:\n{stack}No OpKernel was registered"), ""
    )[2]
    assert message.startswith("Graph execution error:\n")
    assert message.endswith("No OpKernel was registered")
    assert "\n[...]\n" in message
    assert len(message) <= MOST_MESSAGE


def test_a_short_message_stays_as_it_is() -> None:
    assert ends("wrong") == "wrong"
    assert ends("a" * MOST_MESSAGE) == "a" * MOST_MESSAGE


def test_one_long_line_is_cut_within() -> None:
    message = ends("a" * 5000 + "b" * 5000)
    assert (message[0], message[-1]) == ("a", "b")
    assert len(message) <= MOST_MESSAGE
