"""Wrong ways to compute a function, in terms of the backend's others.

Each is a function of the right module, the right function and the arguments by name. The names in
the table below begin with the name of the function: `conformance.mutation.operators` picks them by
that.
"""

from typing import Any, Callable, Dict

Given = Dict[str, Any]
Formula = Callable[[Any, Any, Given], Any]


def _axis(K: Any, g: Given, name: str = "axis") -> int:
    """The axis, counted from the front."""
    count: int = max(K.ndim(g["x"]), 1)
    return int(g[name]) % count


def _length(K: Any, x: Any, axis: Any) -> Any:
    """How many elements an axis, several or all have, as a tensor of the dtype of x."""
    ones = K.ones_like(x)
    return K.sum(ones, axis=axis, keepdims=True)


def _less_one(K: Any, x: Any, axis: Any) -> Any:
    n = _length(K, x, axis)
    return n / K.maximum(n - 1.0, n * 0.0 + 1.0)


def _unbiased(K: Any, right: Any, g: Given) -> Any:
    """The variance divided by one less."""
    value = right(g["x"], axis=g["axis"], keepdims=True) * _less_one(K, g["x"], g["axis"])
    return value if g["keepdims"] else K.sum(value, axis=g["axis"])


def _unbiased_deviation(K: Any, right: Any, g: Given) -> Any:
    value = right(g["x"], axis=g["axis"], keepdims=True)
    value = value * K.sqrt(_less_one(K, g["x"], g["axis"]))
    return value if g["keepdims"] else K.sum(value, axis=g["axis"])


def _in_one_pass(K: Any, right: Any, g: Given) -> Any:
    """The mean square less the square of the mean."""
    how = {"axis": g["axis"], "keepdims": g["keepdims"]}
    return K.mean(K.square(g["x"]), **how) - K.square(K.mean(g["x"], **how))


def _last_of_equals(K: Any, right: Any, g: Given) -> Any:
    x, axis = g["x"], _axis(K, g)
    last = K.int_shape(x)[axis]
    if last is None:
        return right(x, axis=axis)
    return (last - 1) - right(K.reverse(x, axis), axis=axis)


def _tile_for_repeat(K: Any, right: Any, g: Given) -> Any:
    """The axis again as a whole."""
    return K.concatenate([g["x"]] * g["rep"], axis=g["axis"])


def _outside_root(K: Any, right: Any, g: Given) -> Any:
    """epsilon added to the deviation, not to the variance."""
    deviation = K.sqrt(g["var"]) + g["epsilon"]
    return right(**dict(g, var=K.square(deviation), epsilon=0.0))


def _moments(change: Callable[[Any, Any], Any]) -> Formula:
    """The three results of normalize_batch_in_training, changed."""

    def wrong(K: Any, right: Any, g: Given) -> Any:
        return tuple(change(K, tuple(right(**g))))

    return wrong


def _training_unbiased(K: Any, right: Any, g: Given) -> Any:
    normed, mean, var = right(**g)
    n = K.sum(_length(K, g["x"], list(g["reduction_axes"]))) / K.sum(K.ones_like(var))
    return normed, mean, var * n / K.maximum(n - 1.0, n * 0.0 + 1.0)


def _without_epsilon(K: Any, right: Any, g: Given) -> Any:
    return g["x"] / K.sqrt(K.sum(K.square(g["x"]), axis=g["axis"], keepdims=True))


def _l1(K: Any, right: Any, g: Given) -> Any:
    return g["x"] / K.sum(K.abs(g["x"]), axis=g["axis"], keepdims=True)


def _probabilities(K: Any, g: Given, squash: str = "softmax") -> Any:
    return getattr(K, squash)(g["output"]) if g["from_logits"] else g["output"]


def _categorical(K: Any, right: Any, g: Given) -> Any:
    """Neither clipped nor normalised."""
    if g["from_logits"]:
        return right(**g)
    return -K.sum(g["target"] * K.log(g["output"]), axis=g.get("axis", -1))


def _binary(K: Any, right: Any, g: Given) -> Any:
    """Not clipped."""
    if g["from_logits"]:
        return right(**g)
    p, t = g["output"], g["target"]
    return -(t * K.log(p) + (1.0 - t) * K.log(1.0 - p))


def _one_side(K: Any, right: Any, g: Given) -> Any:
    return -g["target"] * K.log(_probabilities(K, g, "sigmoid") + K.epsilon())


def _noise(K: Any, right: Any, g: Given) -> Any:
    """Uniform numbers of the same mean and variance."""
    half = g["stddev"] * 3.0**0.5
    how = {"dtype": g["dtype"], "seed": g["seed"]}
    return K.random_uniform(g["shape"], g["mean"] - half, g["mean"] + half, **how)


def _clipped(K: Any, right: Any, g: Given) -> Any:
    """Cut off, not drawn again."""
    value = K.random_normal(g["shape"], g["mean"], g["stddev"], dtype=g["dtype"], seed=g["seed"])
    reach = 2.0 * abs(g["stddev"])
    return K.clip(value, g["mean"] - reach, g["mean"] + reach)


def _untruncated(K: Any, right: Any, g: Given) -> Any:
    return K.random_normal(g["shape"], g["mean"], g["stddev"], dtype=g["dtype"], seed=g["seed"])


def _repeated(K: Any, right: Any, g: Given) -> Any:
    """The numbers of the first row in every row."""
    value = right(**g)
    if K.ndim(value) < 1 or (K.int_shape(value)[0] or 0) < 2:
        return value
    first = value[:1]
    return K.concatenate([first] * K.int_shape(value)[0], axis=0)


def _summed(name: str) -> Formula:
    """The last result of a fold or map without ... in reverse."""
    return lambda K, right, g: right(**dict(g, **{name: K.reverse(g[name], 0)}))


def _from_zeros(K: Any, right: Any, g: Given) -> Any:
    if g["initializer"] is None:
        g = dict(g, initializer=K.zeros_like(g["elems"][0]))
    return right(**g)


def _rnn(change: Callable[[Any, Any, Any, Given], Any]) -> Formula:
    def wrong(K: Any, right: Any, g: Given) -> Any:
        last, outputs, states = right(**g)
        return tuple(change(K, (last, outputs, states), None, g))

    return wrong


def _not_carried(K: Any, right: Any, g: Given) -> Any:
    """Each step starts from the initial states."""
    first, step = list(g["initial_states"]), g["step_function"]

    def stuck(x: Any, states: Any) -> Any:
        return step(x, first + list(states)[len(first) :])

    return right(**dict(g, step_function=stuck))


def _mask_late(K: Any, right: Any, g: Given) -> Any:
    mask = g["mask"]
    if mask is not None:
        g = dict(g, mask=K.concatenate([mask[:, :1], mask[:, :-1]], axis=1))
    return right(**g)


def _state_anyway(K: Any, right: Any, g: Given) -> Any:
    """The last states of an unmasked loop."""
    last, outputs, _ = right(**g)
    return last, outputs, right(**dict(g, mask=None))[2]


def _output_anyway(K: Any, right: Any, g: Given) -> Any:
    """The outputs of an unmasked loop."""
    return (*right(**dict(g, mask=None))[:2], right(**g)[2])


def _in_order_of_time(K: Any, value: Any, _: Any, g: Given) -> Any:
    last, outputs, states = value
    return (last, K.reverse(outputs, 1), states) if g["go_backwards"] else value


def _whole_length(K: Any, right: Any, g: Given) -> Any:
    """Every sample is as long as the longest."""
    lengths = g["input_length"]
    return right(**dict(g, input_length=lengths * 0 + K.max(lengths)))


def _kernel_flipped(name: str) -> Formula:
    return lambda K, right, g: right(**dict(g, **{name: K.reverse(g[name], 0)}))


def _kernel_turned(name: str) -> Formula:
    """The first two axes exchanged, where they are equally long."""

    def wrong(K: Any, right: Any, g: Given) -> Any:
        shape = K.int_shape(g[name])
        if shape[0] != shape[1]:
            return right(**g)
        order = (1, 0, *range(2, len(shape)))
        return right(**dict(g, **{name: K.permute_dimensions(g[name], order)}))

    return wrong


FORMULAS: Dict[str, Formula] = {
    "softmax by plain exponentials": lambda K, r, g: (
        K.exp(g["x"]) / K.sum(K.exp(g["x"]), axis=g["axis"], keepdims=True)
    ),
    "logsumexp by plain exponentials": lambda K, r, g: K.log(
        K.sum(K.exp(g["x"]), axis=g["axis"], keepdims=g["keepdims"])
    ),
    "softplus by plain exponentials": lambda K, r, g: K.log(1.0 + K.exp(g["x"])),
    "sigmoid by plain exponentials": lambda K, r, g: K.exp(g["x"]) / (1.0 + K.exp(g["x"])),
    "tanh by plain exponentials": lambda K, r, g: (
        (K.exp(2.0 * g["x"]) - 1.0) / (K.exp(2.0 * g["x"]) + 1.0)
    ),
    "elu with 1 for all alpha": lambda K, r, g: r(g["x"]),
    "hard_sigmoid with slope 1/6": lambda K, r, g: K.clip(g["x"] / 6.0 + 0.5, 0.0, 1.0),
    "softsign without the sign": lambda K, r, g: g["x"] / (1.0 + g["x"]),
    "sqrt of the magnitude": lambda K, r, g: r(K.abs(g["x"])),
    "abs by square and root": lambda K, r, g: K.sqrt(K.square(g["x"])),
    "log of the magnitude": lambda K, r, g: r(K.abs(g["x"])),
    "log of one more": lambda K, r, g: r(g["x"] + 1e-7),
    "exp less one": lambda K, r, g: r(g["x"]) - 1.0,
    "square of the magnitude and more": lambda K, r, g: K.pow(K.abs(g["x"]), 2.001),
    "pow by logarithms": lambda K, r, g: K.exp(g["a"] * K.log(g["x"])),
    "round half away from zero": lambda K, r, g: K.sign(g["x"]) * r(K.abs(g["x"]) + 0.001),
    "round up": lambda K, r, g: r(g["x"] + 0.49),
    "sign of zero is one": lambda K, r, g: (
        r(g["x"]) + 1.0 - K.abs(r(g["x"])) if "float" in str(K.dtype(g["x"])) else r(g["x"])
    ),
    "clip from below only": lambda K, r, g: K.maximum(
        g["x"], K.zeros_like(g["x"]) + K.cast(g["min_value"], K.dtype(g["x"]))
    ),
    "clip from above only": lambda K, r, g: K.minimum(
        g["x"], K.zeros_like(g["x"]) + K.cast(g["max_value"], K.dtype(g["x"]))
    ),
    "var divided by one less": _unbiased,
    "var in one pass": _in_one_pass,
    "std divided by one less": _unbiased_deviation,
    "mean in half precision": lambda K, r, g: K.cast(
        r(K.cast(g["x"], "float16"), g["axis"], g["keepdims"]), K.dtype(g["x"])
    ),
    "argmax: the last of equals": _last_of_equals,
    "argmin: the last of equals": _last_of_equals,
    "cumsum without the element itself": lambda K, r, g: r(**g) - g["x"],
    "cumsum from the end": lambda K, r, g: K.reverse(
        r(K.reverse(g["x"], _axis(K, g)), _axis(K, g)), _axis(K, g)
    ),
    "cumprod from the end": lambda K, r, g: K.reverse(
        r(K.reverse(g["x"], _axis(K, g)), _axis(K, g)), _axis(K, g)
    ),
    "repeat_elements of the whole axis": _tile_for_repeat,
    "flatten by columns": lambda K, r, g: r(K.transpose(g["x"])),
    "reshape by columns": lambda K, r, g: r(K.transpose(g["x"]), g["shape"]),
    "transpose that does nothing": lambda K, r, g: K.identity(g["x"]),
    "reverse that does nothing": lambda K, r, g: K.identity(g["x"]),
    "batch_normalization with epsilon outside the root": _outside_root,
    "normalize_batch_in_training with the variance divided by one less": _training_unbiased,
    "normalize_batch_in_training with the deviation": _moments(
        lambda K, value: (value[0], value[1], K.sqrt(value[2]))
    ),
    "normalize_batch_in_training with the moments exchanged": _moments(
        lambda K, value: (value[0], value[2], value[1])
    ),
    "l2_normalize without epsilon": _without_epsilon,
    "l2_normalize by the L1 norm": _l1,
    "categorical_crossentropy without clipping": _categorical,
    "binary_crossentropy without clipping": _binary,
    "binary_crossentropy without the second term": _one_side,
    "random_normal of uniform numbers": _noise,
    "random_normal with equal rows": _repeated,
    "random_uniform with equal rows": _repeated,
    "random_binomial with equal rows": _repeated,
    "truncated_normal cut off": _clipped,
    "truncated_normal not truncated": _untruncated,
    "dropout not scaled": lambda K, r, g: r(**g) * (1.0 - g["level"]),
    "dropout scaled by the level": lambda K, r, g: r(**g) * 0.5 / max(g["level"], 0.1),
    "map_fn in reverse": _summed("elems"),
    "foldl from the end": _summed("elems"),
    "foldr from the beginning": _summed("elems"),
    "foldl from zeros": _from_zeros,
    "foldr from zeros": _from_zeros,
    "rnn: the first output as the last": _rnn(lambda K, m, _, g: (m[1][:, 0], m[1], m[2])),
    "rnn: the initial states are returned": _rnn(
        lambda K, m, _, g: (m[0], m[1], list(g["initial_states"]))
    ),
    "rnn: the first state in every place": _rnn(
        lambda K, m, _, g: (m[0], m[1], [m[2][0]] * len(m[2]) if m[2] else m[2])
    ),
    "rnn: backward outputs in the order of time": _rnn(_in_order_of_time),
    "rnn: states not carried": _not_carried,
    "rnn: the mask one step late": _mask_late,
    "rnn: masked steps change the states": _state_anyway,
    "rnn: masked steps give their output": _output_anyway,
    "rnn: no time axis": _rnn(lambda K, m, _, g: (m[0], m[0], m[2])),
    "ctc_batch_cost: input_length ignored": _whole_length,
    "ctc_batch_cost: the probability": lambda K, r, g: K.exp(-r(**g)),
    "ctc_batch_cost: a vector": lambda K, r, g: K.squeeze(r(**g), 1),
    "ctc_batch_cost: the sum over the batch": lambda K, r, g: r(**g) * 0.0 + K.sum(r(**g)),
    "conv1d: the kernel flipped": _kernel_flipped("kernel"),
    "conv2d: the kernel flipped": _kernel_flipped("kernel"),
    "conv3d: the kernel flipped": _kernel_flipped("kernel"),
    "conv2d_transpose: the kernel flipped": _kernel_flipped("kernel"),
    "conv3d_transpose: the kernel flipped": _kernel_flipped("kernel"),
    "separable_conv1d: the kernel flipped": _kernel_flipped("depthwise_kernel"),
    "separable_conv2d: the kernel flipped": _kernel_flipped("depthwise_kernel"),
    "depthwise_conv2d: the kernel flipped": _kernel_flipped("depthwise_kernel"),
    "conv2d: the kernel turned": _kernel_turned("kernel"),
    "conv3d: the kernel turned": _kernel_turned("kernel"),
    "conv2d_transpose: the kernel turned": _kernel_turned("kernel"),
    "separable_conv2d: the kernel turned": _kernel_turned("depthwise_kernel"),
    "depthwise_conv2d: the kernel turned": _kernel_turned("depthwise_kernel"),
    "moving_average_update with the complement": lambda K, r, g: r(
        **dict(g, momentum=1.0 - g["momentum"])
    ),
    "gradients: zeros for none": lambda K, r, g: [
        K.zeros_like(v) if d is None else d
        for d, v in zip(  # noqa: B905
            r(**g), g["variables"] if isinstance(g["variables"], list) else [g["variables"]]
        )
    ],
    "in_top_k: the smallest": lambda K, r, g: r(-g["predictions"], g["targets"], g["k"]),
    "eval of a copy one off": lambda K, r, g: r(**g) + 1,
}
