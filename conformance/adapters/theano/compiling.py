"""Run by a worker before it imports its module: let Theano compile less, and search less.

`gcc.cxxflags` of THEANO_FLAGS includes `conformance_theano.h`, and g++ searches the folders of
CPLUS_INCLUDE_PATH for it. The first is the target's own, where this puts the compiled form. The
last has the text. If compiling fails, g++ reads the text, which is slower but as correct.

GNU gold links a module in half the time of GNU ld, where it is installed.

Theano keeps what it has compiled in a folder, and opens every file of that folder again before it
compiles anything, because other processes may have added some. A worker has its own folder, and
each process reads it once; a fork reads only files that its parent has not read.
CPython 3.6 and later.
"""

import hashlib
import os
import shutil
import subprocess
from typing import Any

from theano import config  # type: ignore[import-not-found]
from theano.gof.cc import get_module_cache  # type: ignore[import-not-found]
from theano.gof.cmodule import (  # type: ignore[import-not-found]
    GCC_compiler,
    ModuleCache,
    std_include_dirs,
)

HEADER = "conformance_theano.h"
ALWAYS = ["-g", "-O3", "-fno-math-errno", "-fvisibility=hidden"]
"""Flags that Theano adds itself. g++ uses a compiled header only with the flags that it was
compiled with."""


def link_with_gold() -> None:
    """Have g++ link by GNU gold, if that is installed."""
    if shutil.which("ld.gold"):
        config.gcc.cxxflags += " -fuse-ld=gold"


def compile_header() -> None:
    """Compile the header, unless it was compiled with this compiler and these flags before."""
    folders = os.environ["CPLUS_INCLUDE_PATH"].split(os.pathsep)
    compiled = os.path.join(folders[0], HEADER + ".gch")
    flags = [flag for flag in GCC_compiler.compile_args() if flag not in ("-include", HEADER)]
    includes = ["-I" + folder for folder in std_include_dirs()]
    source = os.path.join(folders[-1], HEADER)
    command = ["g++", *ALWAYS, *flags, *includes, "-x", "c++-header", source]
    version = subprocess.check_output(["g++", "--version"])
    with open(source, "rb") as file:
        made_of = repr(command).encode() + version + file.read()
    name = hashlib.sha256(made_of).hexdigest()[:16]
    if not os.path.exists(os.path.join(compiled, name)):
        _compile(command, compiled, name)


def _compile(command: "list[str]", folder: str, name: str) -> None:
    """Run `command`, and replace the content of `folder` by its output."""
    partial = "{}.{}".format(folder, os.getpid())
    os.makedirs(partial)
    if subprocess.call([*command, "-o", os.path.join(partial, name)]) == 0:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            os.rename(partial, folder)
        except OSError:  # another worker was faster
            pass
    shutil.rmtree(partial, ignore_errors=True)


def read_folder_once() -> None:
    """Have each process read the folder of compiled code when it first compiles, and not again."""
    refresh = ModuleCache.refresh
    readers = [0]

    def once(cache: Any, *arguments: Any, **options: Any) -> Any:
        if readers == [os.getpid()] and not options.get("cleanup", True):
            return []
        readers[:] = [os.getpid()]
        return refresh(cache, *arguments, **options)

    ModuleCache.refresh = once


link_with_gold()
compile_header()
read_folder_once()
get_module_cache()  # reads the folder: in a zygote once for all of its forks
