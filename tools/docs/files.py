"""Which files of the repository the documentation site has, and under which names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
MATRIX = ROOT / "build" / "matrix"
"""Where `nox -s docs` makes the site of `reports/`."""

FILES: Mapping[str, str] = {
    "ARCHITECTURE.md": "ARCHITECTURE.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "pictures/matrix.svg": "reports/pictures/matrix.svg",
}
"""Files outside of `docs/`: their paths on the site, and in the repository."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A whole folder that the site has, too, as far as it is there."""

    path: str
    """On the site."""
    place: str
    """Its path in links of the repository."""
    files: Path

    def on_site(self, place: str) -> str | None:
        """The path of a file of it on the site; None if it is none, or was not made."""
        if not PurePosixPath(place).is_relative_to(self.place):
            return None
        name = PurePosixPath(place).relative_to(self.place)
        return f"{self.path}/{name}" if (self.files / name).is_file() else None


FOLDERS = (
    Folder("matrix", "build/matrix", MATRIX),
    *(
        Folder("schema", f"conformance/{room}/schema", ROOT / "conformance" / room / "schema")
        for room in ("results", "reporting", "mutation", "specs")
    ),
)

INSTEAD: Mapping[str, str] = {"reports/matrix.md": "build/matrix/index.html"}
"""Files to which links lead in the repository, and those that the site has in their place."""


def extra_files() -> Iterator[tuple[str, Path]]:
    """Each file that is not in `docs/`: its path on the site, and where it lies."""
    for path, place in FILES.items():
        yield path, ROOT / place
    for folder in FOLDERS:
        for file in sorted(f for f in folder.files.rglob("*") if f.is_file()):
            yield f"{folder.path}/{file.relative_to(folder.files).as_posix()}", file


def place_of(path: str) -> str:
    """The path in the repository of a page of the site."""
    return FILES.get(path, f"docs/{path}")


def on_site(place: str) -> str | None:
    """The path on the site of a file of the repository; None if the site has none of it."""
    if place.startswith("docs/") and (ROOT / place).is_file():
        return place.removeprefix("docs/")
    named = {there: path for path, there in FILES.items()}
    inside = (folder.on_site(INSTEAD.get(place, place)) for folder in FOLDERS)
    return named.get(place) or next((path for path in inside if path), None)
