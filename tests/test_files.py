"""Files are written whole or not at all, and in one way only."""

from __future__ import annotations

import ast
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance
from conformance.files import write_atomically, write_together

PACKAGE = Path(conformance.__file__).parent


@pytest.fixture(params=["without a name", "a name is refused", "with a name"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the system lets a file be written that takes the place of another."""

    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    if request.param == "a name is refused":
        monkeypatch.setattr(os, "link", refused)
    elif request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, done = tmp_path / "results.json", list[str]()
    sync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        done.append("sync")
        sync(descriptor)

    def replaced(self: Path, target: Path) -> Path:
        done.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_atomically(place, b"one")
    tried = ["sync"] if way == "a name is refused" and hasattr(os, "O_TMPFILE") else []
    assert done == [*tried, "sync", "replace"]
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]
    assert place.read_bytes() == b"one"


@pytest.mark.parametrize("failing", ["write", "fsync", "replace"])
def test_the_old_file_stays_if_the_new_one_cannot_be_written(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "results.json"
    write_atomically(place, b"old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    where = {"write": (os, "fdopen"), "fsync": (os, "fsync"), "replace": (Path, "replace")}
    monkeypatch.setattr(*where[failing], full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(place, b"new")
    assert place.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["results.json"]


def test_a_file_system_that_cannot_sync_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(_: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", unsupported)
    write_atomically(tmp_path / "results.json", b"new")
    assert (tmp_path / "results.json").read_bytes() == b"new"


EXCEPTIONS = {
    "adapters/configured.py": "a home for one session",
    "adapters/installation.py": "inside an environment that is not finished",
    "adapters/sandbox/namespaces.py": "files of /proc",
    "adapters/warden.py": "files of /proc",
    "cli/run/cluster.py": "a lock",
    "cli/mutate/code.py": "a temporary folder",
    "cli/run/database.py": "one line that is always the same",
    "mutation/code/scoring.py": "a temporary folder",
    "specs/remembered.py": "a cache: what is broken in it is made anew",
}


def test_no_other_code_writes_files() -> None:
    results = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if "worker" not in path.parts and _writes(ast.parse(path.read_text()))
    }
    assert results == {*EXCEPTIONS, "files.py"}


def _writes(tree: ast.AST) -> bool:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(
        _name(call) in ("write_text", "write_bytes", "mkstemp") or _opens(call) for call in calls
    )


def _opens(call: ast.Call) -> bool:
    modes = [
        a.value
        for a in (*call.args, *(k.value for k in call.keywords))
        if isinstance(a, ast.Constant)
    ]
    return _name(call) in ("open", "fdopen") and any(
        m in ("w", "a", "wb", "ab", "x") for m in modes
    )


def _name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o027, 0o640)])
def test_a_file_has_the_permissions_that_its_user_wants(
    mask: int, mode: int, tmp_path: Path
) -> None:
    before = os.umask(mask)
    try:
        for _ in range(2):  # new, and in the place of another
            write_atomically(tmp_path / "folder" / "results.json", b"{}")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "folder" / "results.json").stat().st_mode) == mode
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == mode | mode >> 2 & 0o111


def pages(*names: str) -> list[tuple[str, bytes]]:
    return [(name, name.encode()) for name in names]


def test_files_that_belong_together_are_all_written_or_none(tmp_path: Path) -> None:
    write_together(((tmp_path / n, b) for n, b in pages("index.html", "a/one.html")), tmp_path)

    def broken() -> Iterator[tuple[Path, bytes]]:
        yield tmp_path / "index.html", b"new"
        yield tmp_path / "b" / "two.html", b"new"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="space"):
        write_together(broken(), tmp_path)
    left = {str(p.relative_to(tmp_path)): p.read_bytes() for p in tmp_path.rglob("*.html")}
    assert left == dict(pages("index.html", "a/one.html"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "index.html"]
