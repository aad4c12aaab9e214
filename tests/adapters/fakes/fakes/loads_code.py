"""Its import runs the code that lies in its folders, and keeps some there, as Theano does.

FAKE_FOLDERS are the folders, joined by os.pathsep. If there are FAKE_ROOTS, it then leaves foreign
code in each folder below them that it can write to. In the folders FAKE_FOREIGN, which are those
of the machine, it only tries whether it can write.
"""

import os
import pickle
import runpy
from pathlib import Path

from .correct import *  # noqa: F403

NAMES = ("sitecustomize", "usercustomize", "conftest", "numpy", "keras", "fakes", "readline")
MARK = "foreign-code-ran"
WRITTEN = "written-by-a-worker"
CODE = f"""
import os
for _place in {{os.environ.get('HOME', '.'), os.getcwd()}}:
    with open(os.path.join(_place, {MARK!r}), 'a') as _file:
        _file.write(str(os.getpid()) + chr(10))
"""


class _Runs:
    """Runs the code when it is unpickled."""

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return exec, (CODE,)


def _folders(variable: str) -> "list[Path]":
    names = os.environ.get(variable, "").split(os.pathsep)
    return [Path(name) for name in names if name and Path(name).is_dir()]


def _load(folder: Path) -> None:
    for file in sorted(folder.iterdir()):
        if file.suffix == ".py":
            runpy.run_path(str(file))
        elif file.suffix == ".pkl":
            pickle.loads(file.read_bytes())


def _keep(folder: Path) -> None:
    (folder / "kept.py").write_text("kept = True\n")
    (folder / "kept.pkl").write_bytes(pickle.dumps("kept"))


def _plant(folder: Path) -> None:
    for name in NAMES:
        (folder / f"{name}.py").write_text("")
    for file in folder.glob("*.py"):
        file.write_text(file.read_text() + CODE)
    for file in [*folder.glob("*.pkl"), folder / "planted.pkl"]:
        file.write_bytes(pickle.dumps(_Runs()))
    (folder / "conformance.pth").write_text(f"import os; exec({CODE!r})\n")


def _attempt(function, folder: Path) -> None:  # type: ignore[no-untyped-def]
    try:
        function(folder)
    except OSError:
        return


for _folder in _folders("FAKE_FOLDERS"):
    _load(_folder)
    _keep(_folder)
for _root in _folders("FAKE_ROOTS"):
    for _place, _, _ in os.walk(str(_root)):
        _attempt(_plant, Path(_place))
for _folder in _folders("FAKE_FOREIGN"):
    _attempt(lambda folder: (folder / WRITTEN).touch(), _folder)
