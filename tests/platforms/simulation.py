"""Make a Python process on Linux one of another system: take away what that system lacks.

`code` is what `python -c` executes first. Every Python that the process starts begins in the same
way: the warden of a worker, the worker, a script. A `System` says what is taken away.
"""

from __future__ import annotations

import builtins
import json
import os
import subprocess
import sys
import sysconfig
import types
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

Refuses = Callable[..., Any]

_TAKE_A_VALUE = ("-X", "-W")
_LOOK_AT_PATHS = ("stat", "lstat", "readlink", "access", "listdir", "scandir", "open")


class System(TypedDict):
    """What `sys.platform` is, the names that modules lack, and the modules that are not there."""

    platform: str
    names: Mapping[str, Sequence[str]]
    modules: Sequence[str]
    starts: bool
    """Whether a program may be started: on Windows, none of those of this suite."""


def code(place: Path) -> str:
    """Python source that makes its process one of the system that `place` describes in JSON."""
    return f"""
import sys, types
simulation = sys.modules["simulation"] = types.ModuleType("simulation")  # a TypedDict looks for it
simulation.__file__ = {__file__!r}
exec(compile(open({__file__!r}).read(), {__file__!r}, "exec"), vars(simulation))
simulation.begin({str(place)!r})
"""


def begin(place: str) -> None:
    """Make this process one of the system."""
    system: System = json.loads(Path(place).read_text("utf-8"))
    for name in system["modules"]:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in system["names"].items():
        if sys.modules.get(module, sys) is not None:
            _take_away(module, names)
    _hide_proc()
    if system["starts"]:
        _start_alike(place)
    else:
        subprocess.Popen = _refused  # type: ignore[assignment, misc]
    if "resource" not in system["modules"]:
        _count_bytes()
    sysconfig.get_config_vars()  # whose file has the system in its name
    sys.platform = system["platform"]
    if system["platform"] == "win32":  # which has locks of its own
        sys.modules["msvcrt"] = types.ModuleType("msvcrt")
        vars(sys.modules["msvcrt"]).update(LK_NBLCK=2, locking=lambda *_: None)
    # what urllib asks macOS for
    sys.modules["_scproxy"] = types.ModuleType("_scproxy")
    vars(sys.modules["_scproxy"]).update(_get_proxies=dict, _get_proxy_settings=dict)


def _take_away(module: str, names: Sequence[str]) -> None:
    attributes = vars(__import__(module))
    for name in names:
        attributes.pop(name, None)
    if "O_TMPFILE" in names and "tempfile" in sys.modules:
        vars(sys.modules["tempfile"])["_O_TMPFILE_WORKS"] = False


def _hide_proc() -> None:
    """No file of /proc is there."""
    for name in _LOOK_AT_PATHS:
        setattr(os, name, _without_proc(getattr(os, name)))
    builtins.open = _without_proc(builtins.open)
    import io  # noqa: PLC0415 - pathlib opens files with it

    io.open = builtins.open


def _without_proc(action: Refuses) -> Refuses:
    def looked_at(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
        if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return action(path, *args, **kwargs)

    return looked_at


def _count_bytes() -> None:
    """Peaks of memory are in bytes, and not in units of 1024."""
    import resource  # noqa: PLC0415 - Windows has none

    usual = resource.getrusage

    def counted(who: int) -> Any:
        fields = list(usual(who))
        fields[2] *= 1024
        return resource.struct_rusage(fields)

    resource.getrusage = counted


def _start_alike(place: str) -> None:
    """Every Python that this process starts, or becomes, is one of the system."""
    usual, execve = subprocess.Popen.__init__, os.execve

    def start(self: Any, args: Any, *others: Any, **kwargs: Any) -> None:
        if isinstance(args, (list, tuple)) and "executable" not in kwargs:
            args = _alike([os.fspath(part) for part in args], place)
        usual(self, args, *others, **kwargs)

    def become(path: Any, args: Any, environment: Any) -> Any:
        return execve(path, _alike(args, place), environment)

    subprocess.Popen.__init__ = start  # type: ignore[method-assign]
    vars(os)["execve"] = become


def _refused(command: Any, *_args: Any, **_kwargs: Any) -> Any:
    raise AssertionError(f"a program was started: {command}")


def _alike(command: list[str], place: str) -> list[str]:
    """The command, with this file executed first if it starts Python."""
    program, *rest = command
    if not Path(program).name.startswith("python"):
        return command
    options: list[str] = []
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-c", "-m"):
            return [
                program,
                *options,
                "-c",
                code(Path(place)) + _source(option, rest[0]),
                *rest[1:],
            ]
        options += [option, *([rest.pop(0)] if option in _TAKE_A_VALUE else [])]
    if not rest:
        return command
    return [program, *options, "-c", code(Path(place)) + _source("", rest[0]), *rest]


def _source(option: str, argument: str) -> str:
    if option == "-c":
        return argument
    if option == "-m":
        run = f"runpy.run_module({argument!r}, run_name='__main__', alter_sys=True)"
        return f"import runpy; {run}\n"
    path = f"sys.path[0] = {str(Path(argument).absolute().parent)!r}"
    run = "runpy.run_path(sys.argv[0], run_name='__main__')"
    return f"import runpy, sys; del sys.argv[0]; {path}; {run}\n"
