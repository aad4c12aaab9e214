"""Conformance tests beside your own tests: `conformance_tests` makes pytest collect them.

    from conformance.testing import conformance_tests

    test_conformance = conformance_tests("my_package.backend", edition="keras-2.2")

Importing this is cheap: the specs are read when the tests are collected, and a process of its own
imports the backend when they run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.editions import Edition

SUITE = "conformance.suite"
"""The test module of the suite itself; the command line names its targets."""
SUITE_FILE = Path(__file__).parents[1] / "suite.py"

PathLike = str | os.PathLike[str]


class ConformanceWarning(UserWarning):
    """An aspect does not conform, but `fail_on` lets it pass."""


class DivergenceWarning(ConformanceWarning):
    """The documents are silent, and the answer is another than the suite's: no fault."""


class ChangeWarning(ConformanceWarning):
    """The target replaces the documented API, and its call answers otherwise: no fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformanceTests:
    """The tests of `conformance_tests`: pytest collects one for each function and aspect.

    A field that is None is decided by the option of pytest.
    """

    targets: tuple[str, ...] = ()
    module: str | None = None
    edition: Edition | None = None
    paths: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    eager: bool = False
    adapter: str | None = None
    python: str | None = None
    config: Path | None = None
    profile: str | None = None
    seed: int | None = None
    fail_on: str | None = None
    expectations: Path | None = None

    @property
    def names_target(self) -> bool:
        """Whether a target or a module is named."""
        return bool(self.targets or self.module)


def conformance_tests(
    module: str | None = None,
    *,
    target: str | Sequence[str] = (),
    edition: Edition | None = None,
    path: PathLike | Sequence[PathLike] = (),
    environment: Mapping[str, str] | None = None,
    eager: bool = False,
    adapter: str | None = None,
    python: str | None = None,
    config: PathLike | None = None,
    profile: str | None = None,
    seed: int | None = None,
    fail_on: str | None = None,
    expectations: PathLike | None = None,
) -> ConformanceTests:
    """Tests of `module`, or of targets that `conformance targets` lists, for pytest to collect.

    Assign the result to a name in a test module. The arguments are those of `conformance run`.
    `edition` is the module's edition, `path` the folders that it is imported from, `environment`
    its environment variables. `eager` selects eager mode, `adapter` and `python` reach the module,
    and `config` is a file of targets. Relative paths are relative to the working directory.

    `profile`, `seed`, `fail_on` and `expectations` can be overridden with the `--conformance-`
    options of pytest. Without module and target, these options also choose the target.
    pytest reports wrong arguments when it collects the tests.
    """
    return ConformanceTests(
        targets=(target,) if isinstance(target, str) else tuple(target),
        module=module,
        edition=edition,
        paths=(Path(path),) if isinstance(path, (str, os.PathLike)) else tuple(map(Path, path)),
        environment=dict(environment or {}),
        eager=eager,
        adapter=adapter,
        python=python,
        config=None if config is None else Path(config),
        profile=profile,
        seed=seed,
        fail_on=fail_on,
        expectations=None if expectations is None else Path(expectations),
    )
