"""Standalone scripts: a failure as Python that runs without this suite.

A maintainer pastes a script into an issue, and runs it again after the repair. A script has four
parts, and each has a module:

1. The *header* (`printing`) says what is wrong, and for which interpreter and libraries.
2. The *inputs* (`literals`, `reaching`) are arrays, bit for bit, and the tensors made of them.
3. The *calls* (`printing`) are the steps of the program, and the reading of the result.
4. The *comparison* (`endings`, `answers`) asserts what is right: value, shape and dtype.

A script ends with status 0 only for a right answer. An exception or a failed assertion ends it with
status 1, except that some scripts also accept an exception of the call, and say this. Nothing else
stands in it, unless the fault needs it: a process that dies is watched by another one, and a fault
of the configuration gets a home folder.

A `Prelude` knows how a script reaches its target: imports, environment, and the shortest words for
making a tensor and reading it.
"""

from conformance.scripts.prelude import CONVERTER, HELPERS, Home, Prelude
from conformance.scripts.printing import comparing_script

__all__ = ["CONVERTER", "HELPERS", "Home", "Prelude", "comparing_script"]
