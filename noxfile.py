"""Sessions for developers: `nox` checks the suite, `nox -s theano` tests Keras on Theano.

A library's session makes the environments of all its targets and writes their part of `reports/`. What is given after
`--` goes to `conformance run`; a run of a part (`-- -k softmax`) leaves `reports/` alone.
"""

from __future__ import annotations

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "tests", "reference"]

LINT = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "lint")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, formatting, types, and which layer imports which."""
    session.install("-e", ".[test]", "nox", *LINT)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")


@nox.session
def tests(session: nox.Session) -> None:
    """The tests; those of real implementations where `conformance install` has been."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs)


@nox.session
def reference(session: nox.Session) -> None:
    """Test the implementation that ships with the suite."""
    _run(session, "reference")


@nox.session
def tensorflow(session: nox.Session) -> None:
    """Test every release of Keras on TensorFlow 0 and 1, and tf_keras on TensorFlow 2."""
    _run(session, "tensorflow")


@nox.session
def theano(session: nox.Session) -> None:
    """Test every release of Keras on Theano."""
    _run(session, "theano")


@nox.session
def cntk(session: nox.Session) -> None:
    """Test every release of Keras on CNTK."""
    _run(session, "cntk")


def _run(session: nox.Session, target: str) -> None:
    session.install("-e", ".")
    session.run("conformance", "install", target)
    session.run("conformance", "run", target, *(session.posargs or ("--output", "reports")))
