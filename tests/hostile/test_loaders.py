"""Every file that is read: whatever it holds, only the documented error comes out, and soon.

`pytest tests/hostile --hypothesis-profile=hostile` tries much more, with other numbers each time.
"""

from __future__ import annotations

import copy
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.adapters import mappings, registry
from conformance.adapters.mappings import MappingError
from conformance.adapters.registry import RegistryError
from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.files import results
from conformance.program import from_json, to_json
from conformance.program.codec import ProgramError
from conformance.reporting.json_results import ResultsError, encode, read_results
from conformance.specs.reading import SHARED_FILE, load_text, shared_in
from conformance.specs.source import SpecError
from tests.adapters.support import call, x
from tests.hostile.mutations import BOMBS, as_json, as_tables, as_toml, mutated
from tests.reporting.records import every_verdict

CORPUS = Path(__file__).with_name("corpus") / "loaders"
Load = Callable[[bytes, Path], Any]


def _of_file(load: Callable[[Path], Any], name: str) -> Load:
    def from_bytes(data: bytes, folder: Path) -> Any:
        file = folder / name
        file.write_bytes(data)
        getattr(load, "cache_clear", lambda: None)()
        return load(file)

    return from_bytes


def _spec(data: bytes, _: Path) -> Any:
    return load_text(data.decode("utf-8", "surrogatepass"), "x.yaml")


def _shared(data: bytes, _: Path) -> Any:
    return shared_in(data.decode("utf-8", "surrogatepass"))


LOADERS: dict[str, tuple[Load, type[Exception]]] = {
    "targets": (_of_file(registry.load, "conformance.toml"), RegistryError),
    "pyproject": (_of_file(registry.load, "pyproject.toml"), RegistryError),
    "mapping": (_of_file(mappings.load, "mapping.toml"), MappingError),
    "expectations": (_of_file(known_failures.read, "known.toml"), UsageProblem),
    "results": (_of_file(read_results, "x.json"), ResultsError),
    "stored results": (
        _of_file(lambda file: results.stored([file.parent]), "x.json"),
        UsageProblem,
    ),
    "spec": (_spec, SpecError),
    "shared rules": (_shared, SpecError),
}
"""What reads a file, and the only error that may come out of it but for `OSError`."""


@contextmanager
def frugal(seconds: float = 20.0, most: int = 2**28) -> Iterator[None]:
    """Neither long nor large: many times what is needed, and far from what would harm.

    Seconds are those of the processor, so that nothing else on the machine counts.
    """
    begun, held = time.process_time(), _most_held()
    yield
    assert _most_held() - held < most
    assert time.process_time() - begun < seconds


def _most_held() -> int:
    """The most bytes of memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def attempt(name: str, data: bytes, folder: Path) -> Any:
    """What is loaded, or None if it is refused in the documented way."""
    load, refusal = LOADERS[name]
    try:
        return load(data, folder)
    except refusal as error:
        assert str(error)
    except UnicodeDecodeError:
        assert name in ("spec", "shared rules")  # texts, which have been decoded already
    return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("files")
    (place / "src").mkdir()
    (place / "lock.txt").write_text("numpy==1.0\n")
    (place / "m.toml").write_bytes(as_toml(MAPPING))
    return place


MAPPING = {
    "imports": ["import keras"],
    "functions": {"clip": {"old": "x, a, b", "new": "keras.ops.clip(x, a, b)", "differs": "no"}},
    "absent": {"gradients": "nothing"},
    "notes": ["one"],
}
TARGETS = {
    "venvs": {"v": {"python": ["3.11"], "requirements": ["numpy"], "lock": "lock.txt"}},
    "targets": {
        "a": {
            "module": "a.b",
            "edition": "keras-2.2",
            "path": ["src"],
            "names": {"pow": "power"},
            "environment": {"A": "{home}/x"},
            "python": "3.11",
            "requirements": ["numpy", "-e ./src"],
            "programs": [{"name": "g++", "cure": "get it"}],
            "libraries": [{"name": "a.so", "found_as": "b.so", "cure": "get it"}],
            "startup": ["import a"],
            "workers": 1,
            "memory_limit": 2.5,
            "cpu_limit": 30,
        },
        "b": {"module": "b", "edition": "keras-1", "venv": "v", "mapping": "m.toml"},
    },
}
PYPROJECT = {"project": {"name": "x"}, "tool": {"conformance": TARGETS, "ruff": {}}}
EXPECTATIONS = {
    "expect": [
        {"function": "exp", "aspect": "value", "verdict": "violates", "reason": "r", "target": "t"}
    ]
}
_FAILED: Any = yaml.safe_load(encode(every_verdict()).decode())
_SPECS: Any = yaml.safe_load(
    resources.files("conformance.specs").joinpath("linear_algebra.yaml").read_text("utf-8")
)
_SPECS["functions"] = _SPECS["functions"][:2]  # dot and batch_dot, which use all of its rules
_SHARED: Any = yaml.safe_load(
    resources.files("conformance.specs").joinpath(SHARED_FILE).read_text("utf-8")
)

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.mark.parametrize("name", LOADERS)
@QUIET
@given(data=st.binary(max_size=200))
def test_bytes(name: str, data: bytes, folder: Path) -> None:
    attempt(name, data, folder)


def test_the_documents_are_valid(folder: Path) -> None:
    assert set(attempt("targets", as_toml(TARGETS), folder)) == {"a", "b"}
    assert set(attempt("pyproject", as_toml(PYPROJECT), folder)) == {"a", "b"}
    assert attempt("mapping", as_toml(MAPPING), folder).absent
    assert len(attempt("expectations", as_tables(EXPECTATIONS), folder)) == 1
    assert attempt("results", as_json(_FAILED), folder).functions
    assert attempt("spec", yaml.safe_dump(_SPECS).encode(), folder).functions
    assert attempt("shared rules", yaml.safe_dump(_SHARED).encode(), folder).errors


@QUIET
@given(data=mutated(TARGETS))
def test_targets(data: Any, folder: Path) -> None:
    attempt("targets", as_toml(data), folder)


@QUIET
@given(data=mutated(PYPROJECT))
def test_pyproject(data: Any, folder: Path) -> None:
    attempt("pyproject", as_toml(data), folder)


@QUIET
@given(data=mutated(MAPPING))
def test_mappings(data: Any, folder: Path) -> None:
    attempt("mapping", as_toml(data), folder)


@QUIET
@given(data=mutated(EXPECTATIONS))
def test_expectations(data: Any, folder: Path) -> None:
    attempt("expectations", as_tables(data), folder)


@QUIET
@given(data=mutated(_FAILED))
def test_results(data: Any, folder: Path) -> None:
    attempt("results", as_json(data), folder)
    attempt("stored results", as_json(data), folder)


@QUIET
@given(data=mutated(_SPECS))
def test_specs(data: Any, folder: Path) -> None:
    text = yaml.safe_dump(data, allow_unicode=True)
    attempt("spec", text.encode("utf-8", "surrogatepass"), folder)


@QUIET
@given(data=mutated(_SHARED))
def test_shared_rules(data: Any, folder: Path) -> None:
    text = yaml.safe_dump(data, allow_unicode=True)
    attempt("shared rules", text.encode("utf-8", "surrogatepass"), folder)


@pytest.mark.parametrize("uses", ["[not, {}]", "[and, {}, {}]", "[r-0, {}]"])
def test_chains_of_rules(uses: str, folder: Path) -> None:
    rules = [{"name": "r-0", "takes": ["x"], "says": "", "rule": ["not", "x"]}]
    for number in range(1, 600):
        rule = yaml.safe_load(uses.replace("{}", f"[r-{number - 1}, x]"))
        rules.append({"name": f"r-{number}", "takes": ["x"], "says": "", "rule": rule})
    with frugal():
        attempt("shared rules", as_json({"rules": rules}), folder)
        attempt("spec", as_json({**_SPECS, "rules": rules[::-1]}), folder)


@given(data=mutated(to_json(call("exp", x(2, 3), args=[1, (2, 3.5), [None]], axis=-1))))
def test_programs(data: Any) -> None:
    try:
        from_json(data)
    except ProgramError as error:
        assert str(error)


@pytest.mark.parametrize("key", ["a` - at `$", "a` - at `key` in `$.x", "$[...]", "['x", "x]["])
@pytest.mark.parametrize("inside", [False, True])
def test_keys_of_specs_that_read_like_messages(key: str, inside: bool, folder: Path) -> None:
    data = copy.deepcopy(_SPECS)
    (data["functions"][0] if inside else data)[key] = {key: [{key: 1}]}
    assert not attempt("spec", yaml.safe_dump(data).encode(), folder)


@pytest.mark.parametrize(
    "file", sorted(CORPUS.glob("*/*")), ids=lambda file: f"{file.parent.name}: {file.name}"
)
def test_the_corpus(file: Path, folder: Path) -> None:
    """What once was taken, or made a loader fail, is refused by the loader of the folder's name."""
    with frugal():
        assert attempt(file.parent.name, file.read_bytes(), folder) is None


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("name", LOADERS)
def test_bombs(name: str, bomb: str, folder: Path) -> None:
    with frugal():
        assert not attempt(name, BOMBS[bomb], folder)


@pytest.mark.parametrize(
    "shape",
    [[2**62] * 100_000, [-1, -1], [0, 2**62], [2**63]],
    ids=["huge", "negative", "none", "one"],
)
def test_shapes_of_arrays_in_results(shape: list[int], folder: Path) -> None:
    array = {"dtype": "float32", "shape": shape, "data": [1.0], "truncated": True}
    data = yaml.safe_load(encode(every_verdict()).decode())
    aspect = next(a for f in data["functions"] for a in f["aspects"] if a["failures"])
    aspect["failures"][0]["got"] = array
    with frugal():
        attempt("results", as_json(data), folder)
