"""A processor without AVX-512 and AVX2, as far as NumPy is concerned.

NumPy holds its loops in several versions and takes, when it is imported, the one for the newest
instructions that the processor has, unless NPY_DISABLE_CPU_FEATURES names these. The names differ
between releases of NumPy (AVX512F and AVX2, or X86_V4 and X86_V3), and a name that the processor
lacks gives a warning. So the names are asked of the NumPy at hand, and a command runs without them:

    python -m tests.processors pytest tests/oracle

OpenBLAS, which chooses for itself, is told to take its kernels for a processor of 2008, the oldest
whose products of narrow matrices do not end NumPy 2.5.5 with a segmentation fault. On a processor
that has none of the instructions nothing is switched off.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
OPENBLAS = {"OPENBLAS_CORETYPE": "Nehalem"}
NEWER_THAN_AVX = ("AVX2", "FMA3", "X86_V3", "X86_V4", "AVX512")
"""How the names of AVX2, of what came with it and of what came later begin."""


def newer_than_avx() -> list[str]:
    """The instruction sets beyond AVX for which this NumPy has loops and takes them here."""
    core = _core()
    taken = [name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name)]
    return [name for name in taken if name.startswith(NEWER_THAN_AVX)]


def _core() -> Any:
    try:
        return importlib.import_module("numpy._core._multiarray_umath")
    except ImportError:  # NumPy 1
        return importlib.import_module("numpy.core._multiarray_umath")


def main(command: list[str]) -> None:
    """Put a command in the place of this process, on an older processor."""
    names = newer_than_avx()
    print(
        "NumPy goes without", " ".join(names) or "nothing: this processor has no AVX2", flush=True
    )
    os.execvpe(command[0], command, {**os.environ, **OPENBLAS, VARIABLE: " ".join(names)})


if __name__ == "__main__":
    main(sys.argv[1:])
