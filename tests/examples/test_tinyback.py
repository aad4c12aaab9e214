"""A package that brings its targets along, installed beside the suite, as its README says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import conformance
from conformance.adapters.interpreters import uv_program
from conformance.reporting.json_results import read_results
from conformance.results import Aspect, Results, Verdict

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "tinyback"
FUNCTIONS = "softmax or pow or eye or reshape or sqrt"


class Installed:
    """The example in an environment of its own, where the suite can be imported too."""

    def __init__(self, folder: Path) -> None:
        self.python = folder / "venv" / "bin" / "python"
        self.results = folder / "results"
        self._home = folder / "home"
        uv("venv", "--python", sys.executable, str(folder / "venv"))
        # a cache of its own: an earlier build must not stand in for the present source
        uv("pip", "install", "--no-deps", "--python", str(self.python), str(EXAMPLE), cache=folder)
        (packages,) = (folder / "venv").glob("lib/python*/site-packages")
        places = (ROOT, Path(np.__file__).parents[1])
        (packages / "suite.pth").write_text("\n".join(map(str, places)), encoding="utf-8")

    def conformance(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of the suite, given in the folder of the example."""
        return subprocess.run(
            [self.python, "-m", "conformance", *arguments],
            cwd=EXAMPLE,
            env={**os.environ, "CONFORMANCE_HOME": str(self._home)},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


def uv(*arguments: str, cache: Path | None = None) -> None:
    environment = os.environ | ({"UV_CACHE_DIR": str(cache / "cache")} if cache else {})
    command = [uv_program(), "--offline", "--quiet", *arguments]
    subprocess.run(command, check=True, env=environment)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("tinyback"))


@pytest.fixture(scope="module")
def results_by_target(installed: Installed) -> Iterator[dict[str, Results]]:
    run = installed.conformance(
        *("run", "tinyback", "tinyback-lazy", "--profile", "smoke", "-k", FUNCTIONS, "-j", "1"),
        *("--output", str(installed.results)),
    )
    assert run.returncode == 0, run.stdout + run.stderr
    names = ("tinyback", "tinyback-lazy")
    yield {name: read_results(installed.results / f"{name}.json") for name in names}


def verdict(results: Results, function: str, aspect: Aspect) -> Verdict:
    (judged,) = (f for f in results.functions if f.function == function)
    return next(a.verdict for a in judged.aspects if a.aspect is aspect)


def test_the_suite_does_not_know_it() -> None:
    sources = Path(conformance.__file__).parent.rglob("*.*")
    texts = [s.read_bytes() for s in sources if s.suffix in (".py", ".toml", ".yaml")]
    assert len(texts) > 100
    assert not [text for text in texts if b"tinyback" in text]


def test_its_targets_are_listed_where_it_is(installed: Installed) -> None:
    done = installed.conformance("targets", "--json", "--config", "pyproject.toml")
    assert done.returncode == 0, done.stderr
    entries = json.loads(done.stdout)
    mine = {t["name"]: t["ready"] for t in entries if t["name"].startswith("tinyback")}
    assert mine == {"tinyback": True, "tinyback-lazy": True}


def test_install_takes_them_as_run_does(installed: Installed) -> None:
    done = installed.conformance("install", "tinyback", "tinyback-lazy")
    assert done.returncode == 0, done.stderr
    assert "ready tinyback-lazy" in done.stderr


@pytest.mark.parametrize("target", ["tinyback", "tinyback-lazy"])
def test_what_it_offers_is_tested_and_the_rest_is_unsupported(
    results_by_target: dict[str, Results], target: str
) -> None:
    results = results_by_target[target]
    for aspect in (Aspect.PRESENCE, Aspect.SIGNATURE, Aspect.VALUE, Aspect.DTYPE, Aspect.PURITY):
        assert verdict(results, "softmax", aspect) is Verdict.CONFORMS, aspect
    assert verdict(results, "eye", Aspect.PRESENCE) is Verdict.UNSUPPORTED
    assert verdict(results, "eye", Aspect.VALUE) is Verdict.UNSUPPORTED
    assert verdict(results, "softmax", Aspect.GRADIENT) is Verdict.UNSUPPORTED


def test_a_function_under_another_name_is_tested(results_by_target: dict[str, Results]) -> None:
    assert verdict(results_by_target["tinyback"], "pow", Aspect.PRESENCE) is Verdict.CONFORMS
    (pow_,) = (f for f in results_by_target["tinyback"].functions if f.function == "pow")
    assert next(a.cases for a in pow_.aspects if a.aspect is Aspect.VALUE) > 0


def test_placeholders_that_are_absent_do_not_stand_in_the_way(
    results_by_target: dict[str, Results],
) -> None:
    assert verdict(results_by_target["tinyback"], "reshape", Aspect.VALUE) is Verdict.CONFORMS


@pytest.mark.parametrize("target", ["tinyback", "tinyback-lazy"])
def test_the_script_of_a_divergence_runs_without_the_suite(
    installed: Installed, results_by_target: dict[str, Results], target: str, tmp_path: Path
) -> None:
    (sqrt,) = (f for f in results_by_target[target].functions if f.function == "sqrt")
    value = next(a for a in sqrt.aspects if a.aspect is Aspect.VALUE)
    assert value.verdict is Verdict.DIVERGES  # of special values: roots of negative numbers are 0
    script = value.failures[0].script
    assert script is not None
    assert "conformance" not in script
    done = subprocess.run(
        [installed.python, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "nan" in done.stderr
