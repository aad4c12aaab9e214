"""The facts about a target that a script needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

CONVERTER = "keras.ops.convert_to_tensor"
"""The function that makes a tensor where the implementation has no `variable` and `constant`."""
HELPERS = (
    *("placeholder", "variable", "constant", "function"),
    *("eval", "get_value", "dtype", "int_shape"),
)
"""The functions of `K` that scripts call besides those under test."""


COMPUTED = "computed_tensor"
"""The name of a tensor in a script whose value is read in another dtype."""


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder that a script makes before it imports anything.

    `configuration` is the text of `keras.json` there, None for no such file; variables of
    `environment` that are None are removed.
    """

    configuration: str | None
    environment: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Prelude:
    """How a script reaches a target: environment variables and the import of `K`."""

    imports: Sequence[str] = ("from keras import backend as K",)
    environment: Mapping[str, str] | None = None
    package: str = "keras"
    """The package that `keras.NAME` in a program means."""
    backend: str = ""
    """What `K.backend()` returns."""
    home: Home | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Documented names to the module's own, where they differ."""
    paths: Sequence[str] = ()
    """Folders to import from."""
    absent: frozenset[str] = frozenset()
    """Functions that `K` lacks, or that a script cannot use."""
    computes: bool = False
    """Whether `K` of a script has `function` and `eval`, whatever the worker's adapter offers."""
    eager_inputs: bool = False
    """Whether inputs have values: constants replace placeholders."""
    converts: bool = False
    """Whether the package has `keras.ops.convert_to_tensor`, which makes tensors in place of
    `constant` and `variable`."""
    definitions: Mapping[str, Sequence[str]] | None = None
    """For each function of `K` the lines that define it, if no module has them."""
    eager: bool = False
    """Whether the implementation is in eager mode: scripts compile nothing without inputs."""
    made_for: str = ""
    """The interpreter and the versions that a script was made for, in words."""
    needs: Sequence[str] = ()
    """Sentences on what the system must have besides, such as shared libraries."""
    short: Mapping[str, str] = field(default_factory=dict)
    """Expressions in place of `K`, where no module has its functions.

    `placeholder` has `{shape}` and `{dtype}` to fill in. Others are `constant`, `variable`,
    `integer_variable` for dtypes other than floats, `compute`, `read`, `dtype` and `int_shape`.
    """
    strict: bool = False
    """Whether NumPy's assertions compare shape and dtype (NumPy 2)."""

    @property
    def at_once(self) -> bool:
        """Whether results are values, or one function after the other gives them."""
        return self.eager or self.definitions is not None or "function" in self.absent

    @property
    def read(self) -> str:
        """The name of the function that reads a tensor, the same as the worker's."""
        if "eval" not in self.absent:
            return "K.eval"
        held = self.eager and "get_value" not in self.absent
        return "K.get_value" if held else "np.asarray"

    def dtype(self, tensor: str) -> str:
        """An expression for the dtype of a tensor as the implementation reports it, a name.

        TensorFlow 1 calls that of a variable `float32_ref`.
        """
        if "dtype" in self.short:
            return self.short["dtype"].format(tensor=tensor)
        return f"str(getattr(K.dtype({tensor}), 'name', K.dtype({tensor}))).replace('_ref', '')"

    def int_shape(self, tensor: str) -> str:
        """An expression for the static shape of a tensor."""
        return self.short.get("int_shape", "K.int_shape({tensor})").format(tensor=tensor)

    @property
    def maker(self) -> str:
        """The function that makes tensors of arrays: `variable`, `constant`, or a substitute."""
        own = next((n for n in ("variable", "constant") if n not in self.absent), None)
        return own or (CONVERTER if self.converts else "np.asarray")
