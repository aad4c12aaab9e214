"""The graphs of several draws as one, for what holds numbers is built for every draw."""

from typing import Any, Dict, List, Sequence

from .structures import BoundProgram

Feed = Dict[str, Any]


class Joined(object):
    """The built programs of several draws, as an `Evaluator` wants one: `names` and `tensors`.

    To compile and run one function costs a library far less than one for each draw.
    """

    def __init__(self, structures: Sequence[BoundProgram]) -> None:
        self._structures = structures
        self.names = joined_names([structure.names for structure in structures])

    def tensors(self) -> List[Any]:
        """The items of all draws that are not evaluated yet."""
        return [part for structure in self._structures for part in structure.tensors()]

    def split(self, results: Sequence[Any]) -> List[List[Any]]:
        """The results of `tensors`, those of each draw by themselves."""
        left, parts = list(results), []
        for structure in self._structures:
            count = len(structure.tensors())
            parts.append(left[:count])
            left = left[count:]
        return parts


def joined_names(parts: Sequence[Feed]) -> Feed:
    """The values of all draws, each under a name for the draw and its own name."""
    return {
        joined_name(draw, name): v for draw, part in enumerate(parts) for name, v in part.items()
    }


def joined_name(draw: int, name: str) -> str:
    """The name in a `Joined` of what one draw calls `name`."""
    return "{}:{}".format(draw, name)
