"""Compiled code of the modules of this suite that only workers import.

A worker in a sandbox cannot write beside its sources. Without this folder each worker would compile
them again, which is a third of the start of the reference.
"""

from __future__ import annotations

import compileall
import os
import sys
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
FOLDERS = ("adapters/worker", "reference", "torch_backend")


@cache
def provide(package: Path = _PACKAGE) -> None:
    """Compile for this version of Python what is not compiled yet, or has changed, as an import
    does; nothing where an import would write nothing."""
    if sys.dont_write_bytecode:
        return
    for folder in FOLDERS:
        if os.access(package / folder, os.W_OK):
            compileall.compile_dir(package / folder, quiet=2)
