"""Write the table of docs/expectations.md that says what each word of `--fail-on` catches.

    python -m tools.levels

The figures are those of the published results. A test compares the page with them.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from conformance.cli.known_failures import cells, failing
from conformance.cli.known_failures.gate import failing_outcomes
from conformance.results import Results

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "expectations.md"
REPORTS = (ROOT / "reports" / "keras3-ops", ROOT / "reports")
BY_VECTORS = "tfjs"
"""The target whose results a runner of vectors wrote (docs/vectors.md): they are of other cases."""
LEVELS = ("violation", "accuracy", "divergence", "unsupported")
HEAD = f"| target | {' | '.join(f'`{level}`' for level in LEVELS)} |"


def main() -> None:
    """Replace the table of the page."""
    before, after = parts(PAGE.read_text("utf-8"))
    PAGE.write_text("\n".join([*before, *table(), *after]) + "\n", encoding="utf-8")


def parts(text: str) -> tuple[list[str], list[str]]:
    """The lines before and after the table."""
    lines = text.splitlines()
    first = lines.index(HEAD)
    last = next(n for n, line in enumerate(lines[first:], first) if not line.startswith("|"))
    return lines[:first], lines[last:]


def table() -> Iterator[str]:
    """The table: a row for each target, with the number of aspects that each word makes fail."""
    yield HEAD
    yield "|---" + "|--:" * len(LEVELS) + "|"
    for folder in REPORTS:
        for file in sorted(folder.glob("*.json.gz")):
            results = msgspec.json.decode(gzip.decompress(file.read_bytes()), type=Results)
            if results.target.name != BY_VECTORS:
                numbers = " | ".join(map(str, caught(results)))
                yield f"| `{results.target.name}` | {numbers} |"


def caught(results: Results) -> Sequence[int]:
    """How many aspects fail with each word."""
    judged = cells([results])
    return [len(failing(judged, failing_outcomes(level))) for level in LEVELS]


if __name__ == "__main__":
    main()
