"""An implementation of the Keras backend API on NumPy alone.

    import conformance.reference as K

The symbolic layer (graph, rules, functions) knows no array library; `ops_numpy` computes.
`edition` says which edition of the API the module offers, and how to choose another.
What is not implemented, or not in the edition, is absent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.reference import (  # noqa: F401 - importing them offers their functions
    allowances,
    beyond,
    channelwise,
    comparison,
    configuration,
    control_flow,
    convolution,
    creation,
    ctc,
    ctc_dictionary,
    edition,
    elementwise,
    functions,
    gradient_operations,
    gradient_rules_ctc,
    gradient_rules_elementwise,
    gradient_rules_loops,
    gradient_rules_products,
    gradient_rules_reductions,
    gradient_rules_session,
    gradient_rules_shapes,
    gradient_rules_windows,
    higher_order,
    introspection,
    label_rules,
    linear_algebra,
    losses,
    nn,
    normalisation,
    operations,
    ops_beyond,
    ops_ctc,
    ops_ctc_search,
    ops_ctc_words,
    ops_gradients,
    ops_labels,
    ops_loops,
    ops_numpy,
    ops_random,
    ops_session,
    ops_sparse,
    ops_windows,
    padding,
    pooling,
    random,
    recurrent,
    reductions,
    session,
    shape_ops,
    shape_rules,
    sparse,
    variables,
)

operations.use(ops_numpy.NumpyOperations())
globals().update(edition.EXPORTS)
globals().update(beyond.offered())  # undocumented, and not in __all__
if TYPE_CHECKING:
    gradients: Any  # the function; its module has the same name

__all__ = sorted(edition.EXPORTS)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    claims = edition.CLAIMS.get(name)
    if claims is None:
        raise AttributeError(f"conformance.reference has no function {name!r}")
    raise AttributeError(
        f"{name} is not in edition {edition.EDITION}, only in {', '.join(map(str, claims))}; "
        f"the environment variable {edition.VARIABLE} chooses the edition"
    )
