"""`--max-time` and `--shard`: how much of a plan is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.cli.errors import UsageProblem
from conformance.editions import Edition
from conformance.engine import Shard, Task, bundles


def shard(text: str | None) -> Shard | None:
    """What `--shard` says. UsageProblem if it is not `I/N`."""
    if text is None:
        return None
    part, sign, parts = text.partition("/")
    if not (sign and part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise UsageProblem(f"--shard {text!r}", "write --shard I/N with I from 1 to N, such as 1/3")
    return Shard(int(part), int(parts))


def check_shards(chosen: Shard | None, plans: Mapping[Edition, Sequence[Task]]) -> None:
    """UsageProblem if a shard would have nothing to run."""
    for edition, tasks in plans.items():
        most = len(bundles(tasks))
        if chosen is not None and most < chosen.parts:
            raise UsageProblem(
                f"--shard {chosen}: {edition} has only {most} functions to share",
                f"write --shard I/N with N up to {most}",
            )
