"""The pytest plug-in: it makes a test for each function and aspect of a target.

    pytest --pyargs conformance.suite --conformance-target NAME

Where the suite is installed, every run of pytest loads this module. So it imports the rest of the
suite only once it meets conformance tests.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from conformance.testing import SUITE, SUITE_FILE, ConformanceTests, conformance_tests


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of `conformance run`, with a prefix."""
    group = parser.getgroup("conformance", "conformance of a Keras backend (docs/pytest.md)")
    for name, options in _OPTIONS.items():
        group.addoption(f"--conformance-{name}", **options)


def pytest_configure(config: pytest.Config) -> None:
    """Check the options before any test.

    Raises:
        UsageError: an option is wrong.
    """
    config.addinivalue_line("markers", "conformance: a test of the suite for Keras backends")
    if not _asked_for(config):
        return
    asked = chosen(config)
    if not asked.names_target:
        raise pytest.UsageError(
            f"{SUITE}: nothing says what to test\n"
            "hint: add --conformance-target NAME (`conformance targets` lists them) "
            "or --conformance-module my_package.backend"
        )
    from conformance.testing.items import refuse_wrong_usage  # noqa: PLC0415 - costs seconds

    refuse_wrong_usage(config, asked)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the targets that the command line names; UsageError for a target that does not
    start."""
    config = session.config
    if not _asked_for(config) or config.option.collectonly or hasattr(config, "workerinput"):
        return
    from conformance.testing.items import refuse_what_does_not_start  # noqa: PLC0415

    refuse_what_does_not_start(config, chosen(config))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """The line on the targets, the profile and the seed."""
    if not _asked_for(config):
        return []
    from conformance.testing.items import header  # noqa: PLC0415

    return [header(config, chosen(config))]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item] | None:
    """The tests of a `conformance_tests(...)` in a test module."""
    if not isinstance(obj, ConformanceTests):
        return None
    from conformance.testing.items import items  # noqa: PLC0415

    return items(collector, name, obj, chosen(collector.config))


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With plain `-n`, send the tests of one function to one worker, which examines it once."""
    if config.getoption("dist") != "load" or not _asked_for(config):
        return None
    from conformance.testing.scheduling import scheduler  # noqa: PLC0415

    return scheduler(config, log)


def chosen(config: pytest.Config) -> ConformanceTests:
    """The arguments that the options give."""
    option = config.option
    return conformance_tests(
        option.conformance_module,
        target=option.conformance_target,
        edition=option.conformance_edition,
        path=option.conformance_path,
        environment=dict(option.conformance_env),
        eager=option.conformance_eager,
        adapter=option.conformance_adapter,
        python=option.conformance_python,
        config=option.conformance_config,
        profile=option.conformance_profile,
        seed=option.conformance_seed,
        fail_on=option.conformance_fail_on,
        expectations=option.conformance_expectations,
    )


def _asked_for(config: pytest.Config) -> bool:
    """Whether the arguments of pytest name the suite's own test module."""
    return any(_is_suite(argument.partition("::")[0]) for argument in config.args)


def _is_suite(argument: str) -> bool:
    return argument == SUITE or Path(argument).resolve() == SUITE_FILE


def _variable(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not (key and sign):
        raise argparse.ArgumentTypeError(f"{text!r}: write KEY=VALUE")
    return key, value


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: write a whole number from 0 on")
    return int(text)


def _several(metavar: str, about: str, **more: Any) -> dict[str, Any]:
    return {"action": "append", "default": [], "metavar": metavar, "help": about, **more}


def _text(metavar: str, about: str, **more: Any) -> dict[str, Any]:
    return {"metavar": metavar, "help": about, **more}


_OPTIONS: dict[str, dict[str, Any]] = {
    "target": _several("NAME", "Test this target, or a library's; may be repeated."),
    "module": _text("MODULE", "Test this module, such as my_package.backend."),
    "edition": _text("EDITION", "keras-1, keras-2.0, keras-2.2 or keras-3; else the target's own."),
    "profile": _text("PROFILE", "How much is tried: smoke, default or thorough."),
    "seed": _text("N", "The same seed gives the same cases; 0 by default.", type=_seed),
    "fail-on": _text(
        "WHAT",
        "violation (with crashes and time-outs), accuracy, change, divergence, unsupported,"
        " several as divergence,unsupported, or never.",
    ),
    "expectations": _text(
        "FILE", "Known failures: a test that has one is expected to fail, and fails if it does not."
    ),
    "config": _text("FILE", "A TOML file with targets of your own; by default conformance.toml."),
    "python": _text("PYTHON", "The interpreter for the module: a version, or a path."),
    "path": _several("DIR", "A folder that the module is imported from; may be repeated."),
    "env": _several("KEY=VALUE", "A variable for the module; may be repeated.", type=_variable),
    "eager": {
        "action": "store_true",
        "help": "The module is in eager mode: it has no graph.",
    },
    "adapter": _text(
        "CLASS", "The class that reaches the module: module:Class, or an entry point's name."
    ),
}
