"""The program: one small expression over documented functions, run everywhere.

A generator builds a program, a worker executes it, the oracle evaluates it, a script prints it
(`conformance.scripts`), and the results store it. It holds the *structure* of a case only (shapes,
dtypes, attributes, bindings). A `Case` adds the numbers.
"""

from conformance.program.calls import call_text
from conformance.program.codec import as_text, from_json, to_json
from conformance.program.model import (
    BACKEND,
    OPERATORS,
    Argument,
    Binding,
    Case,
    Function,
    Input,
    Layout,
    Made,
    Outputs,
    Program,
    Ref,
    Step,
)

__all__ = [
    "BACKEND",
    "OPERATORS",
    "Argument",
    "Binding",
    "Case",
    "Function",
    "Input",
    "Layout",
    "Made",
    "Outputs",
    "Program",
    "Ref",
    "Step",
    "as_text",
    "call_text",
    "from_json",
    "to_json",
]
