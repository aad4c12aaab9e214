"""Hypothesis strategies for programs of every form, whether or not they mean anything."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from conformance.program import Argument, Binding, Input, Layout, Program, Ref, Step
from conformance.source_text import is_dotted

REPEATABLE = settings(derandomize=True, database=None, deadline=None)
"""Settings for the same examples every time, so that a test fails always or never."""

NAMES = st.from_regex(r"[^\W\d]\w{0,7}", fullmatch=True).filter(is_dotted)
DTYPES = st.sampled_from(("float16", "float32", "float64", "int32", "int64", "uint8", "bool"))
DIMS = st.integers(0, 2**40)

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.builds(Ref, NAMES)
)
ARGUMENTS: st.SearchStrategy[Argument] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple)),
    max_leaves=8,
)
KEYWORDS = st.dictionaries(NAMES, ARGUMENTS, max_size=3).map(lambda d: tuple(d.items()))
INPUTS = st.builds(
    Input,
    NAMES,
    st.lists(DIMS, max_size=4).map(tuple),
    DTYPES,
    st.sampled_from(Binding),
    st.none() | KEYWORDS,
    st.sampled_from(Layout),
)
STEPS = st.builds(Step, NAMES, NAMES, st.lists(ARGUMENTS, max_size=3).map(tuple), KEYWORDS)
PROGRAMS = st.builds(
    Program,
    st.lists(INPUTS, max_size=3).map(tuple),
    st.lists(STEPS, max_size=3).map(tuple),
    st.lists(NAMES, max_size=3).map(tuple),
)

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)
