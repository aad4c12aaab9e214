"""One program on one implementation: bind its inputs, call its steps, list its results."""

from typing import Any, Dict, List, Tuple

import numpy as np

from .adapters import bound, required, tensor_maker
from .calling import Calls
from .failures import ImplementationError, Meter, describe
from .layouts import same_numbers
from .limits import MOST_DIMENSIONS, MOST_ITEMS, MOST_NAME, class_name, text_of
from .programs import AS_THEY_ARE, PLACEHOLDERS, Input, Program
from .values import flatten, is_plain

NO_CLAIM = {"dtype": None, "shape": None, "dtype_error": None, "shape_error": None}
_WHOLE = (int, np.integer)


def offered(adapter: Any, program: Program, eager_inputs: bool = False) -> Program:
    """The program with inputs that can be made.

    If the implementation lacks placeholders, variables or constants, another of them is used
    instead, then `keras.ops.convert_to_tensor`, and at last the array itself. With `eager_inputs`,
    constants replace placeholders.
    """
    inputs = [_offered(adapter, item, eager_inputs) for item in program.inputs]
    return program._replace(inputs=inputs)


def _offered(adapter: Any, item: Input, eager_inputs: bool) -> Input:
    binding = _binding(adapter, item, eager_inputs)
    arguments = item.arguments if binding == item.binding else None
    return item._replace(binding=binding, arguments=arguments)


def _binding(adapter: Any, item: Input, eager_inputs: bool) -> str:
    own = item.binding.split("_")[0]
    if own in AS_THEY_ARE or _for_itself(item):
        return item.binding
    if eager_inputs and item.binding in PLACEHOLDERS:
        return "constant"
    if adapter.function(own) is not None:
        return item.binding
    return tensor_maker(adapter) or "array"


def _for_itself(item: Input) -> bool:
    """Whether the input is the placeholder under test."""
    return item.binding == "placeholder" and item.arguments is not None


class BoundProgram(object):
    """A program whose tensors live in `names`; the calls into it go through `meter`.

    In eager mode a tensor may be an array. Therefore arrays also have a dtype and shape to claim.
    """

    def __init__(self, adapter: Any, program: Program, meter: Meter, eager: bool) -> None:
        self._eager = eager
        self._adapter = adapter
        self._program = program
        self._meter = meter
        self._anew = eager and adapter.function("set_value") is None
        self._calls = Calls(adapter, meter)
        self.names: Dict[str, Any] = {}
        self.items: List[Tuple[str, Any]] = []

    def bind(self, feed: Dict[str, Any]) -> None:
        """Bind every input again."""
        self.names = {}
        for item in self._program.inputs:
            self.names[item.name] = self._bind(item, feed[item.name])

    def rebind(self, feed: Dict[str, Any]) -> None:
        """Set the variables, keep the placeholders, and make the constants again.

        The worker also makes a variable again that it cannot set and that no graph holds.
        """
        for item in self._program.inputs:
            if item.binding == "variable" and not self._anew:
                self._set(self.names[item.name], feed[item.name])
            elif item.binding not in PLACEHOLDERS:
                self.names[item.name] = self._bind(item, feed[item.name])

    def build(self) -> None:
        """Call the steps; afterwards `items` holds (output, tensor or value) in order.

        Raises:
            ImplementationError: a step raised, or a result cannot be read.
        """
        self._calls.run(self._program.steps, self.names)
        self.items = [
            (name, part) for name in self._program.outputs for part in flatten(self.names[name])
        ]
        if len(self.items) > MOST_ITEMS:
            error = ValueError("{} results, more than {}".format(len(self.items), MOST_ITEMS))
            raise ImplementationError(describe(error, "read"))

    def has_values(self) -> bool:
        """Whether a step returned values, which belong to the draw it was called with."""
        return any(is_plain(part) for _, part in self.items)

    def tensors(self) -> List[Any]:
        """The items that are not evaluated yet."""
        return [part for _, part in self.items if not is_plain(part)]

    def changed(self, item: Input, fed: Any) -> bool:
        """Whether the tensor of an input no longer holds its initial numbers.

        A library may round the numbers of a constant, which is then compared with another one.
        """
        read = self._adapter.function("get_value") or self._adapter.evaluate
        held = np.asarray(read(self.names[item.name]))
        if _holds(held, fed) or item.binding == "variable":
            return not _holds(held, fed)
        return not _holds(held, np.asarray(read(self._bind(item, fed))))

    def input_claims(self) -> List[Any]:
        """The implementation's claims about the inputs, and the dtypes that made them."""
        return [self._input(item) for item in self._program.inputs]

    def _input(self, item: Input) -> Dict[str, Any]:
        tensor = self.names[item.name]
        plain = item.binding in AS_THEY_ARE
        claim = dict(NO_CLAIM) if plain else self._claim(tensor)
        own_dtype = None if claim["dtype"] is not None else self._own_dtype(tensor)
        return {"name": item.name, "claim": claim, "made": own_dtype}

    def _own_dtype(self, tensor: Any) -> Any:
        """The dtype that a tensor says of itself, where there is no `K.dtype` to ask; or None."""
        try:
            return self._meter.call("claim", None, _attribute, tensor)
        except ImplementationError:
            return None

    def output_claims(self) -> List[Any]:
        """The implementation's claims about the outputs before evaluation."""
        return [self._output(name) for name in self._program.outputs]

    def _output(self, name: str) -> Dict[str, Any]:
        result = self.names[name]
        container = "tensor"
        if isinstance(result, (list, tuple)):
            container = "tuple" if isinstance(result, tuple) else "list"
        claims = [self._claim(part) for part in flatten(result)]
        return {"name": name, "container": container, "claims": claims}

    def _claim(self, tensor: Any) -> Dict[str, Any]:
        claim: Dict[str, Any] = dict(NO_CLAIM)
        if not is_plain(tensor) or (self._eager and isinstance(tensor, (np.ndarray, np.generic))):
            for key, name, reading in (
                ("dtype", "dtype", _named),
                ("shape", "int_shape", _dimension_list),
            ):
                try:
                    answer = self._meter.call("claim", None, self._asked, name, tensor)
                    claim[key] = self._meter.call("read", None, reading, answer)
                except ImplementationError as failure:
                    claim[key + "_error"] = failure.data
            if claim["shape"] is not None:
                claim["shape"], claim["not_integers"] = _dimensions(claim["shape"])
        return claim

    def _asked(self, name: str, tensor: Any) -> Any:
        return required(self._adapter, name)(tensor)

    def _bind(self, item: Input, value: Any) -> Any:
        if item.binding in AS_THEY_ARE:
            return value.tolist() if item.binding == "python" else value
        return self._meter.call("bind", None, self._bound_input, item, value)

    def _bound_input(self, item: Input, value: Any) -> Any:
        positional, keywords = self._arguments(item, value)
        return bound(self._adapter, item.binding.split("_")[0], positional, keywords)

    def _arguments(self, item: Input, value: Any) -> Tuple[List[Any], Dict[str, Any]]:
        """Keyword arguments that make the input: its own, or the usual shape and dtype."""
        fed = item.binding in PLACEHOLDERS
        if item.arguments is not None:
            keywords = self._calls.keywords(item.arguments, {})
        elif fed:
            unknown = item.binding == "placeholder_none"
            shape = (None,) * len(item.shape) if unknown else item.shape
            keywords = {"shape": shape, "dtype": item.dtype}
        else:
            keywords = {"dtype": item.dtype}
        return ([] if fed else [value]), keywords

    def _set(self, variable: Any, value: Any) -> None:
        self._meter.call("bind", None, self._adapter.assign, variable, value)


def _named(dtype: Any) -> Any:
    """The name of a dtype."""
    return dtype if dtype is None else text_of(getattr(dtype, "name", dtype), MOST_NAME)


def _dimension_list(shape: Any) -> Any:
    """The dimensions of a shape; the documents promise a tuple, and to list one of another sort
    calls the implementation."""
    if shape is None or not hasattr(shape, "__iter__"):
        return shape
    dimensions = list(shape)
    if len(dimensions) > MOST_DIMENSIONS:
        raise ValueError("{} dimensions, more than {}".format(len(dimensions), MOST_DIMENSIONS))
    return dimensions


def _holds(held: Any, fed: Any) -> bool:
    """Whether an array that was read has the numbers of another one."""
    if held.dtype.isbuiltin == 2:  # bfloat16, whose libraries write NaN in several ways
        return same_numbers(held.astype("float32"), fed.astype("float32"))
    same_shape: bool = held.shape == fed.shape
    return same_shape and held.tobytes() == fed.astype(held.dtype).tobytes()


def _attribute(tensor: Any) -> Any:
    """The name of the attribute `dtype`: float32 also for `torch.float32`."""
    dtype = getattr(tensor, "dtype", None)
    if dtype is None:
        return None
    return text_of(getattr(dtype, "name", dtype), MOST_NAME).rpartition(".")[2]


def _dimensions(shape: Any) -> Tuple[Any, List[List[Any]]]:
    """The dimensions, and [place, name of its type] of each that is neither an integer nor None.

    Such a dimension is None in the list. A shape that is not a sequence has no dimensions, and
    place -1.
    """
    if not isinstance(shape, list):
        return None, [[-1, class_name(type(shape))]]
    known = [None if n is None or not _is_whole(n) else int(n) for n in shape]
    odd = [(i, n) for i, n in enumerate(shape) if n is not None and not _is_whole(n)]
    return known, [[i, class_name(type(n))] for i, n in odd]


def _is_whole(dimension: Any) -> bool:
    return isinstance(dimension, _WHOLE) and not isinstance(dimension, bool)
