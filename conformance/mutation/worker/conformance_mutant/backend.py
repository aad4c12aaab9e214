"""A module with the functions of another module, and an error in one of them.

CONFORMANCE_MUTATED names the right module, CONFORMANCE_MUTANT the error (JSON with `function`,
`operator` and `given`; empty for none). `conformance_mutate(text)` puts another in its place.
"""

import importlib
import json
import os
import sys
import types
from typing import Any, Dict

from .arguments import named_like
from .operators import OPERATORS, Void

MODULE, MUTANT = "CONFORMANCE_MUTATED", "CONFORMANCE_MUTANT"


class Mutated(types.ModuleType):
    """The right module, except for the functions that a mutant replaces."""

    def __init__(self, right: Any) -> None:
        super(Mutated, self).__init__(right.__name__)
        self.__dict__["_right"] = right
        self.__dict__["_wrong"] = {}

    def __getattr__(self, name: str) -> Any:
        wrong: Dict[str, Any] = self.__dict__["_wrong"]
        return wrong[name] if name in wrong else getattr(self.__dict__["_right"], name)

    def conformance_mutate(self, text: str) -> str:
        """Make the mutant that `text` describes; why there is none where it cannot be made."""
        self._wrong.clear()
        if not text:
            return ""
        mutant = json.loads(text)
        name, right = mutant["function"], self._right
        try:
            make = OPERATORS[mutant["operator"]]
            functions = make(right, name, **mutant["given"])
        except (Void, AttributeError) as error:
            return str(error) or type(error).__name__
        for changed, wrong in functions.items():
            self._wrong[changed] = named_like(wrong, getattr(right, changed))
        return ""


_right = importlib.import_module(os.environ[MODULE])
sys.modules[__name__] = Mutated(_right)
sys.modules[__name__].conformance_mutate(os.environ.get(MUTANT, ""))
