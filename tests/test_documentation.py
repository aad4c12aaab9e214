"""The maps of the project lead somewhere: every path, and every name in a file, exists.

So do the paths of modules in the other pages.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.results.kinds import FindingKind

ROOT = Path(__file__).parents[1]
ROOTS = (ROOT, ROOT / "conformance", ROOT / "conformance" / "specs")
"""What paths may be seen from."""
PAGES = (ROOT / "docs" / "maps.md", ROOT / "ARCHITECTURE.md")
OTHERS = sorted({*(ROOT / "docs").glob("*.md"), *ROOT.glob("*.md")} - {*PAGES})
KERAS = {"tests/keras/backend/backend_test.py"}
"""Files of Keras's own."""
PLACE = re.compile(r"(?P<path>[\w.-]*(?:/[\w.*-]+)*/?)(?::(?P<name>\w+))?")
SUFFIXES = {".json", ".md", ".py", ".toml", ".yaml", ".yml"}
IN_TEXT = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
ELSEWHERE = {"conformance.toml", "pyproject.toml"}
"""Files of users."""


def places(text: str) -> Iterator[tuple[str, str | None]]:
    """The paths in backticks, each with the name that stands after its colon."""
    for quoted in IN_TEXT.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
        place = PLACE.fullmatch(quoted)
        if place and ("/" in place["path"] or Path(place["path"]).suffix in SUFFIXES):
            yield place["path"], place["name"]


def there(path: str) -> list[Path]:
    """What a path stands for; words in capitals stand for any."""
    pattern = re.sub(r"\b[A-Z]{3,}\b", "*", path).strip("/")
    files = [file for root in ROOTS for file in root.glob(pattern)]
    return files or ([] if "/" in path else list((ROOT / "conformance").rglob(pattern)))


def missing(text: str) -> Iterator[str]:
    """The places that do not exist."""
    for path, name in places(text):
        files = there(path)
        defined = rf"^\s*(?:def|class)\s+{name}\b|^{name}\b"
        named = [f for f in files if f.is_file() and re.search(defined, f.read_text(), re.M)]
        if path not in ELSEWHERE and not (named if name else files):
            yield f"{path}:{name}" if name else path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_exists(page: Path) -> None:
    assert list(missing(page.read_text(encoding="utf-8"))) == []


def missing_modules(text: str) -> Iterator[str]:
    """The modules that do not exist, though the folder does that their paths begin with."""
    for path, _ in places(text):
        first, _, rest = path.partition("/")
        inside = bool(first and rest) and any((root / first).is_dir() for root in ROOTS)
        if inside and path.endswith(".py") and path not in KERAS and not there(path):
            yield path


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.name)
def test_every_module_of_the_other_pages_exists(page: Path) -> None:
    assert list(missing_modules(page.read_text(encoding="utf-8"))) == []


def test_a_module_that_does_not_exist_is_seen() -> None:
    text = "`engine/profiles.py` `engine/planning/profiles.py` `build/a.py` `tests/no.py:x`"
    assert list(missing_modules(text)) == ["engine/profiles.py", "tests/no.py"]


def test_the_map_of_verdicts_has_every_kind() -> None:
    rows = PAGES[0].read_text(encoding="utf-8").partition("| aspect | kind |")[2]
    assert [str(kind) for kind in FindingKind if f"`{kind}`" not in rows] == []


def test_a_path_that_does_not_exist_is_seen() -> None:
    text = "`cli/exec.py` `cli/ran.py` `cli/exec.py:execute` `cli/exec.py:ended` `specs/THEME.yaml`"
    assert list(missing(text)) == ["cli/ran.py", "cli/exec.py:ended"]


def layered() -> list[set[str]]:
    """The layers of the package, as the import contract has them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    return [
        {name.strip().removeprefix("conformance.") for name in row.split("|")} for row in layers
    ]


def test_the_table_of_packages_has_each_package_in_the_order_of_the_layers() -> None:
    table = PAGES[1].read_text("utf-8").partition("| package |")[2].partition("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", row.split("|")[1]) for row in table.splitlines()[2:]]
    names = [name for row in rows for name in row]
    packages = {p.stem for p in (ROOT / "conformance").iterdir() if p.name[0] not in "_."}
    assert sorted(names) == sorted(packages - {"py"})
    levels = {name: level for level, layer in enumerate(layered()) for name in layer}
    order = [levels[name] for name in names if name in levels]
    assert order == sorted(order)
