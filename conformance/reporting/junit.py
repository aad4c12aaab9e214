"""JUnit XML, in the dialect that Jenkins, GitLab and others read.

One suite for each target, one test case for each function and aspect. Readers of the file split a
class's name at its dots: target, theme and function have none. The time of a function is shared out
evenly among its aspects, of which most are seen in the same cases. A violation is a failure, a
crash, a time-out or an error of the suite an error; an unsupported or changed aspect is skipped. A
divergence passes: the case's output has the readings that it takes. An aspect that is not demanded
has no case.

In a run with known failures, these are skipped with their reason. Every unexpected failure fails,
also a divergence or a lack. A suite of its own has each stale entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from xml.etree import ElementTree

from msgspec import UNSET

from conformance.reporting.failures import place_text
from conformance.reporting.judgement import AspectJudgement, GateJudgement, StaleEntry
from conformance.reporting.listing import ListedFailure, failure_readings
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import AspectResult, FunctionResult, Results, Verdict
from conformance.results.scores import standing
from conformance.specs.documents.texts import address

Element = ElementTree.Element

_ELEMENTS = {
    Verdict.VIOLATES: "failure",
    Verdict.CRASHED: "error",
    Verdict.TIMED_OUT: "error",
    Verdict.CHANGED: "skipped",
    Verdict.ERROR: "error",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.NOT_RUN: "skipped",
}
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render(results: Iterable[Results], judgement: GateJudgement | None = None) -> bytes:
    """The file; with what known failures make of the results, if there are some."""
    judged = judgement or GateJudgement()
    root = Element("testsuites", name="Keras backend API conformance")
    targets = list(results)
    root.extend([_suite(target, judged) for target in targets])
    root.extend(_stale_entries(judged.stale, max((r.run.started for r in targets), default="")))
    for attribute in ("tests", "failures", "errors"):
        root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _suite(results: Results, judgement: GateJudgement) -> Element:
    cases = [case for f in results.functions for case in _cases(results, f, judgement)]
    run = results.run
    return _suite_element(
        results.target.name, cases, run.seconds, run.started, _properties(results)
    )


def _suite_element(
    name: str, cases: Sequence[Element], seconds: float, started: str, facts: Mapping[str, str]
) -> Element:
    """A suite that says how many cases it has, and how they ended."""
    suite = Element("testsuite", name=clean(name), tests=str(len(cases)))
    for attribute, tag in _COUNTED.items():
        suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{max(seconds, 0.0):.3f}")
    suite.set("timestamp", clean(started))
    properties = ElementTree.SubElement(suite, "properties")
    for fact, value in facts.items():
        ElementTree.SubElement(properties, "property", name=clean(fact), value=clean(value))
    suite.extend(cases)
    return suite


def _stale_entries(stale: Sequence[StaleEntry], started: str) -> Iterator[Element]:
    """A suite for each file of known failures with stale entries."""
    for file in dict.fromkeys(entry.file for entry in stale):
        cases = [_stale_entry(entry) for entry in stale if entry.file == file]
        yield _suite_element(PurePath(file).name, cases, 0.0, started, {"file": file})


def _stale_entry(stale: StaleEntry) -> Element:
    case = Element("testcase", classname=_part(PurePath(stale.file).name), name=clean(stale.entry))
    failure = ElementTree.SubElement(case, "failure", message=clean(stale.says), type="stale entry")
    failure.text = clean(stale.says)
    return case


def _properties(results: Results) -> dict[str, str]:
    target, run = results.target, results.run
    return {
        "edition": target.edition,
        "implementation": target.implementation,
        "python": target.python,
        "profile": run.profile,
        "seed": str(run.seed),
        "complete": "yes" if run.whole else "no",
        **{f"version.{name}": version for name, version in sorted(target.versions.items())},
    }


def _cases(
    results: Results, function: FunctionResult, judgement: GateJudgement
) -> Iterator[Element]:
    demanded = [a for a in function.aspects if a.verdict is not Verdict.NOT_APPLICABLE]
    place = ".".join(map(_part, (results.target.name, function.theme, function.function)))
    for aspect in demanded:
        name = clean(f"{function.function} {aspect.aspect}")
        case = Element("testcase", classname=place, name=name)
        if (seconds := _seconds(results, function)) is not None:
            case.set("time", f"{seconds / len(demanded):.3f}")
        judged = judgement.of(results.target.name, function.function, aspect)
        case.extend(_outcome(function.function, aspect, judged))
        yield case


def _part(name: str) -> str:
    """A part of a class's name, without dots and spaces."""
    return re.sub(r"[\s.]+", "_", clean(name)) or "_"


def _seconds(results: Results, function: FunctionResult) -> float | None:
    """The time that the function took; None where the results do not say."""
    spent = results.run.spent
    if spent is UNSET or function.function not in spent:
        return None
    return max(spent[function.function].seconds, 0.0)


def _outcome(function: str, aspect: AspectResult, judged: AspectJudgement) -> Iterator[Element]:
    failures = [ListedFailure(function, aspect, failure) for failure in aspect.failures]
    tag, deciding = _deciding(failures, aspect, judged)
    if tag is not None:
        yield _failure_element(tag, deciding or [ListedFailure(function, aspect, None)], judged)
    others = [f for f in failures if f not in deciding]
    if others:
        output = Element("system-out")
        output.text = "\n".join(_passed(f, judged) for f in others)
        yield output


def _deciding(
    failures: Sequence[ListedFailure], aspect: AspectResult, judged: AspectJudgement
) -> tuple[str | None, list[ListedFailure]]:
    """The element of the case, or None if it passes, and the failures that decide it."""
    if judged.fails:
        mine = [f for f in failures if f.failure in judged.unexpected]
        verdict = mine[0].verdict if mine else aspect.verdict
        return ("error" if _ELEMENTS.get(verdict) == "error" else "failure"), mine
    if judged.reason:
        return "skipped", [f for f in failures if f.failure in judged.known]
    verdict = standing(aspect)
    tag = _ELEMENTS.get(verdict)
    return tag, [f for f in failures if tag is not None and f.verdict is verdict]


def _passed(failure: ListedFailure, judged: AspectJudgement) -> str:
    taken = failure_readings([failure.failure] if failure.failure else [])
    reading = f" (reading: {taken})" if taken else ""
    known = f" (known: {clean(judged.reason)})" if failure.failure in judged.known else ""
    return f"{failure.verdict}: {clean(failure.message)}{reading}{known}"


def _failure_element(
    tag: str, deciding: Sequence[ListedFailure], judged: AspectJudgement
) -> Element:
    first = deciding[0]
    element = Element(tag, message=clean(_message(first, judged)))
    if first.failure is not None:
        element.set("type", clean(first.failure.kind))
    element.text = "\n\n".join(_text(failure) for failure in deciding)
    return element


def _message(failure: ListedFailure, judged: AspectJudgement) -> str:
    """The failure in a line; of a known one the reason, of a regression what it was."""
    if judged.reason and not judged.fails:
        return f"known: {judged.reason}"
    return f"was {judged.was}: {failure.message}" if judged.was else failure.message


def _text(entry: ListedFailure) -> str:
    script = entry.failure.script if entry.failure else None
    shown = f"\n\n{clean_block(script).rstrip()}" if script else ""
    text = place_text(entry.failure) if entry.failure else ""
    return clean(entry.message) + _address(entry) + (f"\n{text}" if text else "") + shown


def _address(failure: ListedFailure) -> str:
    """Where the line that the failure cites can be read, on a line of its own."""
    citation = failure.failure.citation if failure.failure else None
    if citation is None or not isinstance(citation.line, int):
        return ""
    there = address(citation.document, citation.line)
    return f"\n{citation}: {there}" if there else ""
