"""Names of the documented functions in libraries: NumPy, PyTorch, TensorFlow, JAX, Keras 3."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from conformance.specs import load

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "abs": ("absolute", "fabs"),
    "all": ("reduce_all",),
    "any": ("reduce_any",),
    "argmax": ("arg_max",),
    "argmin": ("arg_min",),
    "batch_dot": ("batch_matmul", "bmm"),
    "cast": ("astype", "convert_dtype"),
    "categorical_crossentropy": ("categorical_cross_entropy",),
    "clip": ("clip_by_value", "clamp"),
    "concatenate": ("concat", "cat"),
    "constant": ("as_constant", "asarray", "array", "as_tensor", "convert_to_tensor"),
    "conv2d_transpose": ("conv_transpose2d", "deconv2d"),
    "count_params": ("numel", "size"),
    "cumprod": ("cumulative_prod", "cum_prod"),
    "cumsum": ("cumulative_sum", "cum_sum"),
    "dot": ("matmul", "mm"),
    "equal": ("eq",),
    "eval": ("evaluate", "to_numpy", "numpy"),
    "expand_dims": ("unsqueeze", "add_axis", "add_dim"),
    "eye": ("identity_matrix",),
    "flatten": ("ravel",),
    "gather": ("take", "index_select"),
    "get_value": ("value_of",),
    "gradients": ("grad", "grads"),
    "greater": ("gt", "greater_than"),
    "greater_equal": ("ge", "gte"),
    "int_shape": ("static_shape",),
    "less": ("lt", "less_than", "lesser"),
    "less_equal": ("le", "lte", "lesser_equal"),
    "logsumexp": ("log_sum_exp", "reduce_logsumexp"),
    "map_fn": ("vmap", "map_function"),
    "max": ("amax", "reduce_max"),
    "mean": ("reduce_mean", "average"),
    "min": ("amin", "reduce_min"),
    "ndim": ("rank",),
    "not_equal": ("ne",),
    "one_hot": ("onehot",),
    "permute_dimensions": ("permute", "permute_dims"),
    "pow": ("power",),
    "prod": ("reduce_prod", "product"),
    "random_normal": ("normal",),
    "random_uniform": ("uniform",),
    "repeat_elements": ("repeat_interleave",),
    "reverse": ("flip",),
    "round": ("around", "rint"),
    "shape": ("shape_of",),
    "sparse_categorical_crossentropy": ("sparse_categorical_cross_entropy",),
    "spatial_2d_padding": ("spatial_padding_2d",),
    "sqrt": ("square_root",),
    "square": ("squared", "sqr"),
    "stack": ("pack",),
    "std": ("reduce_std", "standard_deviation"),
    "stop_gradient": ("detach",),
    "sum": ("reduce_sum",),
    "switch": ("cond", "where"),
    "update": ("assign",),
    "update_add": ("assign_add",),
    "update_sub": ("assign_sub",),
    "var": ("reduce_var", "variance"),
    "variable": ("Variable", "parameter"),
    "zeros_like": ("zeroslike",),
}
"""Documented name to names that other libraries have for about the same."""


def known_names() -> tuple[str, ...]:
    """All documented functions, under every name that they have somewhere."""
    specs = load()
    others = (other for names in OTHER_NAMES.values() for other in names)
    return tuple(dict.fromkeys([*specs, *specs.aliases(), *others]))


def proposed(documented: Collection[str], own: Collection[str]) -> dict[str, str]:
    """For each documented function that a module lacks one of its own that looks like it: other
    libraries call it so. Each is proposed once."""
    free = {name for name in own if name not in documented}
    proposals: dict[str, str] = {}
    for name in documented:
        chosen = next((other for other in OTHER_NAMES.get(name, ()) if other in free), None)
        if name not in own and chosen is not None:
            proposals[name] = chosen
            free.remove(chosen)
    return proposals
