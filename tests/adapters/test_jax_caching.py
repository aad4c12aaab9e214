"""The file that workers of Keras 3 on JAX run before the import: a cache of what XLA compiles."""

from __future__ import annotations

import os
import runpy
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters import layout, registry

FILE = Path(registry.__file__).with_name("jax") / "caching.py"
DAY = 86400


@pytest.fixture(scope="module")
def caching() -> dict[str, Any]:
    return runpy.run_path(str(FILE), run_name="caching")


def write(folder: Path, key: str, kib: int, days: int) -> None:
    (folder / key).write_bytes(b"x" * 1024 * kib)
    os.utime(folder / key, (days * DAY, days * DAY))


def test_each_target_on_jax_runs_it_with_a_folder_of_its_own() -> None:
    on_jax = [t for t in registry.shipped().values() if t.environment.get("KERAS_BACKEND") == "jax"]
    assert len(on_jax) == 4
    assert {t.prepare for t in on_jax} == {FILE}
    assert {t.environment["CONFORMANCE_JAX_CACHE"] for t in on_jax} == {"{compiled}"}
    assert len({layout.OwnFolders(t).compiled for t in on_jax}) == 4


def test_what_is_put_is_what_is_read(caching: dict[str, Any], tmp_path: Path) -> None:
    files = caching["Files"](tmp_path)
    assert files.get("a") is None
    files.put("a", b"1")
    files.put("a", b"2")
    assert files.get("a") == b"2"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_reader_sees_whole_files_while_others_write(
    caching: dict[str, Any], tmp_path: Path
) -> None:
    files = caching["Files"](tmp_path)
    contents = [bytes([number]) * 2**18 for number in range(4)]
    seen: list[bytes] = []

    def write(content: bytes) -> None:
        for _ in range(20):
            files.put("a", content)
            seen.append(files.get("a"))

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 80
    assert set(seen) <= set(contents)


@pytest.mark.parametrize("spoil", [Path.mkdir, lambda place: place.symlink_to(place)])
def test_what_cannot_be_read_is_not_there(
    caching: dict[str, Any], tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    files = caching["Files"](tmp_path)
    spoil(tmp_path / "a")
    assert files.get("a") is None


def test_a_folder_that_is_gone_is_no_error(caching: dict[str, Any], tmp_path: Path) -> None:
    files = caching["Files"](tmp_path / "gone")
    files.put("a", b"1")
    assert files.get("a") is None


def test_files_that_were_not_used_for_longest_go_first(
    caching: dict[str, Any], tmp_path: Path
) -> None:
    for number in range(8):
        write(tmp_path, f"f{number}", 64, days=number + 1)
    caching["Files"](tmp_path).get("f0")
    caching["clean"](tmp_path, 8 * 64 * 1024)
    assert len(list(tmp_path.iterdir())) == 8
    caching["clean"](tmp_path, 4 * 64 * 1024)
    assert {path.name for path in tmp_path.iterdir()} == {"f0", "f6", "f7"}


def test_cleaning_follows_no_link(caching: dict[str, Any], tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    write(outside, "other", 64, days=1)
    (inside / "link").symlink_to(outside)
    write(inside, "own", 64, days=2)
    caching["clean"](inside, 0)
    assert list(inside.iterdir()) in ([], [inside / "link"])
    assert (outside / "other").exists()


def test_each_kind_of_processor_has_a_name(
    caching: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = caching["processor"]()
    assert caching["processor"]() == here
    monkeypatch.setattr("platform.machine", lambda: "another")
    assert caching["processor"]() != here
