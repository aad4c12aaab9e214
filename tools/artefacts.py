"""Pack a folder of vectors for a release, and write the checksums of all its files.

    python -m tools.artefacts VECTORS DIST

DIST has the wheel and the source distribution of `nox -s package`. The archive has the same bytes
for the same vectors. `sha256sum --check SHA256SUMS` in DIST verifies the files.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import click

from conformance.vectors.folder import INDEX, read_index

SUMS = "SHA256SUMS"


def archive(vectors: Path) -> bytes:
    """A compressed archive of the files that the index lists, without times and owners."""
    index = read_index(vectors)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in (INDEX, *sorted(index.files)):
            content = (vectors / name).read_bytes()
            entry = tarfile.TarInfo(f"vectors-{index.suite_version}/{name}")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


def checksums(folder: Path) -> Iterator[str]:
    """A line for each file of a release, as `sha256sum` prints it."""
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.name != SUMS:
            yield f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"


@click.command(help=__doc__)
@click.argument("vectors", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("dist", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(vectors: Path, dist: Path) -> None:
    """Write the archive and the checksums into `dist`."""
    name = f"keras_backend_conformance-vectors-{read_index(vectors).suite_version}.tar.gz"
    (dist / name).write_bytes(archive(vectors))
    (dist / SUMS).write_text("".join(checksums(dist)), "utf-8")
    click.echo(f"{dist / name}\n{dist / SUMS}")


if __name__ == "__main__":
    main()
