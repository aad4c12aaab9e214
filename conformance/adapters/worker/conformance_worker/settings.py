"""The settings: set once, and found and put back where a program changes them."""

from typing import Any, Dict, List

# (setting, getter, setter); Keras 1 called the image format by another name, with other values
_SETTINGS = (
    ("floatx", "floatx", "set_floatx"),
    ("epsilon", "epsilon", "set_epsilon"),
    ("image_data_format", "image_data_format", "set_image_data_format"),
    ("image_data_format", "image_dim_ordering", "set_image_dim_ordering"),
)
_OLD_FORMATS = {"channels_last": "tf", "channels_first": "th"}


class Settings(object):
    """The settings that the implementation has and that have been configured."""

    def __init__(self, adapter: Any) -> None:
        self._function = adapter.function
        self._wanted: List[Any] = []
        self._phase = self._phase_kind()

    def configure(self, values: Dict[str, Any]) -> List[str]:
        """Set what can be set; the names of what was set."""
        self._wanted = []
        done: List[str] = []
        for name, getter, setter in _SETTINGS:
            get, put = self._function(getter), self._function(setter)
            if name in done or get is None or put is None:
                continue
            value = values[name]
            if getter == "image_dim_ordering":
                value = _OLD_FORMATS[value]
            put(value)
            self._wanted.append((name, get, put, value))
            done.append(name)
        return done

    def restore(self) -> List[str]:
        """Put back what was changed; the names of it."""
        leaked = []
        for name, get, put, value in self._wanted:
            if get() != value:
                put(value)
                leaked.append(name)
        return leaked

    def initialise(self) -> None:
        """Have variables initialised when they are made, as after the import.

        A program that fails half-way may have switched it off, which nothing tells.
        """
        switch = self._function("manual_variable_initialization")
        if switch is not None:
            try:
                switch(False)
            except Exception:  # the library's own, of any type: its scenarios show it
                pass

    def phase_leaked(self) -> bool:
        """Whether the learning phase is another than it was at the start."""
        return bool(self._phase_kind() != self._phase)

    def _phase_kind(self) -> Any:
        """The phase itself where it is a number, else that it is symbolic."""
        learning_phase = self._function("learning_phase")
        phase = None if learning_phase is None else learning_phase()
        return phase if isinstance(phase, int) else "symbolic"
