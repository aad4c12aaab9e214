"""What all records of a spec file are made of."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

VALUE_PROFILES = (
    "ordinary",
    "integers",
    "halves",
    "zeros",
    "large",
    "offset",
    "sparse",
    "outside",
    "unnormalised",
    "wide",
)
"""Ways to draw numbers that the documents cover unless a spec says otherwise.

The last three are used only where a spec names a convention for them.
"""
NAMED_PROFILES = (*VALUE_PROFILES, "subnormal")
"""Those for which a spec may name a convention. That of subnormal numbers is one more: no document
speaks of them for any function."""

DtypeName = Literal[
    "bfloat16",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "bool",
]
Domain = Literal[
    "real",
    "nonnegative",
    "positive",
    "nonzero",
    "vector",
    "truth",
    "probability",
    "fraction",
    "inside",
    "logit",
    "factor",
    "ascending",
    "some missing",
    "colours",
    "spectrum",
    "window",
    "moderate",
    "regular",
    "full rank",
    "graded",
    "graded columns",
    "lower triangle",
    "upper triangle",
    "symmetric",
    "definite",
    "whole",
    "whole or missing",
    "units",
    "units or missing",
    "all different",
    "between",
    "about sixteen",
    "about zero",
    "first open",
    "thirds missing",
    "fours",
    "quarters",
    "quarters above zero",
    "bits",
    "far",
    "patterns",
]
AspectName = Literal[
    "value",
    "dtype",
    "static shape",
    "gradient",
    "error",
    "example",
    "state",
    "seed",
    "distribution",
    "purity",
    "configuration",
]

Expression = Annotated[
    Any,
    Meta(
        description=(
            "A rule: an integer, true, false, null, the name of a parameter (its value), or a list "
            "[operator, argument, ...] or [name of a rule, argument, ...]. The operators are "
            "described in docs/specs.md."
        ),
        extra_json_schema={"$ref": "#/$defs/Expression"},
    ),
]
Line = Annotated[int, Meta(ge=1, description="A 1-based line of the document.")]
Section = Annotated[
    str,
    Meta(
        pattern="^[A-Z][A-Za-z ]*$",
        description="A section of the function's docstring; Summary is what stands before any.",
    ),
]
Range = Annotated[tuple[int, int], Meta(description="Lowest and highest, both included.")]


class SpecRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all records of a spec file: immutable, and a misspelt field is an error."""
