"""JUnit XML, in the dialect that Jenkins, GitLab and others read.

One suite for each target, one test case for each function and aspect. What reads the file splits a
class's name at its dots: target, theme and function have none. The time of a function is shared out
evenly among its aspects, of which most are seen in the same cases. A violation is a failure,
a crash or a time-out an error, what is unsupported is skipped. A divergence passes: the case's
output tells it, with the readings that it takes. What is not demanded has no case.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree

from msgspec import UNSET

from conformance.reporting.listing import ListedFailure
from conformance.reporting.readings import told_of
from conformance.reporting.safe_text import clean, clean_block
from conformance.results import AspectResult, FunctionResult, Results, Verdict
from conformance.results.scores import standing
from conformance.specs.documents.texts import address

Element = ElementTree.Element

_ELEMENTS = {
    Verdict.VIOLATES: "failure",
    Verdict.CRASHED: "error",
    Verdict.TIMED_OUT: "error",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.NOT_RUN: "skipped",
}
_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def render(results: Iterable[Results]) -> bytes:
    """The file."""
    root = Element("testsuites", name="Keras backend API conformance")
    root.extend([_suite(one) for one in results])
    for attribute in ("tests", "failures", "errors"):
        root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
    ElementTree.indent(root)
    content: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _suite(results: Results) -> Element:
    cases = [case for f in results.functions for case in _cases(results, f)]
    suite = Element("testsuite", name=clean(results.target.name), tests=str(len(cases)))
    for attribute, tag in _COUNTED.items():
        suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", f"{max(results.run.seconds, 0.0):.3f}")
    suite.set("timestamp", clean(results.run.started))
    suite.append(_properties(results))
    suite.extend(cases)
    return suite


def _properties(results: Results) -> Element:
    target, run = results.target, results.run
    facts = {
        "edition": target.edition,
        "implementation": target.implementation,
        "python": target.python,
        "profile": run.profile,
        "seed": str(run.seed),
        "complete": "yes" if run.whole else "no",
        **{f"version.{name}": version for name, version in sorted(target.versions.items())},
    }
    properties = Element("properties")
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", name=clean(name), value=clean(value))
    return properties


def _cases(results: Results, function: FunctionResult) -> Iterator[Element]:
    demanded = [a for a in function.aspects if a.verdict is not Verdict.NOT_APPLICABLE]
    place = ".".join(map(_part, (results.target.name, function.theme, function.function)))
    for aspect in demanded:
        name = clean(f"{function.function} {aspect.aspect}")
        case = Element("testcase", classname=place, name=name)
        if (seconds := _seconds(results, function)) is not None:
            case.set("time", f"{seconds / len(demanded):.3f}")
        case.extend(_outcome(function.function, aspect))
        yield case


def _part(name: str) -> str:
    """A part of a class's name, without dots and spaces."""
    return re.sub(r"[\s.]+", "_", clean(name)) or "_"


def _seconds(results: Results, function: FunctionResult) -> float | None:
    """What the function took; None where the results do not say."""
    spent = results.run.spent
    if spent is UNSET or function.function not in spent:
        return None
    return max(spent[function.function].seconds, 0.0)


def _outcome(function: str, aspect: AspectResult) -> Iterator[Element]:
    listed = [ListedFailure(function, aspect, failure) for failure in aspect.failures]
    verdict = standing(aspect)
    if tag := _ELEMENTS.get(verdict):
        deciding = [f for f in listed if f.verdict is verdict]
        yield _told(tag, deciding or [ListedFailure(function, aspect, None)])
    others = [f for f in listed if f.verdict is not verdict or tag is None]
    if others:
        output = Element("system-out")
        output.text = "\n".join(map(_passed, others))
        yield output


def _passed(found: ListedFailure) -> str:
    taken = told_of([found.failure] if found.failure else [])
    reading = f" (reading: {taken})" if taken else ""
    return f"{found.verdict}: {clean(found.message)}{reading}"


def _told(tag: str, deciding: Sequence[ListedFailure]) -> Element:
    first = deciding[0]
    element = Element(tag, message=clean(first.message))
    if first.failure is not None:
        element.set("type", clean(first.failure.kind))
    element.text = "\n\n".join(_text(found) for found in deciding)
    return element


def _text(found: ListedFailure) -> str:
    script = found.failure.script if found.failure else None
    shown = f"\n\n{clean_block(script).rstrip()}" if script else ""
    return clean(found.message) + _address(found) + shown


def _address(found: ListedFailure) -> str:
    """Where the line that the failure cites can be read, on a line of its own."""
    citation = found.failure.citation if found.failure else None
    if citation is None or not isinstance(citation.line, int):
        return ""
    there = address(citation.document, citation.line)
    return f"\n{citation}: {there}" if there else ""
