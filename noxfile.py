"""Sessions for developers: `nox` checks the suite, `nox -s theano` tests Keras on Theano.

A library's session makes the environments of all its targets and writes their part of `reports/`;
`nox -s matrix` puts together what is there, and `nox -s site` makes a site of it, which is not
committed. It runs what has changed since the results in `reports/`, or everything with `-- --all`;
interrupted and started again, it goes on where it was. Other options after `--` go to
`conformance run`; a run of a part (`-- -k softmax`) leaves `reports/` alone.
"""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path

import nox

nox.needs_version = ">=2024.10"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["lint", "tests", "reference"]

REPORTS = "reports"
OPS = f"{REPORTS}/keras3-ops"  # another edition with functions of its own: a matrix of its own
RUNNING = "build/running"  # the results of an unfinished run
ALL = "--all"
KERAS = "keras==2.2.4"
RELEASED = ("h5py", "pyyaml", "six", "pytest", "pytest-timeout", "setuptools", "wheel")
SHOWN = (("--sample", "100"), ("keras3-ops-numpy", "--code", "--sample", "100"))
NUMBERS = ("tests/oracle", "tests/reference", "tests/engine", "tests/scenarios")
FUZZ_EXAMPLES = "400"  # examples of each test: a minute on two cores
MANY = ("-m", "not real and (not slow or scenario)")
# Keras's tests may lie inside this folder, and its settings are for the suite's own tests
NO_SETTINGS = ("-o", "addopts=", "-o", "required_plugins=")
TORCH = "conformance/adapters/locks/torch.txt"
KERAS_TESTS = (
    "keras/backend",
    "keras/layers",
    "keras/engine",
    *(
        f"keras/{name}_test.py"
        for name in (
            "activations",
            "constraints",
            "initializers",
            "losses",
            "metrics",
            "optimizers",
            "regularizers",
        )
    ),
    "keras/test_sequential_model.py",
    "test_dynamic_trainability.py",
    "test_loss_masking.py",
    "test_loss_weighting.py",
    "test_model_pickling.py",
    "test_model_saving.py",
)

READERS = ("tests/examples/test_tfjs.py", "tests/vectors/test_safetensors.py")
OPS_TARGETS = "keras3-ops"
EVERYTHING = ("reference", "torch", "tensorflow", "theano", "cntk", "keras3")
SMALL_RUN = ("reference", "-k", "softmax or batch_dot", "--profile", "smoke", "--no-database")
YAML_FILES = {
    "github-workflows": (
        ".github/workflows/ci.yml",
        ".github/workflows/docs.yml",
        ".github/workflows/image.yml",
        ".github/workflows/newest.yml",
        ".github/workflows/nightly.yml",
        ".github/workflows/package.yml",
        "examples/ci/github-workflow.yml",
        "examples/ci/keras3-workflow.yml",
    ),
    "github-actions": ("action.yml",),
    "dependabot": (".github/dependabot.yml",),
    "gitlab-ci": ("examples/ci/gitlab-ci.yml",),
    "github-issue-forms": tuple(
        f".github/ISSUE_TEMPLATE/{name}.yml"
        for name in ("wrong-verdict", "wrong-spec", "new-target", "internal-error")
    ),
    "github-issue-config": (".github/ISSUE_TEMPLATE/config.yml",),
}

# tests that read files of the repository outside of the package
OF_FILES = (
    "tests/tools",
    "tests/docs/test_pages.py",
    "tests/docs/test_figures.py",
    "tests/docs/test_ids.py",
    "tests/docs/test_wheels.py",
    "tests/mutation/test_code_records.py",
    "tests/cli/migration/test_migration.py",
    "tests/test_supply_chain.py",
    "tests/test_documentation.py",
)

BROWSER = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "browser")
DOCS = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "docs")
PACKAGE = nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), "package")
LOCK = ".ci/development.txt"


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, types, imports between layers, and the files of CI and GitHub."""
    _install_locked(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")
    session.run("python", "-m", "tools.style")
    for schema, files in YAML_FILES.items():
        session.run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *files)


@nox.session
def audit(session: nox.Session) -> None:
    """Look up known vulnerabilities of the dependencies and the development tools."""
    _install_locked(session)
    session.run("pip-audit", "--requirement", LOCK, "--require-hashes", "--disable-pip")


@nox.session(venv_backend="uv", python="3.11")
def lock(session: nox.Session) -> None:
    """Update the lock of the development environment to the newest releases."""
    requirements = Path(session.create_tmp(), "development.txt")
    session.install("uv>=0.8")
    chosen = ("--group", "dev", "--no-emit-project", "--no-header", "--upgrade")
    session.run("uv", "export", "--quiet", *chosen, "--output-file", str(requirements))
    header = "# Made by `nox -s lock`: what `nox -s lint` and CI install, with hashes.\n"
    Path(LOCK).write_text(header + requirements.read_text("utf-8"), "utf-8")


@nox.session
def tests(session: nox.Session) -> None:
    """All tests; those of real implementations where `conformance install` has been."""
    session.install("-e", ".[test]")
    session.run("pytest", *(session.posargs or ["--everything"]))


@nox.session
def bare(session: nox.Session) -> None:
    """The README's two commands on a machine with Python alone, a narrow terminal and LANG=C."""
    session.run("python", "tools/bare.py", "--narrow", *session.posargs)


@nox.session
def hostile(session: nox.Session) -> None:
    """New wrong answers and files for a minute (CONFORMANCE_FUZZ_EXAMPLES: more)."""
    session.install("-e", ".[test]")
    env = {"CONFORMANCE_FUZZ_EXAMPLES": os.environ.get("CONFORMANCE_FUZZ_EXAMPLES", FUZZ_EXAMPLES)}
    session.run(
        "pytest", "tests/hostile", "--hypothesis-profile=hostile", *session.posargs, env=env
    )


@nox.session
def processors(session: nox.Session) -> None:
    """The tests in which numbers are compared, as on a processor without AVX2 and AVX-512."""
    session.install("-e", ".[test]")
    arguments = session.posargs or (*NUMBERS, *MANY)
    session.run("python", "-m", "tests.processors", "pytest", *arguments)


@nox.session(venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """All test folders, as in `processors`, with the lowest releases that pyproject.toml allows."""
    session.install("--resolution", "lowest-direct", "-e", ".[test]")
    session.run("python", "-m", "tests.processors", "pytest", *(session.posargs or MANY))


@nox.session(venv_backend="uv")
def newest(session: nox.Session) -> None:
    """All test folders with the newest releases that pyproject.toml allows."""
    session.install("--upgrade", "--refresh", "-e", ".[test]")
    session.run("uv", "pip", "list")
    session.run("pytest", *(session.posargs or MANY))


@nox.session
def platforms(session: nox.Session) -> None:
    """macOS and Windows, simulated: what they lack is removed in host, warden and worker."""
    _install_locked(session)
    session.run("mypy", "--platform", "darwin", "--cache-dir", ".mypy_cache/darwin", "conformance")
    session.run("pytest", "tests/platforms", "--everything", *session.posargs)


@nox.session
def dask(session: nox.Session) -> None:
    """The tests of runs on a Dask cluster, with one on this machine."""
    session.install("-e", ".[test,dask]")
    session.run(
        "pytest",
        "tests/cli/run/test_cluster.py",
        "tests/faults/test_cluster.py",
        "-rs",
        *session.posargs,
    )


@nox.session
def tfjs(session: nox.Session) -> None:
    """The vectors on TensorFlow.js, and ten faults in it; Node and npm have to be on PATH."""
    if not (shutil.which("node") and shutil.which("npm")):
        session.error("there is no Node or npm on PATH: apt-get install nodejs npm")
    # the package of the format also reads the suite's files
    session.install("-e", ".[test]", "safetensors")
    session.run("pytest", *READERS, "-rs", *session.posargs)
    folder = Path("build", "tfjs").resolve()
    chosen = ("--edition", "keras-2.2", "--output", str(folder / "vectors"))
    session.run("conformance", "vectors", *chosen)
    session.chdir("examples/tfjs")
    session.run("npm", "ci", "--no-audit", "--no-fund", external=True)
    session.run("npm", "run", "build", external=True)
    run = ("node", "build/main.cjs", str(folder / "vectors"), str(folder / "tfjs.json"))
    session.run(*run, external=True)
    session.run(
        "conformance", "report", str(folder / "tfjs.json"), "--output", str(folder / "site")
    )


@nox.session
def artefacts(session: nox.Session) -> None:
    """The files of a release beside those of `package`: the vectors, and checksums of all."""
    session.install("-e", ".")
    session.run("conformance", "vectors", "--output", "build/vectors")
    session.run("python", "-m", "tools.artefacts", "build/vectors", "dist")


@nox.session
def reference(session: nox.Session) -> None:
    """Test the implementation that ships with the suite."""
    _run(session, "reference")


@nox.session
def tensorflow(session: nox.Session) -> None:
    """Test every release of Keras on TensorFlow 0 and 1, and what TensorFlow 2 has of it."""
    _run(session, "tensorflow")


@nox.session
def theano(session: nox.Session) -> None:
    """Test every release of Keras on Theano."""
    _run(session, "theano")


@nox.session
def cntk(session: nox.Session) -> None:
    """Test every release of Keras on CNTK."""
    _run(session, "cntk")


@nox.session
def torch(session: nox.Session) -> None:
    """Test the implementation on PyTorch that ships with the suite; first with its own tests."""
    session.install("-e", ".[test]")
    session.install("--no-deps", "--require-hashes", "--requirement", TORCH)
    session.run("pytest", "tests/torch_backend")
    _run(session, "torch")


@nox.session
def keras3(session: nox.Session) -> None:
    """Test what takes the place of the functions in Keras 3, on each of its backends."""
    _run(session, "keras3")


@nox.session
def keras3_ops(session: nox.Session) -> None:
    """Test keras.ops against its own docstrings, on each of its backends."""
    _run(session, OPS_TARGETS, OPS)


@nox.session
def reports(session: nox.Session) -> None:
    """Bring all of `reports/` up to date; what cannot be installed is left out.

    It runs what has changed since, or everything with `-- --all`.
    """
    session.install("-e", ".")
    session.run("conformance", "install", *EVERYTHING, OPS_TARGETS, success_codes=[0, 3])
    _update(session, EVERYTHING, REPORTS)
    _update(session, (OPS_TARGETS,), OPS)
    _picture(session)


@nox.session
def mutation(session: nox.Session) -> None:
    """The mutation score of the suite on the reference, and the cases shown of 200 errors; or the
    score on what follows `--`."""
    session.install("-e", ".")
    arguments = session.posargs or ("reference", "--jobs", "2", "--output", f"{REPORTS}/mutation")
    session.run("conformance", "mutate", *arguments)
    for asked in () if session.posargs else SHOWN:
        session.run("python", "-m", "tools.shown_cases", *asked, success_codes=[0, 3])


@nox.session
def matrix(session: nox.Session) -> None:
    """Merge what is in `reports/`, or the results after `--`; compress it, and make the matrix."""
    session.install("-e", ".")
    _merge(session, *(session.posargs or (REPORTS,)))


@nox.session
def site(session: nox.Session) -> None:
    """Make the site of `reports/`, or of the results after `--`, in `site/`."""
    session.install("-e", ".")
    session.run("conformance", "report", *(session.posargs or (REPORTS,)), "--output", "site")


@nox.session
def docs(session: nox.Session) -> None:
    """The documentation site in `build/docs`, with the site of `reports/`; no broken link."""
    session.install("-e", ".", *DOCS)
    session.run("conformance", "report", REPORTS, "--output", "build/matrix")
    # as a module: mkdocs then imports tools/
    quiet = {"NO_MKDOCS_2_WARNING": "1"}
    session.run("python", "-m", "mkdocs", "build", "--strict", *session.posargs, env=quiet)


@nox.session
def package(session: nox.Session) -> None:
    """Build what goes to a package index, check it, and run it in an empty environment.

    The unpacked source distribution runs its tests of files, or what follows `--`.
    """
    session.install(*PACKAGE)
    shutil.rmtree("dist", ignore_errors=True)
    session.run("python", "-m", "build", "--installer", "uv")
    (wheel,), (source,) = Path("dist").glob("*.whl"), Path("dist").glob("*.tar.gz")
    session.run("twine", "check", "--strict", str(wheel), str(source))
    session.run("check-wheel-contents", "--package", "conformance", str(wheel))
    _check_page(session, wheel)
    empty = Path(session.create_tmp()).resolve()
    source = source.resolve()
    installed = str(empty / "venv" / "bin")
    session.run("uv", "venv", "--quiet", "--clear", str(empty / "venv"))
    session.run("uv", "pip", "install", "--quiet", "--python", installed + "/python", str(wheel))
    # from a folder without the sources: only the wheel can be imported
    session.chdir(empty)
    session.run(f"{installed}/conformance", "--version", external=True)
    session.run(f"{installed}/conformance", "run", *SMALL_RUN, external=True)
    _test_source(session, source, empty / "source")


@nox.session
def browser(session: nox.Session) -> None:
    """Look at a site in Chromium, which has to be on PATH."""
    if not any(map(shutil.which, ("chromium", "chromium-browser"))):
        session.error("there is no Chromium on PATH: apt-get install chromium")
    session.install("-e", ".[test]", *BROWSER)
    session.run("pytest", "-m", "browser", "-rs", *session.posargs)


@nox.session(python="3.11")
def keras(session: nox.Session) -> None:
    """Keras's own tests (of 2.2.4, from its source distribution) on the reference.

    Pass files of `tests/` there, or options of pytest, after `--`.
    """
    session.install("pip", "-e", ".", "numpy<2", "scipy<1.14", "pandas<2.3", *RELEASED)
    session.install("--no-deps", KERAS, "keras_applications==1.0.8", "keras_preprocessing==1.1.2")
    folder = Path(session.create_tmp())
    fetch = ("download", KERAS, "--no-binary", ":all:", "--no-deps", "--dest", str(folder))
    session.run("python", "-m", "pip", *fetch)
    (archive,) = folder.glob("[kK]eras-*.tar.gz")
    shutil.unpack_archive(archive, folder)
    (tests,) = folder.glob("[kK]eras-*/tests")
    plugin = Path("tests", "keras").resolve()
    session.chdir(tests)
    options = ("-p", "plugin", "-p", "no:cacheprovider", "-q", "-rfE", "--timeout", "300")
    environment = {
        "KERAS_BACKEND": "conformance.reference",
        "KERAS_HOME": str(folder),
        "PYTHONPATH": str(plugin),
    }
    chosen = session.posargs or KERAS_TESTS
    # some tests name other backends, or need packages of their time: docs/reference.md lists them
    session.run("pytest", *NO_SETTINGS, *options, *chosen, env=environment, success_codes=[0, 1])


def _check_page(session: nox.Session, wheel: Path) -> None:
    """Refuse a wheel whose page on an index would have links that lead nowhere there."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        relative = re.findall(r"\]\((?!https?:|#)([^)]+)\)", archive.read(name).decode())
    if relative:
        session.error(f"{wheel}: relative links in the description: {', '.join(relative)}")


def _test_source(session: nox.Session, archive: Path, folder: Path) -> None:
    """Run tests of an unpacked source distribution: those that read files of the repository."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.unpack_archive(archive, folder)
    (unpacked,) = folder.iterdir()
    session.chdir(unpacked)
    python = ".venv/bin/python"
    session.run("uv", "venv", "--quiet", ".venv")
    session.run("uv", "pip", "install", "--quiet", "--python", python, "-e", ".[test]")
    chosen = session.posargs or ("-n", "0", "-q", "-m", "not slow and not thorough", *OF_FILES)
    session.run(python, "-m", "pytest", *chosen, external=True)


def _install_locked(session: nox.Session) -> None:
    session.install("--require-hashes", "--requirement", LOCK)
    session.install("--no-deps", "-e", ".")


def _run(session: nox.Session, target: str, folder: str = REPORTS) -> None:
    session.install("-e", ".")
    # 3: some could not be made, and why was said; the others are run
    session.run("conformance", "install", target, success_codes=[0, 3])
    if set(session.posargs) - {ALL}:
        session.run("conformance", "run", target, *session.posargs)
        return
    _update(session, (target,), folder)
    # nothing is run: it fails if there is a violation
    session.run("conformance", "run", target, "--no-database", "--quiet", "--reuse", folder)


def _update(session: nox.Session, targets: Sequence[str], folder: str) -> None:
    """Bring the results of targets in a folder up to date, once all of them are there."""
    running, options = Path(RUNNING, folder), [a for a in session.posargs if a != ALL]
    published = () if ALL in session.posargs else ("--reuse", folder)
    running.mkdir(parents=True, exist_ok=True)
    reused = ("--reuse", str(running), *published)
    written = ("--no-database", "--fail-on", "never", "--output", str(running), *reused)
    session.run("conformance", "run", *targets, *options, *written, success_codes=[0, 3])
    compressed = ("--format", "compressed", "--output", folder)
    session.run("conformance", "report", str(running), *compressed)
    _merge(session, folder, into=folder)
    shutil.rmtree(running)


def _picture(session: nox.Session) -> None:
    folder = Path(session.create_tmp())
    session.run("conformance", "report", REPORTS, "--format", "pictures", "--output", str(folder))
    shutil.copy(folder / "pictures" / "matrix.svg", f"{REPORTS}/pictures/matrix.svg")


def _merge(session: nox.Session, *results: str, into: str = REPORTS) -> None:
    formats = ("--format", "compressed", "--format", "pages")
    session.run("conformance", "report", *results, *formats, "--output", into)
    for packed in Path(into).glob("*.json.gz"):
        # a run writes this one
        packed.with_suffix("").unlink(missing_ok=True)
