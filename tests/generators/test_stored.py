"""The covering arrays that come with the suite are those that would be found."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis.errors import UnsatisfiedAssumption

from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES
from conformance.generators import collect
from conformance.generators.collect import covering_array, kept_structures, key
from conformance.generators.coverage import stored
from conformance.generators.coverage.classes import classes_of
from conformance.generators.drawing import Drawn, Rejected, Replayed, replayed
from conformance.generators.structure import Structure
from tests.generators.support import PAIRS, task

HINT = "run `python -m tools.arrays`, and commit what it writes"
SOME = [*itertools.islice(PAIRS, 5, None, 67)]


def same(mine: list[Drawn[Structure]], its: list[Drawn[Structure]]) -> bool:
    """Whether they are the same calls, made of the same choices, with the same features."""
    return len(mine) == len(its) and all(
        (a.choices, key(a.value), classes_of(a.value), a.value.unsettled)
        == (b.choices, key(b.value), classes_of(b.value), b.value.unsettled)
        for a, b in zip(mine, its, strict=True)
    )


def check(edition: Edition, name: str) -> None:
    mine = task(edition, name)
    given = (mine.spec, edition, None, mine.own_seed)
    assert stored.stored_rows(name, edition, mine.own_seed) is not None, HINT
    assert same(kept_structures(*given), covering_array(*given).kept), HINT


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_stored_arrays_are_of_this_code(edition: Edition) -> None:
    found = stored.decoded((stored.FOLDER / stored.file_name(edition)).read_bytes())
    assert found.code == stored.code(edition), HINT
    assert {*found.arrays} == {name for e, name in PAIRS if e == edition}


@pytest.mark.parametrize(("edition", "name"), SOME)
def test_some_are_what_would_be_found(edition: Edition, name: str) -> None:
    check(edition, name)


@pytest.mark.thorough
@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_each_is_what_would_be_found(edition: Edition, name: str) -> None:
    check(edition, name)


def test_what_is_stored_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(collect, "covering_array")
    mine = task("keras-2.2", "relu")
    assert kept_structures(mine.spec, "keras-2.2", None, mine.own_seed)
    for other in ((3, mine.own_seed), (None, mine.own_seed + 1)):
        with pytest.raises(NameError):
            kept_structures(mine.spec, "keras-2.2", *other)
    with pytest.raises(NameError):
        kept_structures(mine.spec, "keras-2.2", None, mine.own_seed, PROFILES["thorough"].effort)


@pytest.mark.parametrize("content", [b"", b"damaged", None])
def test_without_a_file_of_this_code_nothing_is_stored(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seed = task("keras-2.2", "relu").own_seed
    file = tmp_path / stored.file_name("keras-2.2")
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(stored, "FOLDER", tmp_path)
    stored._stored.cache_clear()
    try:
        assert stored.stored_rows("relu", "keras-2.2", seed) is None
        file.write_bytes(stored.encoded({"relu": stored.StoredArray(seed, ((1, 2),))}, "keras-2.2"))
        stored._stored.cache_clear()
        assert stored.stored_rows("relu", "keras-2.2", seed) == ((1, 2),)
        monkeypatch.setattr(stored, "code", lambda _: "that of another version")
        stored._stored.cache_clear()
        assert stored.stored_rows("relu", "keras-2.2", seed) is None
    finally:
        stored._stored.cache_clear()


def test_choices_that_do_not_fit_make_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = task("keras-2.2", "relu")
    right = kept_structures(mine.spec, "keras-2.2", None, mine.own_seed)
    monkeypatch.setattr(collect, "stored_rows", lambda *_: ((99_999,),))
    found = kept_structures(mine.spec, "keras-2.2", None, mine.own_seed)
    assert same(found, right), "they are found anew"


@pytest.mark.parametrize("made_of", [(), (2,), (-1,), (1, 7)])
def test_a_choice_that_is_not_offered_is_refused(made_of: tuple[int, ...]) -> None:
    found = replayed(lambda c: (c.pick(("a", "b")), c.integer(0, 5)), made_of)
    assert isinstance(found, Rejected)


def test_choices_are_made_again_as_they_were() -> None:
    found = replayed(lambda c: (c.pick(("a",)), c.pick(("a", "b")), c.integer(3, 5)), (1, 4))
    assert isinstance(found, Drawn)
    assert found.value == ("a", "b", 4)
    assert Replayed((1,)).pick(("a", "b"), (1,)) == "b"
    with pytest.raises(UnsatisfiedAssumption):
        Replayed((0,)).pick(("a", "b"), (1,))
