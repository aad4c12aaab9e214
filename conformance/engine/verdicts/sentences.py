"""The message of a failure: one line with the call, what it gave, what was expected, the citation.

A message of a wrong value shows the numbers of inputs that have few. A line of more than `MOST`
characters loses details until it fits. First go the layout of arrays in memory and the way inputs
are made, then the open points. The next are words that repeat others: dtypes of inputs that are
alike, the function's name in its own citation, digits after the seventh. Then the numbers of inputs
go, the text of an exception keeps its cause alone, and it and the demand lose their ends. The
failure's record and its script have all details.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from conformance.engine.judging.calls import CallTrial
from conformance.engine.judging.findings import RESULT_OF, Finding, described
from conformance.engine.judging.messages import CAUSE
from conformance.engine.judging.metadata import SAME_DTYPE
from conformance.engine.judging.trials import Trial
from conformance.program import Binding
from conformance.results import Citation, FindingKind

MOST = 120
"""The most characters of a message, where the facts allow it."""
_LEAST = 48
"""The fewest characters to which the text of an exception is cut."""
_LEAST_OF_DEMANDS = 128
"""The fewest characters to which the demand is cut."""

_WRAPPED = re.compile(
    r"Exception encountered when calling (?:\S+\.call\(\)|layer \"[^\"]*\" \(type \w+\))\.\s*"
    r"|Graph execution error:[;\s]*"
)
"""Words of a library before every exception's own message."""
_HEADING = re.compile(r"in user code:|.*:|\{\{.*\}\}")
"""A line of an exception's message that does not give the reason."""
_NODE = re.compile(r"\{\{.*?\}\}\s*|\s*\[Op:\w+\].*$")
"""Names of a node of TensorFlow, before a message and after it."""
_LATE = re.compile(
    r"^returns, and (compiling|evaluating|reading) the result(?: as an array)? raises "
)
_WHEN = {"compiling": "compiled", "evaluating": "computed", "reading": "read"}
_RAISES = re.compile(r"^(.*?raises [\w.]+)((?: when \w+)?(?: in .*?)?): (.+)$", re.DOTALL)
_LONG_NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d{6,}(?:e[-+]\d+)?(?![\w.])")
_THAT_CALL = "that call to return, and "
_INTERNAL = re.compile(r"\b(?:array|variable|constant|placeholder|tensor|function)_\d+\b")
_MADE = re.compile(r"K\.(variable|constant)\(np\.array\(([^()]*), dtype=('\w+')\), dtype=\3\)")
"""A tensor that a call makes of integers."""
_MAKERS = {"variable": "keras.Variable", "constant": "keras.ops.array"}
_LETTERS = "xyzuvwabc"


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a message, at one length."""

    subject: str
    gives: str
    demands: str
    by: str
    """The conventions by which it is expected, if no document says so."""
    points: str
    source: str
    """The citation, or the conventions, as they end the message."""

    def __str__(self) -> str:
        if not self.demands:
            return f"{self.subject} {self.gives}{self.source}"
        gives = self.gives.rstrip(".")
        return f"{self.subject} {gives}; expected {self.by}{self.demands}{self.points}{self.source}"


def sentence(name: str, finding: Finding, trial: Trial | None, citation: Citation | None) -> str:
    """The message of a failure of the function `name`: what is wrong, what was expected, and which
    line or convention says so."""
    parts = _whole(name, finding, trial, citation)
    for shorter in _shortenings(name, finding, trial):
        if len(str(parts)) <= MOST:
            break
        parts = shorter(parts)
    return _renamed(str(parts))


def unsaid(finding: Finding, message: str) -> str:
    """The open points that the message leaves out, as a sentence; empty if it has them."""
    points = _points(finding)
    if not points or not finding.contradicts or points in message:
        return ""
    return f"No reading of {points} allows this."


def _whole(name: str, finding: Finding, trial: Trial | None, citation: Citation | None) -> _Parts:
    gives = _LATE.sub(lambda late: f"raises when {_WHEN[late[1]]} ", finding.gives)
    gives = re.sub(r"^raises when (\w+) (\w+)", r"raises \2 when \1", _WRAPPED.sub("", gives))
    if gives.endswith((":", ": ")):
        gives = f"{gives.rstrip(': ')}{_reason(finding)}"
    demands = finding.demands.removeprefix(_THAT_CALL)
    subject = name if trial is None else trial.described
    if isinstance(trial, CallTrial):
        subject = _described(finding, trial)
    if not demands:
        return _Parts(subject, gives, "", "", "", "")
    if finding.demands == SAME_DTYPE:
        demands = ""
    points, source, by = _points(finding), "", ""
    if citation is not None:
        row = f"; {finding.replacement}" if finding.replacement else ""
        source = f" ({citation}{row})"
        points = f" under every reading of {points}" if points else ""
    elif finding.conventions:
        by, points = f"by convention ({', '.join(finding.conventions)}): ", ""
    else:
        points = ""
    return _Parts(subject, gives, demands, by, points, source)


def _reason(finding: Finding) -> str:
    """`: ` and the first line with a reason in the message of a wrapped exception, if any."""
    message = finding.got if isinstance(finding.got, str) else ""
    wrapper, wrapped, rest = message.partition(".call().")
    for line in (rest if wrapped else wrapper.partition(": ")[2]).splitlines():
        text = _NODE.sub("", _WRAPPED.sub("", line)).strip()
        if text and not _HEADING.fullmatch(text):
            return f": {text}"
    return ""


def _points(finding: Finding) -> str:
    """The open points none of whose readings allows the answer.

    The detail may be the reading of the answer, if the document rules that out.
    """
    return " and ".join(p for p in finding.open_points if not finding.detail.startswith(f"{p}: "))


def _described(finding: Finding, trial: CallTrial, **how: bool) -> str:
    """The call with the numbers of small inputs where a value is wrong; of an exception, with
    the numbers of Python alone."""
    raises = finding.kind is FindingKind.EXCEPTION
    draw = finding.draw if raises or finding.kind is FindingKind.VALUE else None
    return described(
        trial.prepared,
        draw=draw,
        only=Binding.PYTHON if raises else None,
        layouts=finding.contradicts,  # the others are not shrunk, so the layout may not matter
        **how,
    )


def _shortenings(
    name: str, finding: Finding, trial: Trial | None
) -> Iterator[Callable[[_Parts], _Parts]]:
    """The steps in which a message loses words; the least important words go first."""
    symbols = finding.kind in (FindingKind.VALUE, FindingKind.EXCEPTION)
    if isinstance(trial, CallTrial):
        call = partial(_described, finding, trial)
        if not symbols:
            yield lambda p: replace(p, subject=call(bindings=False))
    yield lambda parts: replace(parts, points="")
    yield partial(_with_short_demand, raises=finding.kind is FindingKind.EXCEPTION)
    yield _with_conventions_last
    if isinstance(trial, CallTrial):
        yield lambda parts: replace(parts, subject=call(joined=True, symbols=symbols))
    yield lambda parts: replace(parts, source=parts.source.replace(f"({name}: ", "(docstring: "))
    yield _with_fewer_digits
    if isinstance(trial, CallTrial) and finding.kind is FindingKind.VALUE:
        prepared = trial.prepared
        yield lambda parts: replace(
            parts, subject=described(prepared, joined=True, symbols=symbols)
        )
    yield lambda parts: replace(parts, demands=parts.demands.partition(" unless ")[0])
    yield _with_shorter_exception
    yield _with_shorter_demands


def _with_short_demand(parts: _Parts, raises: bool) -> _Parts:
    """A shape as the demand; any result in place of an exception."""
    short = parts.demands.removeprefix(RESULT_OF)
    whole = raises and short != parts.demands and ":" not in short
    return replace(parts, demands="a result" if whole else short)


def _with_conventions_last(parts: _Parts) -> _Parts:
    """The conventions in the place of the citation."""
    names = re.fullmatch(r"by convention (\(.*\)): ", parts.by)
    return replace(parts, by="", source=f" {names[1]}") if names else parts


def _with_fewer_digits(parts: _Parts) -> _Parts:
    """The numbers with seven digits, if they still differ where they differed."""
    texts = parts.gives, parts.demands
    numbers = {number for text in texts for number in _LONG_NUMBER.findall(text)}
    shorter = {number: f"{float(number):.7g}" for number in numbers}
    if len({*shorter.values()}) < len(numbers):
        return parts
    gives, demands = (_LONG_NUMBER.sub(lambda n: shorter[n[0]], text) for text in texts)
    return replace(parts, gives=gives, demands=demands)


def _with_shorter_exception(parts: _Parts) -> _Parts:
    """The message of an exception cut to what fits."""
    match = _RAISES.match(parts.gives)
    if match is None:
        return parts
    room = max(_LEAST, len(match[3]) - (len(str(parts)) - MOST))
    text = match[3] if len(match[3]) <= room else match[3].rpartition(CAUSE)[2]
    return replace(parts, gives=f"{match[1]}{match[2]}: {_cut(text, room)}")


def _with_shorter_demands(parts: _Parts) -> _Parts:
    room = max(_LEAST_OF_DEMANDS, len(parts.demands) - (len(str(parts)) - MOST))
    return replace(parts, demands=_cut(parts.demands, room))


def _cut(text: str, most: int) -> str:
    """The beginning of a text that is too long, up to a whole word."""
    if len(text) <= most:
        return text
    whole, _, _ = text[:most].rpartition(" ")
    return f"{whole if len(whole) > most // 2 else text[: most - 1]}…"


def _renamed(message: str) -> str:
    """The message with letters in place of the names that a recorder gave to tensors.

    The classes of Keras 3 replace the functions that make its tensors.
    """
    if "keras.ops." in message:
        message = _MADE.sub(lambda call: f"{_MAKERS[call[1]]}({call[2]}, {call[3]})", message)
    names = dict.fromkeys(_INTERNAL.findall(message))
    free = (letter for letter in _LETTERS if not re.search(rf"\b{letter}\b", message))
    letters = dict(zip(names, free, strict=False))
    return _INTERNAL.sub(lambda name: letters.get(name[0], name[0]), message)
