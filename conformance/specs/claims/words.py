"""What the kind of a parameter says, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.specs import kinds

_WORDS: Mapping[type, str] = {
    kinds.TensorKind: "a tensor{domain}",
    kinds.Companion: "a tensor of a shape that fits that of {of}",
    kinds.Tensors: "a list of tensors",
    kinds.Indices: "a tensor of integers from 0 on",
    kinds.ValueKind: "a NumPy array, or what makes one",
    kinds.FromDrawer: "an argument that fits the others",
    kinds.Axis: "an axis of {of}",
    kinds.Axes: "one axis of {of} or several",
    kinds.BatchAxes: "the axes to be summed over: one for both tensors, or one for each",
    kinds.Permutation: "every axis of {of}, in the order that they are to have",
    kinds.TargetShape: "a shape with as many elements as {of}",
    kinds.Counts: "a list with a number for each axis of {of}",
    kinds.Starts: "where to begin on each axis of {of}",
    kinds.Sizes: "how much to take of each axis of {of}",
    kinds.PlaceholderShape: "a shape, of which any dimension may be None",
    kinds.Shape: "the shape of the tensor",
    kinds.FillShape: "the shape of the tensor to be filled",
    kinds.Fitting: "a tensor{domain} of the shape that the function needs",
    kinds.Features: "a tensor with a number for each place on an axis of {of}",
    kinds.Bias: "a tensor with a number for each channel of {of}",
    kinds.Distribution: "a tensor of probabilities",
    kinds.ScoresKind: "a matrix with a row for each sample and a column for each class",
    kinds.Labels: "a tensor of integers, each the number of a class",
    kinds.ClassAxis: "the axis of the classes of {of}",
    kinds.ReductionAxes: "the axes of {of} over which is summed up",
    kinds.Padding: "how many zeros come before and after each of {spatial} axes",
    kinds.Integer: "an integer",
    kinds.Real: "a number",
    kinds.Boolean: "True or False",
    kinds.Dtype: "the name of a dtype",
    kinds.DataFormat: "where the channels are: first or last",
    kinds.Images: "a batch of images with {spatial} spatial axes",
    kinds.Kernel: "the kernel for {of}",
    kinds.Pointwise: "the kernel of size 1 that follows the depthwise one",
    kinds.LocalKernel: "weights of their own for each window on {of}",
    kinds.Window: "the size of a window on each spatial axis of {of}",
    kinds.PerAxis: "an integer for each of {spatial} spatial axes",
    kinds.Moves: "an integer for each spatial axis of {of}, or one for all",
    kinds.Patch: "the size of a window on each spatial axis of {of}, or one for all",
    kinds.Adapted: "how many windows there are on each spatial axis of {of}, or one for all",
    kinds.OutputPadding: "how many elements {of} gets more on each spatial axis",
    kinds.OutputShape: "the shape of what a convolution makes {of} of",
    kinds.Positions: "how many windows there are on each spatial axis of {of}",
}
_DOMAINS: Mapping[str, str] = {
    "nonnegative": " of numbers that are not negative",
    "positive": " of positive numbers",
    "nonzero": " of numbers other than zero",
    "vector": " of numbers",
    "truth": " of numbers or truth values",
}
_NAMES: Mapping[str, str] = {
    "alt": "what is taken in the other phase",
    "beam_width": "how many beginnings of a path are followed",
    "condition": "a scalar truth value",
    "constants": "tensors that each step is given",
    "constraint": "what keeps the variable within bounds; optimizers apply it",
    "data_format": "the layout of images",
    "decrement": "what is taken off",
    "dict_seq_lens": "the length of each entry of the dictionary",
    "dict_values": "the entries of the dictionary",
    "dim_ordering": "the layout of images",
    "dtype": "the name of a dtype",
    "e": "the new number",
    "elems": "a tensor, whose first axis is gone through",
    "else_expression": "what is taken where the condition is false",
    "filter_shape": "the shape of the kernel",
    "floatx": "the name of a float type",
    "fn": "a function, called once for each element",
    "go_backwards": "whether the sequence is gone through from its end",
    "greedy": "whether the best class of each step is taken",
    "high": "the upper end of the numbers",
    "image_shape": "the shape of the images",
    "increment": "what is added",
    "initial_states": "the states before the first step",
    "initializer": "the value before the first element",
    "input_length": "how many steps a sequence has",
    "inputs": "tensors to be fed, or the sequence",
    "kwargs": "what is handed on to the session",
    "label_length": "how many labels each sample has",
    "label_lengths": "how many labels each sample has",
    "labels": "the labels of each sample",
    "level": "the share of elements that is set to zero",
    "loss": "a scalar tensor that is derived",
    "low": "the lower end of the numbers",
    "mask": "which steps count",
    "maxval": "the upper end of the numbers",
    "mean": "the mean of the numbers",
    "minval": "the lower end of the numbers",
    "momentum": "the weight of the old average",
    "name": "a name for the tensor, or for the node of the graph",
    "ndim": "how many axes it has, where no shape is given",
    "new_x": "the new value, of the same shape",
    "noise_shape": "the shape of what is drawn, which is broadcast",
    "ops": "a list of tensors",
    "outputs": "the tensors to be computed",
    "p": "the probability of 1",
    "prefix": "a text to be counted for",
    "scale": "the standard deviation of the numbers",
    "seed": "a number that fixes what is drawn",
    "shape": "the shape of the tensor",
    "sparse": "whether the tensor is sparse",
    "stddev": "the standard deviation of the numbers",
    "step_function": "a function of one step: input and states give output and new states",
    "tensor": "a tensor, sparse or not",
    "then_expression": "what is taken where the condition is true",
    "top_paths": "how many paths are given",
    "training": "the phase, if it is not the learning phase",
    "tuples": "pairs of a variable and its new value",
    "unroll": "whether the steps stand in the graph one by one",
    "updates": "changes of variables that go with a call",
    "value": "the new value",
    "variables": "tensors to derive by, or to hold constant",
    "volume_shape": "the shape of the volumes",
    "x": "a tensor or a value",
    "y_pred": "the probabilities of the classes at each step",
    "y_true": "the labels of each sample",
}
"""Parameters that no kind describes, because scenarios pass them."""


def named(name: str, rule: Any) -> str:
    """What a parameter is, by its kind, or by its name where no kind says it."""
    return _NAMES.get(name, rule.why) if isinstance(rule, kinds.Omitted) else description(rule)


def description(rule: Any) -> str:
    """What a parameter of this kind is: `an axis of x`; "" where no kind says it."""
    other = _OTHERS.get(type(rule))
    if other is not None:
        return other(rule)
    words = _WORDS.get(type(rule), "")
    domain = getattr(rule, "domain", "real")
    filled = words.format(
        of=f"`{getattr(rule, 'of', '')}`",
        spatial=getattr(rule, "spatial", ""),
        domain=_DOMAINS.get(domain, ""),
    )
    return f"{filled}, or None" if getattr(rule, "optional", False) else filled


def _literals(rule: kinds.Literals) -> str:
    shown = ", ".join(f"`{value!r}`" for value in rule.values[:4])
    return f"such as {shown}"


_OTHERS: Mapping[type, Callable[[Any], str]] = {kinds.Literals: _literals}
