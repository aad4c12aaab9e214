"""The table of operators: what can be wrong, and with which functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from conformance.mutation.model import Given, MutantCandidate, Operator
from conformance.mutation.worker.conformance_mutant.arguments import other
from conformance.mutation.worker.conformance_mutant.formulas import FORMULAS
from conformance.results import Aspect
from conformance.specs import kinds

Applies = Callable[[MutantCandidate], Iterator[Given]]

TENSORS = (
    kinds.TensorKind,
    kinds.Companion,
    kinds.Fitting,
    kinds.Features,
    kinds.Bias,
    kinds.Distribution,
    kinds.Images,
    kinds.Kernel,
    kinds.Pointwise,
    kinds.LocalKernel,
)
"""Kinds of parameters that take one tensor of numbers."""

FLOATS = (
    "ones",
    "eye",
    "constant",
    "ones_like",
    "cast_to_floatx",
    "round",
    "sign",
    "one_hot",
    "random_uniform_variable",
    "random_normal_variable",
    "random_normal",
    "random_uniform",
    "random_binomial",
    "truncated_normal",
    "to_dense",
    "stop_gradient",
    "eval",
    "get_value",
    "batch_get_value",
    "cast",
    "gradients",
    "epsilon",
)
"""Functions that give floats and are not differentiable."""
WHOLE = ("shape", "int_shape", "ndim", "count_params", "get_uid", "argmax", "argmin", "arange")
"""Functions that give integers."""
UNSEEN = frozenset({"name"})
"""Optional parameters without a documented effect."""
FED = frozenset({"variable", "placeholder"})
"""The functions that make inputs: nothing computed can take their place."""


def floats(candidate: MutantCandidate) -> Iterator[Given]:
    """Once for functions that give floats."""
    if (candidate.spec.differentiable or candidate.spec.name in FLOATS) and _valued(candidate):
        yield {}


def whole(candidate: MutantCandidate) -> Iterator[Given]:
    """Once for functions that give integers or truth values."""
    rule = candidate.spec.dtype
    truth = rule is not None and ["literal", "bool"] in rule.accept
    if truth or candidate.spec.name in WHOLE or candidate.spec.name.startswith("is_"):
        yield {}


def _valued(candidate: MutantCandidate) -> bool:
    seen = {Aspect.VALUE, Aspect.DISTRIBUTION, Aspect.STATE, Aspect.EXAMPLE}
    return bool(candidate.aspects & seen) and candidate.spec.name not in FED


def demanded(*aspects: Aspect) -> Applies:
    """Once for each function for which the edition demands one of the aspects."""

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        if candidate.aspects & set(aspects) and candidate.spec.name not in FED:
            yield {}

    return applies


def themes(names: Collection[str], inner: Applies) -> Applies:
    """As another condition, in these themes only."""

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        if candidate.theme in names:
            yield from inner(candidate)

    return applies


def but(names: Collection[str], inner: Applies) -> Applies:
    """As another condition, without these functions."""

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        if candidate.spec.name not in names:
            yield from inner(candidate)

    return applies


def of_kind(*accepted: type, unless: Collection[str] = ()) -> Applies:
    """Once for each parameter whose rule in the spec is of one of these kinds."""

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        for parameter in candidate.parameters:
            newest = candidate.spec.renamed.get(parameter, parameter)
            rule = candidate.spec.parameters.get(newest)
            if isinstance(rule, accepted) and f"{candidate.spec.name}.{parameter}" not in unless:
                yield {"parameter": parameter}

    return applies


def named(text: str) -> Applies:
    """Once for each parameter that is listed: `function.parameter`, parted by blanks."""
    pairs = [name.split(".") for name in text.split()]

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        for function, parameter in pairs:
            if function == candidate.spec.name and parameter in candidate.parameters:
                yield {"parameter": parameter}

    return applies


def functions(text: str) -> Applies:
    """Once for each function that is listed."""
    names = frozenset(text.split())

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        if candidate.spec.name in names:
            yield {}

    return applies


def either(*conditions: Applies) -> Applies:
    """The options of any of the conditions, each once."""

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        seen: list[Given] = []
        for condition in conditions:
            for options in condition(candidate):
                if options not in seen:
                    seen.append(options)
                    yield options

    return applies


def optional(candidate: MutantCandidate) -> Iterator[Given]:
    """Once for each optional parameter with a documented effect."""
    for parameter in candidate.documented.parameters:
        if not parameter.required and parameter.name not in UNSEEN:
            yield {"parameter": parameter.name}


def defaults(candidate: MutantCandidate) -> Iterator[Given]:
    """Once for each default for which another value of the same sort is known."""
    for parameter in candidate.documented.parameters:
        if parameter.required or parameter.name in UNSEEN:
            continue
        if parameter.value not in (None, ...) and other(parameter.value) != parameter.value:
            yield {"parameter": parameter.name, "value": parameter.value}


def several_tensors(candidate: MutantCandidate) -> Iterator[Given]:
    """Each tensor parameter of a function of at least two."""
    tensors = list(of_kind(*TENSORS)(candidate))
    yield from tensors if len(tensors) > 1 else ()


def pairs(text: str) -> Applies:
    """Pairs of parameters that may be taken for each other: `function.first/second`."""
    triples = [re.split(r"[./]", name) for name in text.split()]

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        for function, first, second in triples:
            if function == candidate.spec.name and {first, second} <= {*candidate.parameters}:
                yield {"first": first, "second": second}

    return applies


def siblings(text: str) -> Applies:
    """Functions with another that is called in the same way: `function/other`."""
    names = [name.split("/") for name in text.split()]

    def applies(candidate: MutantCandidate) -> Iterator[Given]:
        for function, of in names:
            if function == candidate.spec.name:
                yield {"of": of}

    return applies


def formulas(candidate: MutantCandidate) -> Iterator[Given]:
    """Each wrong formula of the function: those whose name begins with its name."""
    for formula in FORMULAS:
        if re.match(r"\w+", formula)[0] == candidate.spec.name:  # type: ignore[index]
            yield {"formula": formula}


GRADIENT = (Aspect.GRADIENT,)
ONE_AXIS = [
    f"{function}.{parameter}"
    for function in ("conv1d", "separable_conv1d", "local_conv1d")
    for parameter in ("strides", "dilation_rate", "kernel_size")
]
"""Numbers, or lists of one number: no order is wrong."""
CONSTANT = ("ones", "ones_like", "eye", "sign", "round", "one_hot")
"""Functions whose elements are all small integers."""
UNBOUNDED = ("elementwise", "reductions", "linear algebra", "pooling")

_SPREAD = "random_normal.stddev random_normal_variable.scale truncated_normal.stddev"
_CENTRE = "random_normal.mean random_normal_variable.mean truncated_normal.mean"
_BOUNDS = "random_uniform.minval random_uniform_variable.low"
_HIGHEST = "random_uniform.maxval random_uniform_variable.high"
_CHANCE = "random_binomial.p dropout.level"
_RANDOM = (
    "random_uniform_variable random_normal_variable random_normal random_uniform random_binomial"
    " truncated_normal dropout"
)
_DRAWN = [name for name in _RANDOM.split() if name != "dropout"]
"""The functions whose numbers may be in any order; their distributions have other operators."""
_SETTERS = (
    "set_epsilon set_floatx set_image_data_format set_learning_phase reset_uids"
    " clear_session manual_variable_initialization set_value batch_set_value"
)
_UPDATES = "update update_add update_sub moving_average_update"
_GETTERS = "epsilon floatx image_data_format learning_phase get_uid get_value eval"
_SEQUENCES = "map_fn.elems foldl.elems foldr.elems rnn.inputs"
_LISTS = (
    "rnn.initial_states rnn.constants function.inputs function.outputs function.updates"
    " gradients.variables batch_set_value.tuples batch_get_value.ops"
)
_WHOLE_PARAMETERS = (
    "ctc_decode.beam_width ctc_decode.top_paths ctc_batch_cost.input_length"
    " ctc_batch_cost.label_length ctc_decode.input_length ctc_label_dense_to_sparse.label_lengths"
)
_SIBLINGS = " ".join(
    (
        "relu/elu softplus/softsign softsign/tanh sigmoid/hard_sigmoid hard_sigmoid/sigmoid",
        "tanh/softsign equal/not_equal not_equal/equal greater/greater_equal",
        "greater_equal/greater less/less_equal less_equal/less greater/less less/greater",
        "zeros/ones ones/zeros zeros_like/ones_like ones_like/zeros_like square/abs abs/square",
        "sin/cos cos/sin exp/square maximum/minimum minimum/maximum max/min min/max sum/mean",
        "mean/sum prod/sum any/all all/any var/std std/var argmax/argmin argmin/argmax",
        "cumsum/cumprod cumprod/cumsum logsumexp/max foldl/foldr foldr/foldl",
        "flatten/batch_flatten batch_flatten/flatten in_train_phase/in_test_phase",
        "in_test_phase/in_train_phase update/update_add update_add/update",
        "update_add/update_sub update_sub/update_add random_uniform/random_normal",
        "truncated_normal/random_normal round/identity sign/identity print_tensor/zeros_like",
        "stop_gradient/identity shape/int_shape",
    )
)
_PAIRS = " ".join(
    (
        "clip.min_value/max_value batch_normalization.mean/var batch_normalization.gamma/beta",
        "normalize_batch_in_training.gamma/beta resize_images.height_factor/width_factor",
        "resize_volumes.depth_factor/height_factor resize_volumes.height_factor/width_factor",
        "asymmetric_temporal_padding.left_pad/right_pad slice.start/size gather.reference/indices",
        "maximum.x/y minimum.x/y equal.x/y not_equal.x/y greater.x/y greater_equal.x/y less.x/y",
        "less_equal.x/y dot.x/y batch_dot.x/y categorical_crossentropy.target/output",
        "binary_crossentropy.target/output switch.then_expression/else_expression",
        "in_train_phase.x/alt in_test_phase.x/alt conv2d.strides/dilation_rate",
        "pool2d.pool_size/strides separable_conv2d.strides/dilation_rate",
        "depthwise_conv2d.strides/dilation_rate conv1d.strides/dilation_rate",
        "conv3d.strides/dilation_rate pool3d.pool_size/strides",
        "ctc_batch_cost.input_length/label_length random_uniform.minval/maxval",
        "random_normal.mean/stddev truncated_normal.mean/stddev random_uniform_variable.low/high",
        "random_normal_variable.mean/scale local_conv2d.kernel_size/strides arange.start/stop",
        "update.x/new_x moving_average_update.x/value",
    )
)

OPERATORS: tuple[Operator, ...] = (
    # The returned value.
    Operator("scaled", "floats a thousandth too large", "result", but(_DRAWN, floats),
             {"change": "scaled"}),
    Operator("saturated", "floats cut at a thousand", "result",
             but(("sin", "cos", "sign"), themes(UNBOUNDED, floats)),
             {"change": "saturated"}, (Aspect.VALUE,)),
    Operator("single precision", "float64 computed in float32", "result",
             but((*CONSTANT, "epsilon", "zeros_like", *_DRAWN), floats),
             {"change": "single precision"}, (Aspect.VALUE, Aspect.STATE)),
    Operator("last axis reversed", "the last axis in reverse", "result",
             but(("ones", "ones_like", "epsilon", "ctc_batch_cost", *_DRAWN), floats),
             {"change": "last axis reversed"}, (Aspect.VALUE,)),
    Operator("one row lost", "the last row left out", "result",
             themes(("activations", "losses", "shape ops", "reductions", "control flow"), floats),
             {"change": "one row lost"}, (Aspect.VALUE,)),
    Operator("one axis more", "an axis of length 1 in front", "result",
             themes(("losses", "reductions", "linear algebra", "normalisation"), floats),
             {"change": "one axis more"}, (Aspect.VALUE,)),
    Operator("other whole", "integers one more, the other truth value", "result", whole,
             {"change": "other whole"}),
    Operator("whole as float", "floats for integers and truth values", "result", whole,
             {"change": "whole as float"}, (Aspect.DTYPE,)),
    Operator("dtype drift", "the other float dtype", "result", floats, {"change": "dtype drift"},
             (Aspect.DTYPE,)),
    Operator("static shape unknown", "no dimension is known", "shape lie",
             demanded(Aspect.STATIC_SHAPE), {"lie": "unknown"}, (Aspect.STATIC_SHAPE,)),
    Operator("static shape wrong", "the last dimension one too long", "shape lie",
             demanded(Aspect.STATIC_SHAPE), {"lie": "longer"}, (Aspect.STATIC_SHAPE,)),
    Operator("results in reverse", "several results in the other order", "members",
             functions("rnn normalize_batch_in_training gradients batch_get_value ctc_decode"),
             {"order": "in reverse"}),
    Operator("last result lost", "the last of several results left out", "members",
             functions("rnn normalize_batch_in_training gradients batch_get_value ctc_decode"),
             {"order": "the last left out"}),
    Operator("one result for all", "the first of several results in every place", "members",
             functions("rnn gradients batch_get_value ctc_decode"),
             {"order": "the first everywhere"}),
    # Gradients.
    Operator("gradient scaled", "a gradient a thousandth too large", "result",
             demanded(Aspect.GRADIENT), {"change": "gradient scaled"}, GRADIENT),
    Operator("gradient lost", "the result is constant in gradients", "result",
             demanded(Aspect.GRADIENT), {"change": "gradient lost"}, GRADIENT),
    Operator("argument constant", "an argument is constant in gradients", "argument",
             several_tensors, {"change": "no gradient"}, GRADIENT),
    # How arguments are taken.
    Operator("argument ignored", "the default for whatever is given", "ignored", optional),
    Operator("wrong default", "another value where none is given", "default", defaults),
    Operator("arguments exchanged", "one taken for the other", "exchanged", pairs(_PAIRS)),
    Operator("first axis only", "the first of several axes, or axis 0", "argument",
             of_kind(kinds.Axis, kinds.Axes, kinds.ClassAxis, kinds.ReductionAxes,
                     kinds.BatchAxes), {"change": "first axis only"}),
    Operator("axis from the other end", "axes counted from the other end", "argument",
             of_kind(kinds.Axis, kinds.Axes, kinds.ClassAxis, kinds.ReductionAxes),
             {"change": "axis from the other end"}),
    Operator("one more", "a number, or the last of several, is one more", "argument",
             either(of_kind(kinds.Integer, kinds.Counts, kinds.Starts, kinds.Sizes, kinds.Window,
                            kinds.PerAxis, kinds.TargetShape, kinds.Shape, kinds.OutputShape,
                            kinds.Positions), named(_WHOLE_PARAMETERS)), {"change": "one more"}),
    Operator("one less", "a number, or the last of several, is one less", "argument",
             either(of_kind(kinds.Integer, kinds.Counts, kinds.Sizes, kinds.Window,
                            kinds.PerAxis), named(_WHOLE_PARAMETERS)), {"change": "one less"}),
    Operator("list in reverse", "the members of a list in the other order", "argument",
             either(of_kind(kinds.Counts, kinds.Starts, kinds.Sizes, kinds.Window, kinds.PerAxis,
                            kinds.Tensors, kinds.Permutation, kinds.TargetShape, kinds.Shape,
                            kinds.Padding, kinds.OutputShape, kinds.Positions, unless=ONE_AXIS),
                    named(_LISTS)), {"change": "in reverse"}),
    Operator("first for all", "the first member of a list in every place", "argument",
             either(of_kind(kinds.Counts, kinds.Window, kinds.PerAxis, kinds.Tensors,
                            kinds.Padding, unless=ONE_AXIS), named(_LISTS)),
             {"change": "the first for all"}),
    Operator("last member lost", "a list without its last member", "argument",
             either(of_kind(kinds.Tensors), named(_LISTS)), {"change": "the last left out"}),
    Operator("before and behind exchanged", "each pair of widths turned", "argument",
             of_kind(kinds.Padding), {"change": "before and behind exchanged"}),
    Operator("padding one off", "the last width one more", "argument",
             of_kind(kinds.Padding), {"change": "one more"}),
    Operator("inverse permutation", "the axes go back instead", "argument",
             of_kind(kinds.Permutation), {"change": "the inverse"}),
    Operator("inverted", "the other truth value", "argument",
             either(of_kind(kinds.Boolean), named("rnn.mask rnn.go_backwards rnn.unroll"
             " switch.condition in_train_phase.training in_test_phase.training ctc_decode.greedy")),
             {"change": "inverted"}),
    Operator("half precision inside", "an argument rounded to float16", "argument",
             but(("zeros_like", "ones_like", "shape"), of_kind(*TENSORS)),
             {"change": "of half precision"}, (Aspect.VALUE,)),
    Operator("argument negated", "an argument of the other sign", "argument", several_tensors,
             {"change": "negated"}, (Aspect.VALUE,)),
    Operator("argument taken as zeros", "zeros stand for an argument", "argument",
             several_tensors, {"change": "taken as zeros"}, (Aspect.VALUE,)),
    Operator("argument backwards", "an argument in reverse along its first axis", "argument",
             either(several_tensors, named(_SEQUENCES + " rnn.mask ctc_batch_cost.y_true"
             " ctc_batch_cost.y_pred ctc_decode.y_pred")), {"change": "backwards"}),
    Operator("labels one more", "classes and indices one more", "argument",
             either(of_kind(kinds.Indices, kinds.Labels), named("ctc_batch_cost.y_true")),
             {"change": "one more"}),
    Operator("another value", "another of the values that are known", "argument",
             either(of_kind(kinds.DataFormat, kinds.Literals, kinds.Dtype),
                    named("set_image_data_format.data_format set_floatx.floatx"
                          " dropout.noise_shape rnn.input_length")),
             {"change": "another value"}),
    Operator("parameters exchanged", "a callable gets its arguments in the other order",
             "argument", named("foldl.fn foldr.fn rnn.step_function"),
             {"change": "parameters exchanged"}),
    # Chance.
    Operator("one seed for all", "the same numbers whatever the seed", "fixed",
             named(" ".join(f"{f}.seed" for f in _RANDOM.split())), {"value": 1}),
    Operator("frozen numbers", "the same numbers at each evaluation", "frozen",
             functions("random_normal random_uniform random_binomial truncated_normal")),
    Operator("two per cent more", "a parameter of the law two per cent more", "argument",
             named(" ".join((_SPREAD, _HIGHEST, "moving_average_update.momentum"))),
             {"change": "two per cent more"}),
    Operator("a little more", "a parameter of the law a twentieth more", "argument",
             named(" ".join((_CENTRE, _BOUNDS, _CHANCE))), {"change": "a little more"}),
    Operator("complement", "one less a probability", "argument",
             named(_CHANCE + " moving_average_update.momentum"), {"change": "the complement"}),
    Operator("root", "the root of a deviation", "argument", named(_SPREAD),
             {"change": "the root"}),
    # The side effects.
    Operator("without effect", "nothing is done", "without effect",
             functions(f"{_SETTERS} {_UPDATES}")),
    Operator("twice", "everything is done twice", "twice",
             functions("get_uid update_add update_sub moving_average_update variable function"
                       " print_tensor")),
    Operator("every other time", "every second call does nothing", "every other",
             functions(_SETTERS)),
    Operator("stale", "every call returns the result of the first", "stale", functions(_GETTERS)),
    Operator("input changed", "the function changes its input", "input changed",
             demanded(Aspect.PURITY), {}, (Aspect.PURITY,)),
    # Errors.
    Operator("no error", "invalid input gives a result", "unrefused", demanded(Aspect.ERROR),
             {}, (Aspect.ERROR,)),
    Operator("other error", "RuntimeError for every error", "other error",
             demanded(Aspect.ERROR), {}, (Aspect.ERROR,)),
    # Other functions.
    Operator("sibling", "another function of the same parameters", "sibling",
             siblings(_SIBLINGS)),
    Operator("formula", "another way to compute it", "formula", formulas),
)  # fmt: skip
"""In the order of reports."""
