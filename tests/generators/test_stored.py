"""The covering arrays that come with the suite are those that would be found."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis.errors import UnsatisfiedAssumption

from conformance.editions import EDITIONS, Edition
from conformance.engine import PROFILES, Profile
from conformance.engine.planning.profiles import SURVEY
from conformance.generators.collect import key
from conformance.generators.coverage import rows, stored
from conformance.generators.coverage.classes import classes_of
from conformance.generators.coverage.rows import covering_array, kept_rows
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
    assert stored.stored_array(name, edition, mine.own_seed) is not None, HINT
    for profile in (PROFILES["default"], PROFILES["smoke"]):
        key = (mine.spec, edition, profile.extents, mine.own_seed)
        draws = [row.draw for row in kept_rows(*key)]
        assert same(draws, covering_array(*key).kept), HINT


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_stored_arrays_are_of_this_code(edition: Edition) -> None:
    array_file = stored.decoded((stored.FOLDER / stored.file_name(edition)).read_bytes())
    assert array_file.code == stored.code(edition), HINT
    assert {*array_file.arrays} == {name for e, name in PAIRS if e == edition}


@pytest.mark.parametrize(("edition", "name"), SOME)
def test_some_are_what_would_be_found(edition: Edition, name: str) -> None:
    check(edition, name)


@pytest.mark.thorough
@pytest.mark.parametrize(("edition", "name"), PAIRS)
def test_each_is_what_would_be_found(edition: Edition, name: str) -> None:
    check(edition, name)


def draws(profile: Profile, seed: int = 0) -> list[Drawn[Structure]]:
    mine = task("keras-2.2", "relu")
    rows = kept_rows(mine.spec, "keras-2.2", profile.extents, mine.own_seed + seed)
    return [row.draw for row in rows]


SMOKE = PROFILES["smoke"]


def test_what_is_stored_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(rows, "_extended")
    assert len(draws(PROFILES["default"])) > len(draws(SMOKE)) > len(draws(SURVEY)) > 0
    assert same(draws(SMOKE)[: len(draws(SURVEY))], draws(SURVEY))
    assert same(draws(PROFILES["default"])[: len(draws(SMOKE))], draws(SMOKE))


@pytest.mark.parametrize(
    ("profile", "seed"),
    [
        (SMOKE, 1),
        (PROFILES["default"], 1),
        (PROFILES["thorough"], 0),
        (replace(SMOKE, structures=6), 0),
        (replace(SMOKE, elements=501), 0),
        (replace(SMOKE, effort=PROFILES["default"].effort), 0),
        (replace(PROFILES["default"], structures=3), 0),
        (replace(PROFILES["default"], elements=500), 0),
    ],
)
def test_what_is_not_stored_is_searched(
    profile: Profile, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(rows, "_extended")
    with pytest.raises(NameError):
        draws(profile, seed)


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
    array = stored.StoredArray(seed, ((1, 2),), ((1,),))
    try:
        assert stored.stored_array("relu", "keras-2.2", seed) is None
        file.write_bytes(stored.encoded({"relu": array}, "keras-2.2"))
        stored._stored.cache_clear()
        assert stored.stored_array("relu", "keras-2.2", seed) == array
        monkeypatch.setattr(stored, "code", lambda _: "that of another version")
        stored._stored.cache_clear()
        assert stored.stored_array("relu", "keras-2.2", seed) is None
    finally:
        stored._stored.cache_clear()


def test_choices_that_do_not_fit_make_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    right = draws(SMOKE)
    wrong = stored.StoredArray(0, (), ((99_999,),))
    monkeypatch.setattr(rows, "stored_array", lambda *_: wrong)
    assert same(draws(SMOKE), right), "they are found anew"


@pytest.mark.parametrize("made_of", [(), (2,), (-1,), (1, 7)])
def test_a_choice_that_is_not_offered_is_refused(made_of: tuple[int, ...]) -> None:
    outcome = replayed(lambda c: (c.pick(("a", "b")), c.integer(0, 5)), made_of)
    assert isinstance(outcome, Rejected)


def test_choices_are_made_again_as_they_were() -> None:
    outcome = replayed(lambda c: (c.pick(("a",)), c.pick(("a", "b")), c.integer(3, 5)), (1, 4))
    assert isinstance(outcome, Drawn)
    assert outcome.value == ("a", "b", 4)
    assert Replayed((1,)).pick(("a", "b"), (1,)) == "b"
    with pytest.raises(UnsatisfiedAssumption):
        Replayed((0,)).pick(("a", "b"), (1,))
