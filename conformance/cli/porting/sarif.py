"""What was found as SARIF 2.1.0, which GitHub and editors read (OASIS, 27 March 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import conformance
from conformance.cli.porting.advice import Advice, Outcome
from conformance.cli.porting.uses import Unreadable, Use

VERSION = "2.1.0"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
LEVELS = {
    Outcome.SAME: "note",
    Outcome.UNKNOWN: "warning",
    Outcome.DIFFERS: "warning",
    Outcome.REFUSED: "error",
    Outcome.ABSENT: "error",
}
_RULES = {
    Outcome.SAME: "A function of K has a call in Keras 3 that does the same.",
    Outcome.UNKNOWN: "A name that no document of the backend API has, nor Keras 3.",
    Outcome.DIFFERS: "A call of Keras 3 does something else for such arguments.",
    Outcome.REFUSED: "A call of Keras 3 refuses such arguments.",
    Outcome.ABSENT: "Nothing in Keras 3 takes the place of a function of K.",
}


def sarif(found: Sequence[Advice], unreadable: Sequence[Unreadable]) -> dict[str, Any]:
    """The log, with one run."""
    outcomes = list(Outcome)
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": _driver(outcomes)},
                "columnKind": "unicodeCodePoints",
                "results": [_result(one, outcomes.index(one.outcome)) for one in found],
                "invocations": [
                    {
                        "executionSuccessful": not unreadable,
                        "toolExecutionNotifications": list(map(_notification, unreadable)),
                    }
                ],
            }
        ],
    }


def _driver(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "name": "conformance migration",
        "version": conformance.__version__,
        "rules": [
            {
                "id": f"keras-backend-{outcome}",
                "shortDescription": {"text": _RULES[outcome]},
                "defaultConfiguration": {"level": LEVELS[outcome]},
            }
            for outcome in outcomes
        ],
    }


def _result(one: Advice, rule: int) -> dict[str, Any]:
    return {
        "ruleId": f"keras-backend-{one.outcome}",
        "ruleIndex": rule,
        "level": LEVELS[one.outcome],
        "message": {"text": message(one)},
        "locations": [{"physicalLocation": _place(one.use)}],
    }


def message(one: Advice) -> str:
    """What is said of a use, as one text."""
    becomes = f"becomes {one.replacement}" if one.replacement else str(one.outcome)
    return "; ".join([f"{one.use.text} {becomes}", *one.says])


def _place(use: Use) -> dict[str, Any]:
    return {
        "artifactLocation": {"uri": _uri(use.file)},
        "region": {
            "startLine": use.line,
            "startColumn": use.column,
            "endLine": use.end_line,
            "endColumn": use.end_column,
        },
    }


def _uri(file: Path) -> str:
    """The file as a reference that is relative to where the command was given, if it is below."""
    here = Path.cwd()
    inside = file.resolve().is_relative_to(here)
    return quote(file.resolve().relative_to(here).as_posix()) if inside else file.resolve().as_uri()


def _notification(one: Unreadable) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": _uri(one.file)}, "region": {"startLine": one.line}}
    return {
        "level": "error",
        "message": {"text": one.reason},
        "locations": [{"physicalLocation": place}],
    }
