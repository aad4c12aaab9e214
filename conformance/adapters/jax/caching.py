"""Run by a worker before it imports its module: have JAX compile less, and the same.

JAX compiles every operation for every shape, in 20 ms or more, and a run meets thousands of shapes.
Its persistent cache keeps the machine code in files. The names of the files are digests of the
program, of the options and of the release of jaxlib. A file therefore holds the code that JAX
would compile, and no result changes. Here that cache gets:

* a folder, in CONFORMANCE_JAX_CACHE, that belongs to one target: who writes there runs code here.
  In it each kind of processor has a folder of its own, because machine code may use instructions
  that another processor lacks;
* whole files: a file gets its name when it is complete, so workers may write at the same time and
  may be killed. JAX ignores a file that it cannot read, and compiles;
* a limit: a worker that starts removes what was not used for longest.

Most of the remaining time goes into the MLIR context that JAX makes for each program that it
writes. A worker uses each context for many programs. The programs are the same: their digests find
the files of a worker that does without.

CPython 3.11 and later, as JAX.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import platform
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

MOST_BYTES = 2**29
"""How much a folder may hold when a worker starts."""
LEFT = 0.75
"""The share of it that remains when files are removed; a smaller share makes removals rarer."""
PROGRAMS = 100
"""How many programs share a context, which keeps their constants in memory."""
_OF_A_PROCESSOR = ("model name", "flags", "CPU part", "Features")
"""Fields of /proc/cpuinfo that say what code it runs; the last two are those of ARM."""


def processor() -> str:
    """A name for the kind of processor of this machine."""
    facts = {platform.machine(), platform.processor()}
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        facts |= {line for line in lines if line.partition(":")[0].strip() in _OF_A_PROCESSOR}
    return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()[:16]


def clean(folder: Path, most: int) -> None:
    """Remove the files that were not used for longest, if all take more than `most` bytes."""
    files = []
    for place, _, names in os.walk(folder):
        for path in (Path(place, name) for name in names):
            with contextlib.suppress(OSError):  # another worker has removed it
                status = path.lstat()
                files.append((status.st_mtime, status.st_blocks * 512, path))
    size = sum(taken for _, taken, _ in files)
    if size <= most:
        return
    for _, taken, path in sorted(files):
        if size <= LEFT * most:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        size -= taken


class Files:
    """JAX's cache as files in a folder; its two methods are those that JAX calls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> bytes | None:
        """The value of a key; None if there is none, or none that can be read."""
        path = self._folder / key
        try:
            content = path.read_bytes()
            os.utime(path)  # `clean` goes by it
        except OSError:
            return None
        return content

    def put(self, key: str, value: bytes) -> None:
        """Keep a value, whole or not at all."""
        partial = None
        try:
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                partial = Path(file.name)
                file.write(value)
            partial.replace(self._folder / key)
        except OSError:
            if partial is not None:
                partial.unlink(missing_ok=True)


def use(folder: Path) -> None:
    """Have JAX keep in a folder whatever it compiles."""
    jax: Any = import_module("jax")  # which the suite's own interpreter lacks
    compilation_cache: Any = import_module("jax._src.compilation_cache")

    def files(path: str) -> tuple[Files, str]:
        return Files(Path(path)), path

    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    compilation_cache.get_file_cache = files


def share_contexts() -> None:
    """Have JAX use an MLIR context for many programs."""
    mlir: Any = import_module("jax._src.interpreters.mlir")
    make = mlir.make_ir_context
    numbers = itertools.count()
    context = None

    def shared() -> Any:
        nonlocal context
        if next(numbers) % PROGRAMS == 0:
            context = make()
        return context

    mlir.make_ir_context = shared


def main() -> None:
    """Use the folder that the environment names, unless it cannot be written; share contexts."""
    whole = Path(os.environ["CONFORMANCE_JAX_CACHE"])
    own = whole / processor()
    with contextlib.suppress(OSError):
        own.mkdir(parents=True, exist_ok=True)
        clean(whole, MOST_BYTES)
        use(own)
    share_contexts()


if __name__ == "<run_path>":
    main()
