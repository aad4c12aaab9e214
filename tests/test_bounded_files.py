"""Whatever a file from elsewhere holds, it is read within bounds of time and memory."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis.database import DirectoryBasedExampleDatabase

import conformance
from conformance.adapters import mappings, registry
from conformance.adapters.mappings import MappingError
from conformance.adapters.registry import RegistryError
from conformance.cli import known_failures
from conformance.cli.errors import UsageProblem
from conformance.cli.files.results import stored
from conformance.cli.migration.uses import Unreadable, uses
from conformance.cli.options.gate import DATABASE_VARIABLE as DATABASE
from conformance.cli.options.gate import DatabaseOptions
from conformance.cli.replay.stored_failures import StoredFailure
from conformance.cli.run.database import _INDEX, MOST_BYTES, _encoded, database, default_failures
from conformance.editions.files import VARIABLE, EditionError, found_editions
from conformance.files import MOST_SOURCE, MOST_TOML, MOST_YAML
from conformance.mutation.code.population import SourcesError, _module
from conformance.reporting.containers import LARGEST, MOST_VALUES
from conformance.reporting.json_results import ResultsError, encode, read_results
from conformance.results import Aspect, FunctionResult, Verdict
from conformance.specs.documents.texts import TextsError, find_texts
from conformance.specs.reading import load_text
from conformance.specs.source import SpecError
from tests.reporting.records import aspect_result, every_verdict, failure, results

ENDLESS = Path("/dev/zero")
TOML = f"it holds more than {MOST_TOML >> 20} MiB; split it into several files"
RESULTS = f"it holds more than {LARGEST >> 20} MiB; run fewer functions at a time"
DEEP = "a key has more than 64 parts; write tables"


def _edition(file: Path) -> object:
    os.environ[VARIABLE] = str(file.parent)
    return found_editions()


READERS: dict[str, tuple[Callable[[Path], object], type[Exception]]] = {
    "conformance.toml": (registry.load, RegistryError),
    "pyproject.toml": (registry.load, RegistryError),
    "calls.toml": (mappings.load, MappingError),
    "known.toml": (known_failures.read, UsageProblem),
    "edition.toml": (_edition, EditionError),
}
"""What reads each kind of TOML, and the error that its users see."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, "")
    return tmp_path


def message(error: BaseException) -> str:
    return f"{error} {getattr(error, 'hint', '')}"


@pytest.mark.parametrize("name", READERS)
def test_toml_without_end_is_refused(name: str, place: Path) -> None:
    file = place / name
    if name == "edition.toml":  # has to be a file
        file.write_bytes(bytes(MOST_TOML + 1))
    else:
        file.symlink_to(ENDLESS)
    read, kind = READERS[name]
    with pytest.raises(kind) as caught:
        read(file)
    assert str(file) in message(caught.value)
    assert TOML in message(caught.value)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "key",
    ["a" + ".a" * 200_000, "[" + "'b' . " * 100_000 + "c]", "a" + ".a" * 2_000],
    ids=["key", "table", "short"],
)
def test_a_key_that_takes_minutes_is_refused(name: str, key: str, place: Path) -> None:
    file = place / name
    file.write_text(f"{key} = 1\n" if key[0] != "[" else f"{key}\n")
    read, kind = READERS[name]
    begun = time.monotonic()
    with pytest.raises(kind) as caught:
        read(file)
    assert str(file) in message(caught.value)
    assert DEEP in message(caught.value)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"\0" * (MOST_SOURCE + 1), "it holds more than 16 MiB"), (b"\xff", "it is not UTF-8")],
)
def test_a_lock_that_cannot_be_read_is_refused(content: bytes, problem: str, place: Path) -> None:
    lock, file = place / "lock.txt", place / "conformance.toml"
    lock.write_bytes(content)
    file.write_text('[venvs.v]\npython = "3.11"\nrequirements = ["x"]\nlock = "lock.txt"\n')
    with pytest.raises(RegistryError) as caught:
        registry.load(file)
    assert f"{file}: venvs.v: lock: {lock}: {problem}; name a file" in message(caught.value)


def test_a_source_without_end_is_refused(place: Path) -> None:
    message = f"{ENDLESS}: it holds more than {MOST_SOURCE >> 20} MiB; split it"
    with pytest.raises(SourcesError, match=message):
        _module("mine", str(ENDLESS))
    unread = uses(ENDLESS, ())
    assert isinstance(unread, Unreadable)
    assert unread.reason in message


def test_no_text_is_sought_in_a_file_without_end(place: Path) -> None:
    with (place / "sparse").open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(TextsError, match="no file"):
        find_texts(place)


PRINTED = {
    "adapters/guardian.py",  # orders of the host, and /proc
    "adapters/warden.py",  # a number in /proc
    "cli/exec.py",  # a user's script, in the process that runs it
    "scripts/printing.py",  # in the script
}
OWN = {
    "adapters/installation.py": "the pins that it installed",
    "adapters/jax/caching.py": "what workers of one target keep for each other",
    "adapters/layout.py": "records that it wrote into its home",
    "adapters/process.py": "/proc",
    "cli/init/project.py": "its templates",
    "engine/planning/estimates.py": "its table",
    "engine/running/machine.py": "/proc",
    "fingerprints/functions.py": "its sources",
    "generators/coverage/stored.py": "its arrays",
    "mutation/code/records.py": "its lists",
    "mutation/population.py": "its lists",
    "adapters/releases.py": "the metadata of a release that it installed",
    "reference/configuration.py": "the settings of Keras, in a worker",
    "reporting/html/environment.py": "its style sheets",
    "specs/data.py": "its data",
    "specs/documents/glosses.py": "its data",
    "specs/examples.py": "its data",
    "specs/reading.py": "its data",
    "specs/remembered.py": "its specs, and what it keeps of them",
}
"""The modules that read whole files without a bound, and which: no file of a user or a stranger."""


def test_files_of_others_are_read_by_one_function() -> None:
    """A class of faults: a reader of its own would need a bound of its own."""
    package = Path(conformance.__file__).parent
    whole = re.compile(r"\.read_(text|bytes)\(|\.read\(\)|(tomllib|json)\.load\(|gzip\.open\(")
    workers = ("adapters/worker/", "mutation/worker/", "adapters/theano/")
    places = {
        file.relative_to(package).as_posix(): [
            line for line in file.read_text("utf-8").splitlines() if whole.search(line)
        ]
        for file in package.rglob("*.py")
    }
    readers = {place for place, lines in places.items() if lines and not place.startswith(workers)}
    assert readers - PRINTED == {*OWN}


def test_a_spec_without_end_is_refused(place: Path) -> None:
    with pytest.raises(SpecError, match=r"my\.yaml:1: more than 4 MiB; split it"):
        load_text(" " * (MOST_YAML + 1), "my.yaml")


def test_results_without_end_are_refused(place: Path) -> None:
    plain, packed = place / "a.json", place / "b.json.gz"
    plain.symlink_to(ENDLESS)
    packed.write_bytes(gzip.compress(b" " * (LARGEST + 1), 1))
    for file in (plain, packed):
        with pytest.raises(ResultsError) as caught:
            read_results(file)
        assert str(caught.value).startswith(f"{file}: at $: {RESULTS}")
        with pytest.raises(UsageProblem, match=f"{file.name}: it holds more than"):
            stored([file])


MEASURE = """
import re, sys
from pathlib import Path
from conformance.reporting.json_results import ResultsError, read_results

def most():
    return int(re.search("VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

before = most()
try:
    read_results(Path(sys.argv[1]))
except ResultsError as error:
    print(error.problem, file=sys.stderr)
print(most() - before)
"""


def taken(file: Path) -> int:
    """MiB that reading the file takes at most."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(file)], capture_output=True, text=True, check=True
    )
    return int(done.stdout) >> 10


@pytest.mark.skipif(sys.platform != "linux", reason="memory has other units elsewhere")
@pytest.mark.parametrize("unit", ["[],", "{},", '"a",', "0.5,", "[[[[]]]],"])
def test_a_small_file_takes_little_memory(unit: str, place: Path) -> None:
    """200 kB of gzip took 2.2 GB when only the bytes were limited, to one GiB."""
    aspects = [aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(program={"x": []}))]
    large = results("mine", [FunctionResult("dot", "linear algebra", aspects)])
    before, after = encode(large).decode().split('"x": []')
    for most in (LARGEST - len(before) - len(after) - 10, int(MOST_VALUES * len(unit) / 2.2)):
        many = (unit * (most // len(unit))).rstrip(",")
        file = place / "mine.json.gz"
        file.write_bytes(gzip.compress(f'{before}"x": [{many}]{after}'.encode(), 1))
        assert taken(file) < 300


def test_as_many_values_as_real_results_have_are_read(place: Path) -> None:
    file = place / "mine.json"
    file.write_bytes(encode(every_verdict("mine")))
    assert read_results(file).target.name == "mine"


def store(folder: Path, *values: bytes) -> Path:
    """A database with these cases, as a stranger's project could bring it along."""
    place = folder / ".conformance" / "examples"
    stored = DirectoryBasedExampleDatabase(place)
    for value in values:
        stored.save(b"key", value)
    stored.save(_INDEX, b"key")
    return place


def no_cases(place: Path) -> str:
    """The problem that a run has with a database."""
    with pytest.raises(UsageProblem) as caught:
        database(DatabaseOptions(database=place)).remembered()
    assert "--no-database" in message(caught.value)
    return message(caught.value)


def test_kept_cases_without_end_are_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = store(place, b"{}")
    (file,) = (f for f in stored.rglob("*") if f.is_file() and f.read_bytes() == b"{}")
    file.unlink()
    file.symlink_to(ENDLESS)
    assert f"{file}: a database of kept cases has files alone" in no_cases(stored)
    file.unlink()
    os.mkfifo(file)
    assert f"{file}: a database of kept cases has files alone" in no_cases(stored)
    file.unlink()
    with file.open("wb") as sparse:
        sparse.truncate(MOST_BYTES + 1)
    assert f"{stored}: the kept cases take more than {MOST_BYTES >> 20} MiB" in no_cases(stored)
    monkeypatch.chdir(place)
    monkeypatch.setenv(DATABASE, "")
    with pytest.raises(UsageProblem, match="the kept cases take more than"):
        default_failures()


def test_kept_cases_with_too_many_values_are_not_decoded(place: Path) -> None:
    aspect = aspect_result(Aspect.VALUE, Verdict.VIOLATES, failure(program={"x": []}))
    run = results("mine", [FunctionResult("dot", "linear algebra", [aspect])])
    (shown,) = aspect.failures
    case = StoredFailure(
        target=run.target, run=run.run, function="dot", aspect=aspect, failure=shown
    )
    few, many = b'"x":[[]]', b'"x":[' + b"[]," * (MOST_VALUES // 2) + b"[]]"
    usual = _encoded(case).replace(b'"x":[]', few)
    stored = store(place, usual, usual.replace(few, many))
    ((only,),) = [database(DatabaseOptions(database=stored)).stored()]
    assert only.failure.program == {"x": [[]]}
