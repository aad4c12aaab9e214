"""`--fail-on`: which verdicts make a run fail."""

from __future__ import annotations

from conformance.cli.errors import UsageProblem
from conformance.cli.options.gate import DEFAULT
from conformance.results import Verdict
from conformance.results.scores import CHANGES, FAULTS

NEVER = "never"

FAIL_ON: dict[str, tuple[Verdict, ...]] = {
    DEFAULT: FAULTS,
    "change": (*FAULTS, *CHANGES),
    "divergence": (*FAULTS, Verdict.DIVERGES),
    "unsupported": (*FAULTS, Verdict.UNSUPPORTED),
    NEVER: (),
}
"""What each word of `--fail-on` makes the exit status 1."""


def failing_verdicts(text: str, option: str = "--fail-on") -> tuple[Verdict, ...]:
    """The verdicts that words with commas between them stand for; UsageProblem for another text."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in FAIL_ON:
            raise UsageProblem(
                f"{option}: there is no {word!r}",
                f"write one of {', '.join(FAIL_ON)}, or several with commas between them",
            )
    if NEVER in words and len(set(words)) > 1:
        raise UsageProblem(f"{option} {text}: {NEVER} stands alone", f"write {option} {NEVER}")
    asked = {verdict for word in words for verdict in FAIL_ON[word]}
    return tuple(verdict for verdict in Verdict if verdict in asked)
