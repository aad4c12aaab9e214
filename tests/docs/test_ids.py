"""Ids of failures in the pages and help texts are those of failures that the reader has, too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from conformance.cli import main
from tests.docs.published import FUZZ, OPS, REPORTS, ROOT, results
from tools.docs.commands import every

PAGES = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "docs").rglob("*.md"))
REPLAYED = re.compile(r"conformance replay((?: [0-9a-f]{4,12})+)(.*)")
IDENTITY = re.compile(r"\b[0-9a-f]{12}\b")
SHOWN = {
    "docs/ci.md": {"340794f6f291", "6afede15fa55"},
    "docs/expectations.md": {"2baa5b4294ba", "340794f6f291", "5b6baa2093b1", "9d65a8e98562"},
    "docs/keras3-ci.md": {"3faf8df50aa7", "a3c4b7ee15f5"},
    "docs/pytest.md": {"340794f6f291"},
    "docs/tutorial.md": {"84918a8ad724", "e419afb40675"},
    "docs/vectors.md": {"d249c54ae34c"},
}
"""Ids of other runs than the published ones, which these pages show: of the profile smoke, and of
backends with faults that the pages plant; and the id of a vector."""


@cache
def published(target: str | None = None, *, folder: Path = REPORTS) -> frozenset[str]:
    """The ids in a folder of results, or those of one target there."""
    return frozenset(
        failure.id
        for name, result in results(folder).items()
        for function in result.functions
        for aspect in function.aspects
        for failure in aspect.failures
        if target in {None, name}
    )


@cache
def texts() -> dict[str, str]:
    """The pages, and the help of each command."""
    pages = {place: (ROOT / place).read_text("utf-8") for place in [*PAGES, "README.md"]}
    return pages | {f"{command.name} --help": command.help or "" for command in every(main)}


def replayed(text: str) -> Iterator[tuple[str, str]]:
    """The ids that a text says to replay from the published results, each with what follows."""
    for ids, more in REPLAYED.findall(text):
        if "--results" not in more:
            yield from ((begin, more) for begin in ids.split())


def test_what_is_replayed_is_one_failure_of_the_published_results() -> None:
    for place, text in texts().items():
        for begins, more in replayed(text):
            target = re.search(r"(?:--target|exec) (\S+)", more)
            known = published(target[1] if target else None)
            matches = [identity for identity in known if identity.startswith(begins)]
            assert len(matches) == 1, f"{place}: {begins}{more}"


def test_commands_and_pages_replay_failures() -> None:
    places = {place for place, text in texts().items() if list(replayed(text))}
    assert {"main --help", "replay --help", "exec --help", "docs/commands.md"} <= places


def test_ids_that_are_to_be_replayed_are_seen_with_what_follows() -> None:
    text = "conformance replay 3575 b3a8819a1c24 --target a\nconformance replay 12ab --results out"
    assert list(replayed(text)) == [("3575", " --target a"), ("b3a8819a1c24", " --target a")]


@pytest.mark.parametrize("place", [*PAGES, "README.md"])
def test_every_id_of_a_page_is_published_or_of_a_run_that_it_shows(place: str) -> None:
    known = published() | published(folder=OPS) | published(folder=FUZZ)
    ids = set(IDENTITY.findall(texts()[place]))
    assert ids - known == SHOWN.get(place, set()) - known
