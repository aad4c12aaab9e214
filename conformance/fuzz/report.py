"""What a run of composed programs did, in words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from conformance.results import Results

MOST = 8
"""Functions that are named."""


def told(results: Results) -> Iterator[str]:
    """How many programs were run and compared, how tight the bounds were, and what was blamed."""
    found, name = results.composed, results.target.name
    if found is UNSET:
        return
    speed = found.programs / results.run.seconds if results.run.seconds else 0.0
    yield (
        f"{name}: {found.programs} programs of {found.calls} calls, {speed:.1f} a second; "
        f"{found.compared} results compared, {found.unjudged} of which nothing is known; "
        f"{found.cut} programs cut"
    )
    yield f"    of the digits the bounds leave open {_tightness(found.digits)}"
    if found.failed:
        yield (
            f"    {found.failed} programs differ: {sum(found.blamed.values())} because of a call "
            f"that fails by itself{_listed(found.blamed)}; {_composition(results)} of composition, "
            "some of them in what is left of the others"
            + (f", {found.alike} of them known by their error" if found.alike else "")
            + (f"; {found.unrepeated} not again, or not always" if found.unrepeated else "")
        )


def _composition(results: Results) -> int:
    return sum(x.count for f in results.functions for a in f.aspects for x in a.failures)


def _listed(blamed: dict[str, int]) -> str:
    ordered = sorted(blamed.items(), key=lambda pair: (-pair[1], pair[0]))
    named = ", ".join(f"{name} {count}" for name, count in ordered[:MOST])
    return f" ({named}{', ...' if len(ordered) > MOST else ''})" if named else ""


def _tightness(digits: list[int]) -> str:
    """The shares of digits that half, nine of ten and all but one of a hundred results lose."""
    total = sum(digits)
    if not total:
        return "nothing, because no result is floating"
    parts = []
    for share, words in ((0.5, "half"), (0.9, "nine of ten"), (0.99, "99 of 100")):
        seen = 0
        for place, number in enumerate(digits):
            seen += number
            if seen >= share * total:
                parts.append(f"less than {min(1.0, (place + 1) / 10):.0%} in {words}")
                break
    return ", ".join(parts) + " of the results"
