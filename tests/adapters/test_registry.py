"""Targets read from TOML: the shipped ones, a user's own, and files that are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.adapters import field_texts, registry
from conformance.adapters.registry import RegistryError, UnknownTargetError
from conformance.adapters.target_records import Target, Venv


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


RELEASES = {
    "keras-1.0.8": ("keras-1", {"tensorflow", "theano"}),
    "keras-1.2.2": ("keras-1", {"tensorflow", "theano"}),
    "keras-2.0.4": ("keras-2.0", {"tensorflow", "theano"}),
    "keras-2.0.8": ("keras-2.0", {"cntk"}),
    "keras-2.2.2": ("keras-2.2", {"tensorflow", "theano", "cntk"}),
    "keras-2.2.4": ("keras-2.2", {"tensorflow", "theano", "cntk"}),
}


@pytest.mark.parametrize("release", RELEASES)
def test_the_targets_of_a_release_share_one_venv(release: str) -> None:
    targets = [t for t in registry.shipped().values() if t.name.startswith(f"{release}-")]
    edition, libraries = RELEASES[release]
    assert {t.name for t in targets} == {f"{release}-{library}" for library in libraries}
    assert {t.library for t in targets} == libraries
    assert {t.edition for t in targets} == {edition}
    assert {t.venv.name for t in targets if t.venv} == {release}


@pytest.mark.parametrize("target", registry.shipped().values(), ids=lambda t: t.name)
def test_what_a_target_says_it_is_agrees_with_what_is_installed(target: Target) -> None:
    if target.venv is None:
        return
    pins = target.venv.pins()
    for package, version in re.findall(r"(\w+) ([0-9.]+)", target.implementation):
        assert re.search(rf"^{package.lower().replace('_', '-')}(-cpu)?=={version} ", pins, re.M)


def test_the_reference_needs_no_installation() -> None:
    assert registry.shipped()["reference"].venv is None


VENVS = {t.venv.name: t.venv for t in registry.shipped().values() if t.venv and t.venv.lock}


@pytest.mark.parametrize("venv", VENVS.values(), ids=lambda v: v.name)
def test_a_lock_pins_every_requirement_and_hashes_every_pin(venv: Venv) -> None:
    assert venv.lock is not None
    pins = re.findall(r"^(\S+==\S+).*?((?:\n    --hash=sha256:\w{64}.*)*)$", venv.pins(), re.M)
    assert all(hashes for _, hashes in pins)
    required = {r.partition(" ;")[0].replace("_", "-") for r in venv.requirements}
    assert required <= {pin for pin, _ in pins}


def test_a_library_stands_for_all_its_targets_in_order_and_once() -> None:
    names = [t.name for t in registry.resolve(["tf_keras", "cntk", "tensorflow", "cntk"])]
    cntk = [f"keras-{release}-cntk" for release in ("2.0.8", "2.2.2", "2.2.4")]
    tensorflow = [
        f"keras-{release}-tensorflow" for release in ("1.0.8", "1.2.2", "2.0.4", "2.2.2", "2.2.4")
    ]
    assert names == ["tf_keras", *cntk, *tensorflow, "tf_keras-graph", "keras3-legacy-tensorflow"]


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownTargetError, match=r"'theno'; did you mean theano\?"):
        registry.resolve(["theno"])


def test_an_unknown_name_near_to_none_lists_all() -> None:
    with pytest.raises(UnknownTargetError, match=r"there are: .*reference.*tf_keras"):
        registry.resolve(["zzz"])


def test_a_user_describes_a_target_without_python_code(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [targets.my-backend]
        module = "my_package.backend"
        edition = "keras-2.2"
        python = "3.11"
        requirements = ["my-package==1.4"]
        environment = { MY_FLAG = "1" }
        """,
    )
    target = registry.load(path)["my-backend"]
    assert (target.library, target.implementation) == ("my-backend", "my_package.backend")
    assert target.environment == {"MY_FLAG": "1"}
    assert target.venv is not None
    assert (target.venv.name, target.venv.python) == ("my-backend", ("3.11",))
    assert target.venv.pins() == "my-package==1.4\n"


GOOD = 'module = "m"\nedition = "keras-2.2"\n'


@pytest.mark.parametrize("name", ["conformance.toml", "pyproject.toml"])
def test_a_file_may_name_the_folder_of_the_documents(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    head = "[tool.conformance]\n" if name == "pyproject.toml" else ""
    table = "[tool.conformance.targets.a]\n" if head else "[targets.a]\n"
    path.write_text(f'{head}documents = "texts"\n{table}{GOOD}', "utf-8")
    assert registry.documents_folder(path) == tmp_path / "texts"
    assert list(registry.load(path)) == ["a"]
    path.write_text(table + GOOD, "utf-8")
    assert registry.documents_folder(path) is None


def test_a_folder_of_documents_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "conformance.toml"
    path.write_text("documents = 3", "utf-8")
    with pytest.raises(
        RegistryError, match=r"conformance\.toml: documents: found 3; write a folder"
    ):
        registry.documents_folder(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[targets.a", "mine.toml: "),
        ("[target.a]\n" + GOOD, "unknown table `target`; write .targets.NAME."),
        ('[targets.a]\nmodule = "m"', r"targets.a: give `module` \(.*\) and `edition`"),
        ("[targets.a]\n" + GOOD + "modle = 1", "targets.a: .*`modle`.*did you mean module"),
        (
            '[targets.a]\nmodule = "m"\nedition = "keras-9"',
            "targets.a: edition: there is no 'keras-9'",
        ),
        ("[targets.a]\n" + GOOD + 'name = "b"', "targets.a: `name` is the table's own"),
        ('[targets."a/b"]\n' + GOOD, "targets.a/b: a name has letters"),
        ('[targets.".."]\n' + GOOD, r"targets.\.\.: a name has letters"),
        ("[targets.a]\n" + GOOD + 'venv = "v"', r"targets.a: no table \[venvs.v\]"),
        (
            "[targets.a]\n" + GOOD + 'environment = { X = "{hom}" }',
            r"environment.X: unknown placeholder \{hom\}; there are .*\{home\}",
        ),
        ("[targets.a]\n" + GOOD + 'environment = { X = "{" }', "environment.X: "),
        (
            '[venvs.v]\npython = ["3.6"]\nrequirements = ["x"]\nlock = "no.txt"',
            "venvs.v: lock: there is no file .*no.txt",
        ),
        ("[targets.a]\n" + GOOD + 'editions = ["keras-1"]', "targets.a: editions: add keras-2.2"),
        (
            "[targets.a]\n" + GOOD + 'prepare = "no.py"',
            "targets.a: prepare: there is no file .*no.py",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RegistryError, match=message) as caught:
        registry.load(written(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "mine.toml"))


PLACED = """# a comment
[targets.other]
module = "m"
edition = "keras-2.2"
workers = 1

[targets.a]
module = "m"
edition = "keras-2.2"
{}
"""


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("names = ['a', 'b']", ':10: targets.a: names: found ["a", "b"]; write names = { pow = '),
        ("workers = 3", ":10: targets.a: workers: found 3; write workers = 1, or 2"),
        ("sandbox = 'no'", ':10: targets.a: sandbox: found "no"; write sandbox = false'),
        ("names = { pow = 3 }", ':10: targets.a: names: found {"pow": 3}; write names = {'),
        ("[targets.a.names]\npow = 3", ':10: targets.a: names: found {"pow": 3}; write names'),
        ("paths = 'src'", ":10: targets.a: unknown field `paths`; did you mean path?"),
        ("modle = 3", ":10: targets.a: unknown field `modle`; did you mean module?"),
        (
            "programs = [{ name = 'g++' }]",
            ':10: targets.a: programs: found [{"name": "g++"}] (missing required field `cure`)',
        ),
        ("family = 'lazy'", ":10: targets.a: family: there is no 'lazy'; "),
    ],
)
def test_a_wrong_field_is_told_as_in_the_file_with_its_line_and_an_example(
    tmp_path: Path, field: str, message: str
) -> None:
    with pytest.raises(RegistryError) as caught:
        registry.load(written(tmp_path, PLACED.format(field)))
    assert str(caught.value).startswith(f"{tmp_path / 'mine.toml'}{message}")
    assert "$" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("targets = 3", ":1: targets: found 3; write [targets.NAME]"),
        ("[targets]\na = 3", ":2: targets.a: found 3; write [targets.NAME]"),
        ("[[targets]]\nmodule = 'm'", ':1: targets: found [{"module": "m"}]; write [targets.NAME]'),
        ("venvs = 'v'", ':1: venvs: found "v"; write [venvs.NAME]'),
        (
            "[venvs.v]\npython = '3.6'",
            ":1: venvs.v: `requirements` is missing; write requirements =",
        ),
    ],
)
def test_what_is_no_table_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RegistryError) as caught:
        registry.load(written(tmp_path, text))
    assert str(caught.value).startswith(f"{tmp_path / 'mine.toml'}{message}")


def test_a_field_of_pyproject_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[project]\n\n[tool.conformance.targets.a]\n{GOOD}workers = 3\n", "utf-8")
    with pytest.raises(RegistryError, match=r"pyproject\.toml:6: targets\.a: workers: found 3"):
        registry.load(path)


def test_every_field_has_an_example() -> None:
    inner = {"name", "found_in", "described_in"}
    fields = {*Target.__struct_fields__, *Venv.__struct_fields__} - inner
    assert fields == set(field_texts.EXAMPLES)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"nowhere\.toml"):
        registry.load(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", {"KERAS_BACKEND": "mine", "BRACES": "{x}"}),
        ('script_environment = { OTHER = "1" }', {"OTHER": "1"}),
    ],
)
def test_a_script_gets_the_variables_that_hold_no_placeholder(
    tmp_path: Path, line: str, expected: dict[str, str]
) -> None:
    text = f"""
[targets.mine]
module = "keras.ops"
edition = "keras-3"
path = "."
{line}
[targets.mine.environment]
KERAS_BACKEND = "mine"
HOME = "{{home}}"
BRACES = "{{{{x}}}}"
PYTHONPATH = "a"
"""
    assert registry.load(written(tmp_path, text))["mine"].script_environment == expected


def test_a_misspelt_dtype_or_module_names_the_right_one(tmp_path: Path) -> None:
    for field, message in {
        "lacks = ['float64', 'flaot16']": "lacks: no dtype 'flaot16'; did you mean float16",
        "lacks = ['double']": "lacks: no dtype 'double'; there are: bool, int4",
    }.items():
        with pytest.raises(RegistryError, match=message):
            registry.load(written(tmp_path, PLACED.format(field)))
    text = "[targets.a]\nmodul = 'a'\nedition = 'keras-3'\n"
    with pytest.raises(RegistryError, match="unknown field `modul`; did you mean module"):
        registry.load(written(tmp_path, text))
