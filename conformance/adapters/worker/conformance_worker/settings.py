"""The settings of the module: set once, and found and put back where a program changes them."""

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
    """The settings that the module has and that have been configured."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self._wanted: List[Any] = []
        self._phase = self._phase_kind()

    def configure(self, values: Dict[str, Any]) -> List[str]:
        """Set what the module can set; the names of what was set."""
        self._wanted = []
        done: List[str] = []
        for name, getter, setter in _SETTINGS:
            has_both = hasattr(self._module, getter) and hasattr(self._module, setter)
            if name in done or not has_both:
                continue
            value = values[name]
            if getter == "image_dim_ordering":
                value = _OLD_FORMATS[value]
            getattr(self._module, setter)(value)
            self._wanted.append((name, getter, setter, value))
            done.append(name)
        return done

    def restore(self) -> List[str]:
        """Put back what was changed; the names of it."""
        leaked = []
        for name, getter, setter, value in self._wanted:
            if getattr(self._module, getter)() != value:
                getattr(self._module, setter)(value)
                leaked.append(name)
        return leaked

    def phase_leaked(self) -> bool:
        """Whether the learning phase is another than it was at the start."""
        return bool(self._phase_kind() != self._phase)

    def _phase_kind(self) -> Any:
        """The phase itself where it is a number, else that it is symbolic."""
        phase = getattr(self._module, "learning_phase", lambda: None)()
        return phase if isinstance(phase, int) else "symbolic"
