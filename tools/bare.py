"""Run commands as on a machine that has Python and little else.

    python3 tools/bare.py                        # the README's two commands, in a clone of HEAD
    python3 tools/bare.py --narrow               # on a terminal of 40 columns, with LANG=C
    python3 tools/bare.py -- 'COMMAND' 'COMMAND' # others

The commands see an empty environment, a fresh HOME, and a PATH that holds what a minimal image of
Python has: no pyenv, no compiler, no browser, no uv. Root on Linux hides the shared libraries of
Open MPI as well. The program needs nothing but Python and git, and runs before any installation.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = (
    "awk basename bash cat chmod cp cut date dirname echo env expr false find getconf grep "
    "gzip head id ln ls mkdir mktemp mv nice nohup od printf pwd readlink realpath rm rmdir "
    "sed seq sh sleep sort stat tail tar tee test timeout touch tr true uname uniq wc "
    "xargs"
)
"""The programs beside Python that the commands may run: the essential ones of Debian."""
NETWORK = re.compile(r"(PIP|UV)_\w+|\w*_?(CA_BUNDLE|CERT_FILE|CERT_DIR)|\w+_proxy", re.IGNORECASE)
"""The variables that stay: how this machine reaches a package index."""
HIDDEN = ("libmpi.so*", "libmpi_cxx.so*")
LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/lib/*-linux-gnu*")
COLUMNS, LINES = 40, 24


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status of the first command that fails, or 0."""
    options = _parser().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bare-") as name:
        folder = Path(name)
        clone = _clone(folder / "clone")
        variables = environment(folder, narrow=options.narrow)
        for command in options.commands or readme_commands(clone / "README.md"):
            print(f"$ {command}", flush=True)
            words = [*_hiding(), "bash", "-euc", command]
            run = on_a_terminal if options.narrow else _plainly
            if status := run(words, clone, variables):
                print(f"The command ended with status {status}: {command}", file=sys.stderr)
                return status
    return 0


def readme_commands(page: Path) -> list[str]:
    """The README's two commands: those that make the environment `.venv`."""
    lines = page.read_text("utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python3 -m venv .venv")]
    if len(commands) != 2:
        sys.exit(f"{page}: expected two lines that begin with 'python3 -m venv .venv'")
    return commands


def _parser() -> argparse.ArgumentParser:
    about, _, examples = (__doc__ or "").partition("\n")
    shape = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=about, epilog=examples, formatter_class=shape)
    parser.add_argument("--narrow", action="store_true", help="a terminal of 40 columns, LANG=C")
    parser.add_argument("commands", nargs="*", help="shell commands (default: the README's two)")
    return parser


def _clone(folder: Path) -> Path:
    """A clone of the committed files, as a newcomer gets it."""
    subprocess.run([_which("git"), "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def environment(folder: Path, *, narrow: bool) -> dict[str, str]:
    """The variables of the commands; makes the folder of programs and the home in `folder`."""
    programs, home = folder / "bin", folder / "home"
    programs.mkdir()
    home.mkdir()
    for name in PROGRAMS.split():
        if place := shutil.which(name):
            (programs / name).symlink_to(place)
    # a link would make its folder the home of each environment, and that folder goes
    _write(programs / "python3", f'exec {shlex.quote(_python())} "$@"')
    _write(programs / "ldconfig", "/sbin/ldconfig \"$@\" | grep -v 'libmpi' || true")
    network = {name: value for name, value in os.environ.items() if NETWORK.fullmatch(name)}
    terminal = {"LANG": "C", "TERM": "xterm-256color"} if narrow else {}
    return {**network, "HOME": str(home), "PATH": str(programs), **terminal}


def _python() -> str:
    """The interpreter itself: no environment, and no shim that needs pyenv's settings."""
    return os.path.realpath(Path(sys.base_prefix, "bin", "python3"))


def _write(place: Path, line: str) -> None:
    place.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
    place.chmod(0o755)


def _hiding() -> list[str]:
    """The start of a command line that hides the libraries, where that is possible."""
    files = [str(file) for file in _libraries() if file.is_file() and not file.is_symlink()]
    if not files:
        return []
    unshare = shutil.which("unshare")
    if unshare is None or os.geteuid() != 0:
        print("Open MPI stays visible: only root can hide it (unshare -m)", file=sys.stderr)
        return []
    mounts = " && ".join(f"{_which('mount')} --bind /dev/null {shlex.quote(f)}" for f in files)
    return [unshare, "-m", "/bin/sh", "-c", f'{mounts} && exec "$@"', "sh"]


def _which(program: str) -> str:
    return shutil.which(program) or f"/bin/{program}"


def _libraries() -> Iterator[Path]:
    for folder in LIBRARIES:
        for pattern in HIDDEN:
            yield from Path("/").glob(f"{folder.lstrip('/')}/{pattern}")


def _plainly(words: Sequence[str], folder: Path, environment: dict[str, str]) -> int:
    return subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, check=False
    ).returncode


def on_a_terminal(words: Sequence[str], folder: Path, environment: dict[str, str]) -> int:
    """Run the command with a narrow terminal for its input, output and errors."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(words[0], list(words), environment)  # noqa: S606 - it replaces the fork
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    while piece := _read(terminal):
        os.write(sys.stdout.fileno(), piece)
    _, status = os.waitpid(process, 0)
    return os.waitstatus_to_exitcode(status)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 2**16)
    except OSError:  # the other end is closed
        return b""


if __name__ == "__main__":
    sys.exit(main())
