"""The program: one small expression over documented functions, run everywhere.

A program is built by a generator, executed by a worker, evaluated by the oracle, printed as a
standalone script and written to the results. It holds the *structure* of a case only (shapes,
dtypes, attributes, bindings); the numbers are kept apart and come with a `Case`.
"""

from conformance.program.calls import call_text
from conformance.program.codec import as_text, from_json, to_json
from conformance.program.model import (
    OPERATORS,
    Argument,
    Binding,
    Case,
    Function,
    Input,
    Layout,
    Made,
    Program,
    Ref,
    Step,
)
from conformance.program.prelude import CONVERTER, HELPERS, Home, Prelude
from conformance.program.script import BACKEND, Outputs, print_script

__all__ = [
    "BACKEND",
    "CONVERTER",
    "HELPERS",
    "OPERATORS",
    "Argument",
    "Binding",
    "Case",
    "Function",
    "Home",
    "Input",
    "Layout",
    "Made",
    "Outputs",
    "Prelude",
    "Program",
    "Ref",
    "Step",
    "as_text",
    "call_text",
    "from_json",
    "print_script",
    "to_json",
]
