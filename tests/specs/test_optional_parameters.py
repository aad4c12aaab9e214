"""Each optional parameter of a single call of keras.ops is given in some calls and left out in
others; the exceptions are listed."""

from __future__ import annotations

from conformance.specs import kinds, load

OF_SCENARIOS = {
    *((name, "dtype") for name in ("full_like", "zeros_like", "ones_like", "prod")),
    *((name, "dtype") for name in ("cumsum", "cumprod", "nancumsum", "nancumprod")),
    *((name, what) for name in ("linspace", "logspace", "geomspace") for what in ("dtype", "axis")),
    *(("linspace", "retstep"), ("round", "decimals"), ("max", "initial"), ("min", "initial")),
    *(("rot90", "axes"), ("trapezoid", "points"), ("dot_product_attention", "mask")),
}
"""Parameters that programs of several steps give."""
UNTESTED = {
    ("bincount", "sparse"),
    ("convert_to_tensor", "ragged"),
    ("convert_to_tensor", "sparse"),
    ("dot_product_attention", "attn_logits_soft_cap"),
    ("einsum", "kwargs"),
    ("layer_normalization", "kwargs"),
}


def test_no_other_parameter_is_given_by_no_call() -> None:
    specs = (s for s in load().values() if "keras-3" in s.editions and s.dtype is not None)
    omitted = {
        (spec.name.removeprefix("keras.ops."), name)
        for spec in specs
        for name, rule in spec.parameters.items()
        if isinstance(rule, kinds.Omitted)
    }
    assert omitted <= OF_SCENARIOS | UNTESTED
