"""Run by a worker before it imports its module: compile the headers of Theano's code once.

`gcc.cxxflags` of THEANO_FLAGS includes `conformance_theano.h`, and g++ searches the folders of
CPLUS_INCLUDE_PATH for it: the first is the target's own, where this puts the compiled form, and the
last has the text. If compiling fails, g++ reads the text, which is slower but as correct. CPython
3.6 and later.
"""

import hashlib
import os
import shutil
import subprocess

from theano.gof.cmodule import GCC_compiler, std_include_dirs  # type: ignore[import-not-found]

HEADER = "conformance_theano.h"
ALWAYS = ["-g", "-O3", "-fno-math-errno", "-fvisibility=hidden"]
"""Flags that Theano adds itself. g++ uses a compiled header only with the flags that it was
compiled with."""


def main() -> None:
    """Compile the header, unless it was compiled with this compiler and these flags before."""
    folders = os.environ["CPLUS_INCLUDE_PATH"].split(os.pathsep)
    made = os.path.join(folders[0], HEADER + ".gch")
    given = [flag for flag in GCC_compiler.compile_args() if flag not in ("-include", HEADER)]
    includes = ["-I" + folder for folder in std_include_dirs()]
    source = os.path.join(folders[-1], HEADER)
    command = ["g++", *ALWAYS, *given, *includes, "-x", "c++-header", source]
    version = subprocess.check_output(["g++", "--version"])
    with open(source, "rb") as file:
        made_of = repr(command).encode() + version + file.read()
    name = hashlib.sha256(made_of).hexdigest()[:16]
    if not os.path.exists(os.path.join(made, name)):
        _compile(command, made, name)


def _compile(command: "list[str]", made: str, name: str) -> None:
    """Run `command`, and put what it compiles into the folder `made` instead of what is there."""
    partial = "{}.{}".format(made, os.getpid())
    os.makedirs(partial)
    if subprocess.call([*command, "-o", os.path.join(partial, name)]) == 0:
        shutil.rmtree(made, ignore_errors=True)
        try:
            os.rename(partial, made)
        except OSError:  # another worker was faster
            pass
    shutil.rmtree(partial, ignore_errors=True)


main()
