"""Compare one aspect with the known failures, as `conformance run` does with all aspects."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.cli import known_failures
from conformance.cli.known_failures import JudgedCell
from conformance.cli.known_failures.gate import Gate, stale_message
from conformance.results import Aspect, Failure


def stale(gate: Gate, cells: Sequence[JudgedCell]) -> list[str]:
    """A message for each entry whose cells were judged and that covers none of their failures."""
    return [stale_message(e, cells) for e in known_failures.not_failing(cells, gate.known)]


def unexpected(gate: Gate, cell: JudgedCell) -> Sequence[Failure] | None:
    """The cell's failures that no entry covers; None if all are covered."""
    worse = gate.worse if cell.verdict in gate.worse else (*gate.worse, cell.verdict)
    left = known_failures.uncovered(known_failures.failing([cell], worse), gate.known)
    return left[0].failures if left else None


def fails(gate: Gate, cells: Sequence[JudgedCell], aspect: Aspect) -> bool:
    """Whether the aspect fails, as one of these of a function on a target."""
    return any(cell.aspect is aspect for cell in known_failures.failing(cells, gate.worse))


def reason(gate: Gate, cell: JudgedCell) -> str:
    """Why the cell's failures are known."""
    return "; ".join(dict.fromkeys(e.reason for e in gate.known if e.covers(cell)))
