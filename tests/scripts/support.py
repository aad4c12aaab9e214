"""Scripts that print what a case gives, in place of a comparison."""

from __future__ import annotations

from conformance.program import Case, Outputs
from conformance.scripts import Prelude, comparing_script
from conformance.scripts.endings import ScriptEnding


def print_script(
    case: Case,
    prelude: Prelude,
    title: str = "a case",
    echo: str | None = None,
    *,
    outputs: Outputs = "tensors",
) -> str:
    """Python source that runs the case and prints its results."""
    names = case.program.outputs
    lines = [f"{name}_value" for name in case.arrays]  # a second use: each gets a line of its own
    if outputs == "tensors" and "dtype" not in prelude.absent and prelude.definitions is None:
        lines += [f"print(K.dtype({name}), K.int_shape({name}))" for name in names]
    values = [f"print({name!r}, repr({name}))" for name in names]
    lines += values if outputs == "values" else ["print(repr(got))"]
    return comparing_script(case, prelude, ScriptEnding(lines), title, echo=echo, outputs=outputs)
