"""The settings: set them once, and restore those that a program changes."""

from typing import Any, Dict, List

from .brief import Brief, LateError

# (setting, getter, setter); Keras 1 called the image format by another name, with other values
_SETTINGS = (
    ("floatx", "floatx", "set_floatx"),
    ("epsilon", "epsilon", "set_epsilon"),
    ("image_data_format", "image_data_format", "set_image_data_format"),
    ("image_data_format", "image_dim_ordering", "set_image_dim_ordering"),
)
_OLD_FORMATS = {"channels_last": "tf", "channels_first": "th"}


class Settings(object):
    """The configured settings that the implementation has."""

    def __init__(self, adapter: Any, brief: Brief) -> None:
        self._function = adapter.function
        self._brief = brief
        self._chosen: List[Any] = []
        self._phase: Any = None
        self._begun = False

    def begin(self) -> None:
        """Note, once, what the learning phase is before the first program."""
        if not self._begun:
            self._begun = True
            self._phase = self._phase_kind()

    def configure(self, values: Dict[str, Any]) -> List[str]:
        """Set the settings that the implementation has; their names. Leave a setting that hangs."""
        self._chosen = []
        done: List[str] = []
        for name, getter, setter in _SETTINGS:
            get, put = self._function(getter), self._function(setter)
            if name in done or get is None or put is None:
                continue
            value = values[name]
            if getter == "image_dim_ordering":
                value = _OLD_FORMATS[value]
            try:
                self._brief.call(setter, put, value)
                self._brief.call(getter, get)
            except LateError:
                continue
            self._chosen.append((name, get, put, value))
            done.append(name)
        return done

    def restore(self) -> List[str]:
        """Restore the settings that were changed; their names.

        `process` stands for a setting that can no longer be read or set.
        """
        leaked = []
        for name, get, put, value in self._chosen:
            try:
                if get() != value:
                    put(value)
                    leaked.append(name)
            except BaseException:  # whatever an implementation raises, SystemExit too
                leaked.append("process")
        return leaked

    def initialise(self) -> None:
        """Have variables initialised when they are made, as after the import.

        A program that fails half-way may have switched that off, and no function says so.
        """
        switch = self._function("manual_variable_initialization")
        if switch is not None:
            try:
                switch(False)
            except BaseException:  # an error of the library, of any class, which scenarios show
                pass

    def phase_leaked(self) -> bool:
        """Whether the learning phase differs from the one at the start."""
        return bool(self._phase_kind() != self._phase)

    def _phase_kind(self) -> Any:
        """The learning phase if it is a number, otherwise the number that the tensor holds.

        A text that says that it is symbolic if it holds none. On CNTK the phase is a constant, and
        to feed it is to change it.
        """
        try:
            name = "learning_phase"
            read = self._function(name)
            phase: Any = None if read is None else self._brief.call(name, read)
            if isinstance(phase, int):
                return phase
            return "symbolic, {}".format(float(phase.value))
        except BaseException:  # whatever a library raises: it holds no number
            return "symbolic"
