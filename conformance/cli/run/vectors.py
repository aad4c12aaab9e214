"""`--vectors DIR`: the calls of a folder of vectors in place of the plan's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from conformance.cli.errors import UsageProblem
from conformance.cli.options.values import RunOptions
from conformance.editions import Edition
from conformance.reporting.safe_text import clean
from conformance.results import Aspect
from conformance.vectors.calls import ASPECTS, call_tasks
from conformance.vectors.folder import read_index
from conformance.vectors.recorded import RecordedTask, recorded_tasks

_APART = ("resume", "reuse", "scheduler", "max_time")
"""Options that need a plan of which a run can do a part, or which another machine can make."""


def recorded_options(options: RunOptions) -> RunOptions:
    """The options with the profile, the seed and the aspects of the vectors, if there are some.

    Raises:
        UsageProblem: another option contradicts --vectors.
        VectorsError: the folder has no vectors.
    """
    if options.vectors is None:
        return options
    for name in _APART:
        if getattr(options, name):
            flag = name.replace("_", "-")
            raise UsageProblem(f"--{flag} does not go with --vectors", f"leave out --{flag}")
    index = read_index(options.vectors)
    aspects = tuple(str(aspect) for aspect in chosen_aspects(options))
    if not aspects:
        raise UsageProblem(
            f"vectors have no aspect {' or '.join(options.aspects)}",
            f"leave out --aspect, or write one of {', '.join(ASPECTS)}",
        )
    return replace(options, profile=index.profile, seed=index.seed, aspects=aspects)


def chosen_aspects(options: RunOptions) -> list[Aspect]:
    """The selected aspects, of those that vectors show."""
    chosen = options.chosen_aspects
    return [aspect for aspect in ASPECTS if not chosen or aspect in chosen]


def recorded_plan(folder: Path, edition: Edition, options: RunOptions) -> list[RecordedTask]:
    """The tasks of an edition, with the vectors of the folder.

    Raises:
        UsageProblem: the folder has no vectors of the edition.
    """
    index = read_index(folder)
    if edition not in index.editions:
        raise UsageProblem(
            clean(f"{folder} has no vectors of {edition}: it has {', '.join(index.editions)}"),
            f"name targets of these editions, or run `conformance vectors --edition {edition}`",
        )
    aspects = options.chosen_aspects
    tasks = call_tasks(edition, index.profile, index.seed, options.select, aspects)
    return recorded_tasks(folder, index, tasks)
