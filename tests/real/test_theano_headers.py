"""The compiled header of Theano's generated code is one that g++ takes."""

from __future__ import annotations

import subprocess

import pytest

from conformance.adapters.access import open_session
from conformance.adapters.environments import interpreter, launch_environment
from conformance.adapters.registry import shipped
from tests.real.conftest import require

# the command is Theano's own but for two flags: names of headers read, and why one is not taken
COMPILE = """
import subprocess, tempfile, pathlib
from theano.gof import cmodule
run = cmodule.output_subprocess_Popen
def shown(command, **options):
    out, err, status = run(command[:1] + ["-H", "-Winvalid-pch"] + command[1:], **options)
    print(err.decode())
    return out, err, status
cmodule.output_subprocess_Popen = shown
folder = tempfile.mkdtemp()
arguments = ["-O3", "-fno-math-errno", "-Wno-unused-label"] + cmodule.GCC_compiler.compile_args()
cmodule.GCC_compiler.compile_str("m", "#include <Python.h>", folder, preargs=arguments,
                                 py_module=False)
"""


@pytest.mark.parametrize("target", [n for n, t in shipped().items() if t.library == "theano"])
def test_the_compiled_header_is_used(target: str) -> None:
    require(target)
    theano = shipped()[target]
    with open_session(theano) as session:
        assert "theano" in session.identity.versions
    command = [str(interpreter(theano)), "-c", COMPILE]
    environment = launch_environment(theano, sandboxed=True)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    read = [line for line in done.stdout.splitlines() if line.endswith(".gch") or ".gch/" in line]
    assert read[-1].startswith("! "), done.stdout[-2000:]
    assert "error" not in done.stdout
