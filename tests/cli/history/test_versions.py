"""The releases that `--versions` names."""

from __future__ import annotations

import pytest

from conformance.adapters.releases import PackageRelease
from conformance.cli.errors import UsageProblem
from conformance.cli.history import releases as module
from conformance.cli.history.releases import releases

INDEX = ["2.15.0", "3.3.3", "3.4.0", "3.4.1", "3.5.0", "3.9.0", "3.9.2", "3.10.0", "3.11.0rc1"]


def named(text: str, *, every: bool = False) -> list[str]:
    return [r.version for r in releases(text, "keras", every=every, listing=lambda _: INDEX)]


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("3.4..3.9", ["3.4.1", "3.5.0", "3.9.2"]),
        ("3.9..3.10", ["3.9.2", "3.10.0"]),
        ("3.4..3", ["3.4.1", "3.5.0", "3.9.2", "3.10.0"]),
        ("3.4.0", ["3.4.0"]),
        ("3.10.0, 3.4.0", ["3.4.0", "3.10.0"]),
        ("..3.3", ["2.15.0", "3.3.3"]),
        ("3.10..", ["3.10.0"]),
    ],
)
def test_ranges_and_lists(text: str, versions: list[str]) -> None:
    assert named(text) == versions


def test_every_takes_corrections_in() -> None:
    assert named("3.4..3.9", every=True) == ["3.4.0", "3.4.1", "3.5.0", "3.9.0", "3.9.2"]


def test_the_nightly_build_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    nightly = ["3.16.0.dev1", "3.16.0.dev2"]
    monkeypatch.setattr(module, "released_versions", lambda _, previews: nightly)
    versions = releases("3.10..nightly", "keras", every=False, listing=lambda _: INDEX)
    assert versions == [
        PackageRelease("keras", "3.10.0"),
        PackageRelease("keras-nightly", "3.16.0.dev2"),
    ]


@pytest.mark.parametrize("text", ["3.x..3.9", "", "3.7..3.8", "3.4..3.5..3.6"])
def test_a_wrong_text_is_a_usage_problem(text: str) -> None:
    with pytest.raises(UsageProblem, match="--versions"):
        named(text)


def test_a_reversed_range_and_a_range_without_releases_say_what_to_write() -> None:
    with pytest.raises(UsageProblem, match=r"3\.1 is older than 3\.15") as reversed_range:
        named("3.15..3.1")
    assert reversed_range.value.hint == "write the older release first: 3.1..3.15"
    with pytest.raises(UsageProblem, match="keras has no such release") as nothing:
        named("4..5")
    assert nothing.value.hint == "the index has 2.15.0 to 3.11.0rc1"
    assert named("3.9.1..3.9") == ["3.9.2"]
