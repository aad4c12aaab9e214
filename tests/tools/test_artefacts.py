"""The files of a release: an archive that is made again byte for byte, and checksums."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
from pathlib import Path

from conformance.vectors.folder import read_index
from tests.vectors.support import small_tasks, write
from tools.artefacts import SUMS, archive
from tools.release import ROOT


def test_a_release_has_the_vectors_and_checksums_of_its_files(tmp_path: Path) -> None:
    vectors, dist = write(tmp_path / "vectors", small_tasks(["softmax"])), tmp_path / "dist"
    (vectors / "left.txt").write_text("left by somebody", "utf-8")
    dist.mkdir()
    (dist / "a.whl").write_bytes(b"a wheel")
    command = [sys.executable, "-m", "tools.artefacts", str(vectors), str(dist)]
    subprocess.run(command, check=True, cwd=ROOT)
    (packed,) = dist.glob("*.tar.gz")
    assert packed.read_bytes() == archive(vectors)
    with tarfile.open(packed) as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert read_index(unpacked) == read_index(vectors)
    files = {f.relative_to(unpacked).as_posix() for f in unpacked.rglob("*") if f.is_file()}
    assert files == {"index.json", *read_index(vectors).files}
    lines = dict(line.split("  ")[::-1] for line in (dist / SUMS).read_text().splitlines())
    assert lines == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in (dist / "a.whl", packed)
    }
