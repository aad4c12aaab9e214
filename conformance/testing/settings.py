"""Turn what a test module and the command line say into targets, profile, seed and gate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from conformance.adapters.target_records import Target
from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures.gate import Gate, failing_outcomes, gate
from conformance.cli.options.gate import DEFAULT, GateOptions
from conformance.cli.options.modules import ModuleOptions
from conformance.cli.targets.known import chosen, in_edition, known_targets
from conformance.cli.targets.subjects import module_target
from conformance.engine import PROFILES, Profile
from conformance.specs import EDITIONS
from conformance.testing import ConformanceTests


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TestedTargets:
    """The targets that are tested, and how."""

    targets: tuple[Target, ...]
    profile: Profile
    seed: int
    gate: Gate
    """The verdicts that fail, and the failures that are expected."""


def merged(tests: ConformanceTests, options: ConformanceTests) -> ConformanceTests:
    """The tests as they are run: options override a module's arguments, except what is tested."""
    base = tests if tests.names_target else options
    return replace(
        base,
        profile=options.profile or tests.profile,
        seed=tests.seed if options.seed is None else options.seed,
        fail_on=options.fail_on or tests.fail_on,
        expectations=options.expectations or tests.expectations,
    )


def settings(tests: ConformanceTests) -> TestedTargets:
    """Look up the names and files.

    Raises:
        UsageProblem: a name or a file is wrong.
    """
    profile = tests.profile or "default"
    _check("profile", profile, PROFILES)
    failing_outcomes(tests.fail_on or DEFAULT, "fail-on")
    if tests.edition is not None:
        _check("edition", tests.edition, EDITIONS)
    targets = _targets(tests)
    return TestedTargets(
        targets=tuple(targets),
        profile=PROFILES[profile],
        seed=tests.seed or 0,
        gate=_gate(tests, targets),
    )


def _gate(tests: ConformanceTests, targets: list[Target]) -> Gate:
    file = tests.expectations
    if file is not None and not file.is_file():
        raise UsageProblem(
            f"expectations: there is no file {file}",
            "name a file that `conformance run --write-expectations FILE` wrote",
        )
    options = GateOptions(fail_on=tests.fail_on or DEFAULT, expectations=file)
    return gate(options, known_targets(tests.config), targets)


def _targets(tests: ConformanceTests) -> list[Target]:
    for file in (tests.config,) if tests.config else ():
        if not file.is_file():
            raise UsageProblem(f"config: there is no file {file}", "name a TOML file with targets")
    selected = chosen(tests.targets, known_targets(tests.config))
    if tests.module:
        selected.append(_own(tests))
    elif words := [word for word in _COMPANIONS if getattr(tests, word)]:
        raise UsageProblem(f"{_COMPANIONS[words[0]]} goes with a module", "name the module, too")
    return in_edition(selected, tests.edition)


_COMPANIONS = {
    "paths": "path",
    "environment": "environment",
    "eager": "eager",
    "adapter": "adapter",
    "python": "python",
}


def _own(tests: ConformanceTests) -> Target:
    for folder in tests.paths:
        if not folder.is_dir():
            raise UsageProblem(f"path: there is no folder {folder}", "name the folder of sources")
    options = ModuleOptions(
        module=tests.module,
        edition=tests.edition,
        eager=tests.eager,
        adapter=tests.adapter,
        python=tests.python,
        paths=tests.paths,
        variables=tuple(f"{key}={value}" for key, value in tests.environment.items()),
    )
    return module_target(options)


def _check(what: str, word: str, known: Iterable[str]) -> None:
    if word not in known:
        raise UsageProblem(f"{what}: there is no {word!r}", f"write one of {', '.join(known)}")
