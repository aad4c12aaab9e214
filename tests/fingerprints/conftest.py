"""What is remembered of the sources is forgotten: tests change them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.fingerprints import definitions, functions

Change = Callable[[str, str, str], None]


def forget() -> None:
    """Empty the caches of the package, but for those of single modules' definitions."""
    for name, module in list(sys.modules.items()):
        if name.startswith("conformance.fingerprints.") and module is not definitions:
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear") and value.__module__ == name:
                    value.cache_clear()


@pytest.fixture
def change(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Change]:
    """Replaces a text in a module's source, as fingerprints see it, or adds one at its end.

    The code itself stays as it is.
    """
    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path / "cache"))
    read, changes = functions.sources, dict[str, list[tuple[str, str]]]()

    def changed(*packages: str) -> dict[str, str]:
        texts = read(*packages)
        for module, pairs in changes.items():
            for before, after in pairs:
                if module in texts:
                    text = texts[module]
                    texts[module] = text.replace(before, after, 1) if before else text + after
        return texts

    def add(module: str, before: str, after: str) -> None:
        name = module.split(".")[1]
        assert before in read(name)[module], f"{before!r} is not in {module}"
        changes.setdefault(module, []).append((before, after))
        forget()

    monkeypatch.setattr(functions, "sources", changed)
    monkeypatch.setattr("conformance.fingerprints.targets.sources", changed)
    forget()
    yield add
    forget()
