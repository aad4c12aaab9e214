"""The state of a backend besides its settings: unique numbers, learning phase, initialisation."""

from __future__ import annotations

from typing import Any

from conformance.reference.edition import documented, says
from conformance.reference.symbolic.backend import active
from conformance.reference.symbolic.graph import Placeholder


@documented("ja-2.0:394 get_uid(prefix='')", "ko-2.2:3768 get_uid(prefix='')")
def get_uid(prefix: str = "") -> int:
    """The next integer for a prefix, from 1 upwards; ValueError unless the prefix is a text."""
    if not isinstance(prefix, str):
        raise ValueError(f"get_uid: prefix is {prefix!r}; write a text such as 'dense'")
    uids = active().uids
    uids[prefix] += 1
    return uids[prefix]


@documented("ja-2.0:412 reset_uids()", "ko-2.2:3788 reset_uids()")
def reset_uids() -> None:
    """Let `get_uid` start again from 1 for every prefix."""
    active().uids.clear()


@documented("ja-2.0:1230 clear_session()", "ko-2.2:3800 clear_session()")
def clear_session() -> None:
    """Forget the unique numbers and the learning phase.

    A graph belongs to its tensors; there is no other state to clear.
    """
    reset_uids()
    active().learning_phase = None


@documented(
    "ja-1:200 manual_variable_initialization(value)",
    "ja-2.0:1242 manual_variable_initialization(value)",
    "ko-2.2:3814 manual_variable_initialization(value)",
)
def manual_variable_initialization(value: bool) -> None:
    """Whether variables made from now on stay without a value until `set_value` gives them one.

    ValueError unless value is True or False (ko-2.2:3827).
    """
    if not isinstance(value, bool):
        raise ValueError(f"manual_variable_initialization: value is {value!r}; write True or False")
    active().initialises_variables = not value


@documented(
    "ja-1:184 learning_phase()", "ja-2.0:1258 learning_phase()", "ko-2.2:3835 learning_phase()"
)
def learning_phase() -> Placeholder | int:
    """The flag that tells training (1) from testing (0).

    The int that `set_learning_phase` fixed; else a scalar tensor, always the same one until
    `clear_session`, that can be among the inputs of a function and is 0 where it is not. It is
    bool (ja-2.0:1263, ko-2.2:3841), in keras-1 int32 (ja-1:192).
    """
    backend = active()
    if backend.learning_phase is None:
        dtype = "int32" if says("ja-1:192") else "bool"
        default = backend.library.filled((), 0, dtype)
        backend.learning_phase = Placeholder((), dtype, "learning_phase", default)
        backend.learning_phase._uses_learning_phase = True
    phase: Placeholder | int = backend.learning_phase
    return phase


@documented(
    "ja-2.0:1274 set_learning_phase(value)",
    "ko-2.2:3855 set_learning_phase(value)",
)
def set_learning_phase(value: Any) -> None:
    """Fix the learning phase; ValueError unless value is 0 or 1 (ja-2.0:1285, ko-2.2:3867)."""
    if not isinstance(value, int) or value not in (0, 1):
        raise ValueError(
            f"set_learning_phase: value is {value!r}; write 0 for testing or 1 for training"
        )
    active().learning_phase = int(value)
