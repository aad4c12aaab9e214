"""The items that pytest collects: one test for each function and aspect of a target."""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.adapters.target_records import Target
from conformance.cli.errors import UsageProblem
from conformance.cli.known_failures import JudgedCell, cells
from conformance.editions import Edition
from conformance.engine import PROFILES, plan
from conformance.results import ASPECTS, Aspect, AspectResult, FunctionResult, Verdict
from conformance.specs import load
from conformance.testing import (
    SUITE,
    SUITE_FILE,
    ChangeWarning,
    ConformanceTests,
    ConformanceWarning,
    DivergenceWarning,
    failure_text,
    known_failures,
)
from conformance.testing.examiner import CannotRunError, Examiner
from conformance.testing.names import identifier
from conformance.testing.settings import TestedTargets, merged, settings

_SETTINGS: pytest.StashKey[list[tuple[ConformanceTests, TestedTargets]]] = pytest.StashKey()
_EXAMINER: pytest.StashKey[Examiner] = pytest.StashKey()
_WARNINGS = {Verdict.DIVERGES: DivergenceWarning, Verdict.CHANGED: ChangeWarning}
_ENDED = (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.ERROR)


class UnexpectedError(Exception):
    """A test fails: `headline` says it in one line, the message in full."""

    def __init__(self, headline: str, text: str) -> None:
        super().__init__(text)
        self.headline = headline


class _ReadableReports:
    """Replace the traceback in reports of failing targets by the failure in words."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.excinfo is not None and isinstance(call.excinfo.value, UnexpectedError):
            shown = call.excinfo.getrepr(style="value")
            if shown.reprcrash is not None:
                shown.reprcrash.message = call.excinfo.value.headline
                shown.reprcrash.path, shown.reprcrash.lineno = str(item.path), 1
            report.longrepr = shown
        return report


class ConformanceItem(pytest.Item):
    """One aspect of one function of a target."""

    def __init__(
        self,
        *,
        chosen: TestedTargets,
        target: Target,
        function: str,
        aspect: Aspect,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.chosen, self.target = chosen, target
        self.function_name, self.aspect = function, aspect
        self._decided = False
        self.add_marker("conformance")
        if self.config.pluginmanager.hasplugin("xdist"):
            self.add_marker(pytest.mark.xdist_group(f"{target.name}-{function}"))

    def setup(self) -> None:
        """Examine the function, unless another test has.

        A crash, a time-out and an error of the suite make an error.
        """
        if self.judged()[1].verdict in _ENDED:
            self._decide()

    def runtest(self) -> None:
        """Pass, fail, skip, warn or fail as expected, as the verdict says."""
        if not self._decided:
            self._decide()

    def judged(self) -> tuple[FunctionResult, AspectResult]:
        """The results of the function and of the aspect."""
        (function,) = self._results().functions
        return function, next(a for a in function.aspects if a.aspect is self.aspect)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The test module; the test has no line in it, because the plug-in makes it."""
        return self.path, 0, self.name

    def _results(self) -> Any:
        aspects = [other.aspect for other in self._others() if other.target is self.target]
        try:
            return _examiner(self.config).results(
                self.chosen, self.target, self.function_name, aspects
            )
        except CannotRunError as error:
            raise UnexpectedError(str(error).partition("\n")[0], str(error)) from None

    def _others(self) -> Iterator[ConformanceItem]:
        """The selected tests of this function, including this one."""
        mine = (item for item in self.session.items if isinstance(item, ConformanceItem))
        key = (self.chosen, self.function_name)
        yield from (item for item in mine if (item.chosen, item.function_name) == key)

    def _decide(self) -> None:
        self._decided = True
        function, aspect = self.judged()
        self._record(function, aspect)
        if aspect.verdict is Verdict.ERROR:
            trace = _examiner(self.config).traceback(self._results())
            headline = failure_text.headline(function, aspect)
            raise UnexpectedError(headline, f"{trace}\n{headline}")
        if self.chosen.gate.known and aspect.verdict is not Verdict.NOT_APPLICABLE:
            aspect = self._without_known(aspect)
        headline = failure_text.headline(function, aspect)
        if self._fails(aspect):
            raise UnexpectedError(headline, failure_text.text(function, aspect))
        if aspect.verdict in (Verdict.UNSUPPORTED, Verdict.NOT_APPLICABLE):
            pytest.skip(headline)
        if aspect.verdict is not Verdict.CONFORMS:
            self.warn(_WARNINGS.get(aspect.verdict, ConformanceWarning)(headline))

    def _fails(self, aspect: AspectResult) -> bool:
        """Whether what is left of the aspect fails, among the function's other aspects."""
        judged_cells = [
            dataclasses.replace(cell, failures=aspect.failures)
            if cell.aspect is self.aspect
            else cell
            for cell in cells([self._results()])
        ]
        return known_failures.fails(self.chosen.gate, judged_cells, self.aspect)

    def _record(self, function: FunctionResult, aspect: AspectResult) -> None:
        """Record the facts for JUnit's file and other plug-ins."""
        facts = {
            "target": self.target.name,
            "function": self.function_name,
            "aspect": str(self.aspect),
            "verdict": str(aspect.verdict),
            "citation": failure_text.citation(function, aspect),
        }
        self.user_properties += [(name, fact) for name, fact in facts.items() if fact]

    def _without_known(self, aspect: AspectResult) -> AspectResult:
        """The unexpected part of the aspect; fails for a stale entry, xfails if all is known."""
        gate, judged_cells = self.chosen.gate, self._cells()
        if stale := known_failures.stale(gate, judged_cells):
            raise UnexpectedError(stale[0], "\n".join(stale))
        mine = next(cell for cell in judged_cells if cell.target == self.target.name)
        if aspect.verdict is Verdict.CONFORMS:
            return aspect
        left = known_failures.unexpected(gate, mine)
        if left is None:
            pytest.xfail(known_failures.reason(gate, mine))
            return aspect  # with --runxfail
        return msgspec.structs.replace(aspect, failures=list(left))

    def _cells(self) -> list[JudgedCell]:
        """This aspect on every target: an entry may be about several."""
        others = [item for item in self._others() if item.aspect is self.aspect]
        judged_cells = cells(item._results() for item in others)
        return [cell for cell in judged_cells if cell.aspect is self.aspect]


def items(
    collector: pytest.Collector, name: str, tests: ConformanceTests, options: ConformanceTests
) -> list[pytest.Item]:
    """The tests that `name` stands for in a test module.

    Raises:
        CollectError: the usage is wrong.
    """
    chosen = _settings(collector.config, merged(tests, options), collector.CollectError)
    if not chosen.targets:
        raise collector.CollectError(
            f"{name}: nothing says what to test\nhint: name a module or a target"
        )
    several = len(chosen.targets) > 1
    collected: list[pytest.Item] = []
    for target in chosen.targets:
        for function, aspect in _demanded(target.edition):
            own = f"{name}[{identifier(target.name if several else None, function, aspect)}]"
            arguments = {"chosen": chosen, "target": target, "function": function, "aspect": aspect}
            nodeid = f"{_module(collector)}::{own}"
            collected.append(
                ConformanceItem.from_parent(collector, name=own, nodeid=nodeid, **arguments)
            )
    return collected


def _module(collector: pytest.Collector) -> str:
    """The prefix of a test's name; for the suite's own module the text that `--pyargs` reads."""
    return SUITE if collector.path == SUITE_FILE else collector.nodeid


def refuse_wrong_usage(config: pytest.Config, options: ConformanceTests) -> None:
    """Check the options.

    Raises:
        pytest.UsageError: an option is wrong.
    """
    _settings(config, options, pytest.UsageError)


def refuse_what_does_not_start(config: pytest.Config, options: ConformanceTests) -> None:
    """Start the targets.

    Raises:
        pytest.UsageError: a target cannot be run.
    """
    examiner = _examiner(config)
    for target in _settings(config, options, pytest.UsageError).targets:
        try:
            examiner.start(target)
        except CannotRunError as error:
            raise pytest.UsageError(str(error)) from None
    if config.getoption("dist", "no") != "no":
        examiner.close()  # the workers of xdist have workers of their own


def header(config: pytest.Config, options: ConformanceTests) -> str:
    """The targets and the settings, in one line."""
    chosen = _settings(config, options, pytest.UsageError)
    names = ", ".join(f"{target.name} ({target.edition})" for target in chosen.targets)
    return f"conformance: {names}, profile {chosen.profile.name}, seed {chosen.seed}"


def _settings(
    config: pytest.Config, tests: ConformanceTests, error: type[Exception]
) -> TestedTargets:
    """The settings of these tests, looked up once."""
    cached = config.stash.setdefault(_SETTINGS, [])
    for looked_up, known in cached:
        if looked_up == tests:
            return known
    try:
        cached.append((tests, settings(tests)))
    except UsageProblem as problem:
        hint = f"\nhint: {problem.hint}" if problem.hint else ""
        raise error(f"conformance: {problem.message}{hint}") from None
    return cached[-1][1]


def _examiner(config: pytest.Config) -> Examiner:
    if _EXAMINER not in config.stash:
        config.stash[_EXAMINER] = examiner = Examiner(*_place(config))
        config.add_cleanup(examiner.close)
        config.pluginmanager.register(_ReadableReports())
    return config.stash[_EXAMINER]


def _place(config: pytest.Config) -> tuple[int, int]:
    """The number of this process of pytest, and how many test."""
    worker = getattr(config, "workerinput", None)
    if worker is None:
        return 0, len(config.getoption("tx", []))
    return int(worker["workerid"].removeprefix("gw")), worker["workercount"]


@cache
def _demanded(edition: Edition) -> tuple[tuple[str, Aspect], ...]:
    """Every function and aspect of an edition, in the order of reports."""
    tasks = plan(load(), edition, PROFILES["default"], 0)
    return tuple((t.spec.name, aspect) for t in tasks for aspect in ASPECTS if aspect in t.aspects)
