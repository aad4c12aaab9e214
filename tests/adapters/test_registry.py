"""Targets read from TOML: the shipped ones, a user's own, and files that are wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.adapters import registry
from conformance.adapters.registry import RegistryError, UnknownTargetError


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_three_keras_2_2_4_targets_share_one_venv() -> None:
    venvs = {t.library: t.venv for t in registry.shipped().values() if t.name.startswith("keras-")}
    assert set(venvs) == {"tensorflow", "theano", "cntk"}
    assert len({id(venv) for venv in venvs.values()}) == 1


def test_the_reference_needs_no_installation() -> None:
    assert registry.shipped()["reference"].venv is None


@pytest.mark.parametrize("name", ["keras-2.2.4-theano", "tf_keras"])
def test_a_lock_pins_every_requirement_and_hashes_every_pin(name: str) -> None:
    venv = registry.shipped()[name].venv
    assert venv is not None
    pins = re.findall(r"^(\S+==\S+).*?((?:\n    --hash=sha256:\w{64}.*)*)$", venv.pins(), re.M)
    assert all(hashes for _, hashes in pins)
    assert {r.replace("_", "-") for r in venv.requirements} <= {pin for pin, _ in pins}


def test_a_library_stands_for_all_its_targets_in_order_and_once() -> None:
    names = [t.name for t in registry.resolve(["tf_keras", "cntk", "tensorflow", "cntk"])]
    assert names == ["tf_keras", "keras-2.2.4-cntk", "keras-2.2.4-tensorflow"]


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownTargetError, match=r"'theno'; did you mean theano\?"):
        registry.resolve(["theno"])


def test_an_unknown_name_near_to_none_lists_all() -> None:
    with pytest.raises(UnknownTargetError, match=r"known: .*reference.*tf_keras"):
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[targets.a", "mine.toml: "),
        ("[target.a]\n" + GOOD, "unknown table `target`; write .targets.NAME."),
        ('[targets.a]\nmodule = "m"', "targets.a: .*missing required field `edition`"),
        ("[targets.a]\n" + GOOD + "modle = 1", "targets.a: .*`modle`.*did you mean `module`"),
        ('[targets.a]\nmodule = "m"\nedition = "keras-9"', "targets.a: .*keras-9.*edition"),
        ("[targets.a]\n" + GOOD + 'name = "b"', "targets.a: `name` is the table's own"),
        ('[targets."a/b"]\n' + GOOD, "targets.a/b: a name has letters"),
        ('[targets.".."]\n' + GOOD, r"targets.\.\.: a name has letters"),
        ("[targets.a]\n" + GOOD + 'venv = "v"', r"targets.a: no table \[venvs.v\]"),
        ("[targets.a]\n" + GOOD + 'requirements = ["x"]', "venvs.a: give `python`"),
        (
            "[targets.a]\n" + GOOD + 'environment = { X = "{hom}" }',
            r"environment.X: unknown placeholder \{hom\}; there are .*\{home\}",
        ),
        ("[targets.a]\n" + GOOD + 'environment = { X = "{" }', "environment.X: "),
        (
            '[venvs.v]\npython = ["3.6"]\nrequirements = ["x"]\nlock = "no.txt"',
            "venvs.v: lock: there is no file .*no.txt",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RegistryError, match=message) as caught:
        registry.load(written(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path / "mine.toml"))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"nowhere\.toml"):
        registry.load(tmp_path / "nowhere.toml")
