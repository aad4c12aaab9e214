"""Which tests a run of pytest takes, in how many processes, and what it says of those left out.

`pytest` alone, and with folders, takes all cores and leaves out what takes minutes. It says at its
end how many tests that are, and the command that runs them. Whoever names files or tests gets all
of them, in one process.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from xdist.scheduler import LoadScopeScheduling

LEFT_OUT = ("slow", "thorough", "real")
"""Markers of the tests that a run leaves out unless `-m` or `--everything` asks for them."""
_COUNTS = pytest.StashKey[Counter[str]]()
_SEND = "tests that are left out"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--everything`: leave no test out."""
    parser.getgroup("the suite's own tests").addoption(
        "--everything",
        action="store_true",
        help=f"run the tests marked {_enumeration(LEFT_OUT)}, too",
    )


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """No worker of pytest-xdist for files and tests that are named: two would start for seconds."""
    return 0 if _names_files(config) else None


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    """With `--dist loadgroup`, keep the tests of a file together, too."""
    return _Scheduling(config, log) if config.getoption("dist") == "loadgroup" else None


class _Scheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no types
    """Sends each group of tests, and what no group has of each file, to one process.

    So what the tests of a file share is made once. Groups take longest, and so they come first.
    """

    def _assign_work_unit(self, node: Any) -> None:
        group = next((scope for scope in self.workqueue if not scope.endswith(".py")), None)
        if group is not None:
            self.workqueue.move_to_end(group, last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        name, _, group = test.rpartition("@")
        return group if name and not group.endswith("]") else file


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Take the samples before -k, -m and what folders mark, and leave tests out after them."""
    _take_samples(items)
    yield
    option = config.option
    if not (option.markexpr or option.everything or _names_files(config)):
        _leave_out(config, items)


def _take_samples(items: list[pytest.Item]) -> None:
    """Of the tests of a function marked `sampled(n)` leave one in n quick, the same each time."""
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled"):
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for tests in functions.values():
        mark = tests[0].get_closest_marker("sampled")
        assert mark is not None
        mixed = sorted(tests, key=_number)
        for test in mixed[-(-len(mixed) // mark.args[0]) :]:
            test.add_marker(pytest.mark.thorough)


def _number(test: pytest.Item) -> int:
    """By the parameters alone: functions with the same ones share what they compute of them."""
    return crc32(test.name.partition("[")[2].encode())


def _leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    marks = [_mark(item) for item in items]
    counts = config.stash[_COUNTS] = Counter(filter(None, marks))
    if hasattr(config, "workeroutput"):
        config.workeroutput[_SEND] = dict(counts)
    config.hook.pytest_deselected(items=[i for i, m in zip(items, marks, strict=True) if m])
    items[:] = [i for i, m in zip(items, marks, strict=True) if not m]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Keep what a worker of pytest-xdist left out: each of them collects all tests."""
    if left := getattr(node, "workeroutput", {}).get(_SEND):
        node.config.stash[_COUNTS] = Counter(left)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say what was left out, and the command that runs it."""
    if counts := config.stash.get(_COUNTS, None):
        terminalreporter.write_line(left_out(counts), yellow=True)
        terminalreporter.write_line(f"They run with: {command(config)}", yellow=True)


def left_out(counts: Counter[str]) -> str:
    """The line that counts the tests by marker."""
    parts = [f"{counts[mark]} {mark}" for mark in LEFT_OUT if counts[mark]]
    tests = "test that takes" if counts.total() == 1 else "tests that take"
    return f"Left out: {counts.total()} {tests} minutes in all ({', '.join(parts)})"


def command(config: pytest.Config) -> str:
    """The command line that runs what this one left out."""
    program = Path(sys.argv[0])
    started = ["python", "-m", "pytest"] if program.name == "__main__.py" else [str(program)]
    asked = [*config.invocation_params.args, "-m", " or ".join(LEFT_OUT)]
    return shlex.join([*started, *map(str, asked)])


def _names_files(config: pytest.Config) -> bool:
    """Whether every argument is a file or a test in one, or a module of an installed package."""
    return config.option.pyargs or all(Path(a.partition("::")[0]).is_file() for a in config.args)


def _mark(item: pytest.Item) -> str | None:
    return next((mark for mark in LEFT_OUT if item.get_closest_marker(mark)), None)


def _enumeration(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
