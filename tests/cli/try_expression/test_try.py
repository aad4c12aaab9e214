"""`conformance try`: one expression, held against the oracle, on real workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from conformance.adapters.target_records import Target
from conformance.cli import main
from conformance.cli.try_expression.answers import TargetAnswer, alike, answer
from conformance.cli.try_expression.expected import MOST_ELEMENTS, Expected, expected
from conformance.observations import DrawObservation, Raised, StructureObservation
from conformance.program.expressions import program_of
from conformance.specs import load

FAKES = Path(__file__).parents[2] / "adapters" / "fakes"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def attempt(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["try", *arguments])


def fake(expression: str, name: str, *arguments: str) -> Result:
    return attempt(expression, "--module", f"fakes.{name}", "--path", str(FAKES), *arguments)


def oracle(source: str, edition: Any = "keras-2.2") -> Expected:
    specs = load()
    return expected(program_of(source, [*specs, *specs.aliases()]), edition, specs)


# What is expected


def test_the_oracle_answers_a_call_of_exact_arguments_as_in_a_run() -> None:
    expected = oracle("K.batch_dot(K.ones((3, 2)), K.ones((3, 2, 4)), axes=1)")
    assert expected.answer is not None and expected.prepared is not None
    assert expected.answer.dtype == "float32"
    np.testing.assert_array_equal(expected.answer.value, np.full((3, 4), 2.0))


def test_arguments_that_round_widen_the_bound() -> None:
    exact = oracle("K.sum(K.constant([[1., 2.], [3., 4.]]))")
    rounded = oracle("K.sum(K.softmax(K.constant([[1., 2.], [3., 4.]])))")
    assert exact.prepared is not None and rounded.prepared is None
    assert rounded.answer is not None
    assert rounded.answer.value == pytest.approx(2.0)
    assert 0 < float(rounded.answer.bound) < 1e-4


def test_callables_operators_and_lists_are_computed() -> None:
    squares = oracle("K.map_fn(lambda x: K.square(x) + 1, K.constant([[1.], [3.]])) * 2")
    assert squares.answer is not None
    np.testing.assert_allclose(squares.answer.value, [[4.0], [20.0]])
    joined = oracle("K.concatenate([K.ones((1, 2)), K.zeros((1, 1))], axis=1)")
    assert joined.answer is not None
    np.testing.assert_array_equal(joined.answer.value, [[1.0, 1.0, 0.0]])


def test_an_edition_has_its_own_functions_names_and_conventions() -> None:
    assert "not in keras-1" in oracle("K.softmax(K.constant([1.]))", "keras-1").untold
    assert oracle("K.lesser(K.zeros((2,)), K.ones((2,)))", "keras-1").answer is not None
    silent = oracle("K.max(K.constant([[1., np.nan]]), axis=-1)").prepared
    assert silent is not None
    assert "special-values" in silent.structure.conventions(silent.profiles[0])


def test_functions_of_a_package_have_answers_too() -> None:
    moved = oracle("keras.ops.moveaxis(ops.array([[1, 2, 3]]), 0, 1)", "keras-3")
    assert moved.answer is not None and moved.prepared is not None
    assert (moved.answer.dtype, moved.answer.value.tolist()) == ("int32", [[1], [2], [3]])
    expected = oracle(
        "ops.sum(ops.exp(ops.convert_to_tensor([0.0, 0.0], dtype='float64')))", "keras-3"
    )
    assert expected.answer is not None and expected.prepared is None
    assert (expected.answer.dtype, float(expected.answer.value)) == ("float64", 2.0)
    assert "no single call tells" in oracle("random.uniform((2,), seed=1)", "keras-3").untold


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("K.sum(K.ones((2,)), axs=0)", "did you mean axis?"),
        ("K.sum(K.ones((2,)), 0, False, 1)", "takes 3 arguments, not 4"),
        ("K.sum(K.ones((2,)), x=K.ones((2,)))", "is given x twice"),
        ("K.sum()", "is given no x"),
        ("K.sum(3)", "no tensor 'x'"),
        ("K.constant(['a'])", "is not an array of numbers"),
        ("K.constant([[1, 2], [3]])", "is not an array"),
        ("K.random_uniform((2,))", "no single call tells what random_uniform gives"),
        ("K.ones((100000, 100000))", f"more than {MOST_ELEMENTS} elements"),
        ("K.ones((1000, 1)) + K.ones((1, 2000))", f"more than {MOST_ELEMENTS} elements"),
        ("K.random_uniform((2,), lowest=0)", "takes no lowest"),
        ("K.dot(K.ones((2, 3)), K.ones((2, 3)))", "no document allows such arguments"),
    ],
)
def test_where_there_is_no_answer_the_reason_is_told(source: str, reason: str) -> None:
    expected = oracle(source)
    assert expected.answer is None
    assert reason in expected.untold


# On targets


def test_the_reference_agrees_and_the_documents_are_cited() -> None:
    result = attempt("K.batch_dot(K.ones((3, 2)), K.ones((3, 2, 4)), axes=1)", "reference")
    assert result.exit_code == 0, result.output
    assert "✓ reference  float32 (3, 4), as the oracle" in result.output
    assert "ko-2.2:1031 batch_dot(x, y, axes=None)" in result.output
    assert "[ko-2.2:1035]" in result.output


def test_without_targets_those_are_asked_whose_edition_has_the_functions() -> None:
    """None of `keras.ops` is ready here: what to do about it is told."""
    result = attempt("keras.ops.sum(keras.ops.ones((2,)))")
    assert result.exit_code == 3
    assert "keras3-ops-numpy" in result.output and "conformance install keras3" in result.output
    assert "reference" not in result.output
    assert "keras3-ops" not in attempt("K.ones((2,))").output


def test_a_wrong_answer_stands_beside_the_right_one() -> None:
    result = fake("K.exp(K.variable([0., 1.]))", "always_wrong", "reference")
    assert result.exit_code == 1, result.output
    assert "differs from the oracle" in result.output and "as the oracle" in result.output
    assert "elements differ" in result.output


def test_json_has_everything() -> None:
    result = fake("K.exp(K.variable([0., 1.]))", "always_wrong", "reference", "--json")
    data = json.loads(result.stdout)
    assert data["expression"] == "K.exp(K.variable([0., 1.]))"
    assert data["oracle"][0]["answer"]["shape"] == [2]
    assert {t["name"]: t["as_the_oracle"] for t in data["targets"]} == {
        "reference": True,
        "fakes.always_wrong": False,
    }
    assert sorted(data["agreement"]) == [["fakes.always_wrong"], ["reference"]]


def test_a_reading_is_named_where_the_documents_are_silent() -> None:
    result = attempt("K.max(K.constant([[1., np.nan]]), axis=-1)", "reference")
    assert result.exit_code == 0, result.output
    assert "Where they are silent" in result.output
    assert "special-values: " in result.output


def test_why_there_is_no_answer_is_a_sentence() -> None:
    result = attempt("K.random_normal((2,))", "reference")
    assert result.exit_code == 0
    assert "has no answer: no single call tells what random_normal gives" in result.output


def test_arguments_that_no_signature_takes_are_wrong_usage_but_tried() -> None:
    result = attempt("K.sum(K.ones((2,)), axiss=1)", "reference")
    assert result.exit_code == 2
    assert "has no answer: sum(x, axis=None, keepdims=False) takes no axiss" in result.output
    assert "○ reference  raises TypeError: " in result.output


def test_an_exception_of_another_matter_is_no_lack() -> None:
    result = attempt("K.reshape(K.ones((2, 3)), (5,))", "reference")
    assert result.exit_code == 0
    assert "○ reference  raises ValueError: " in result.output


def test_a_target_that_does_not_start_is_3() -> None:
    result = fake("K.ones((2,))", "does_not_import")
    assert result.exit_code == 3
    assert "cannot be run: " in result.output


@pytest.mark.thorough
def test_a_death_is_an_answer() -> None:
    result = fake("K.exp(K.variable([-1., 1.]))", "crashes")
    assert result.exit_code == 1
    assert "ends the process" in result.output


def test_a_wrong_expression_is_shown_with_its_column() -> None:
    result = attempt("K.sum(open('x'))", "reference")
    assert result.exit_code == 2
    assert "line 1, column 7: no document has a function open" in result.output
    assert "  K.sum(open('x'))\n        ^\n" in result.output
    assert "hint: " in result.output


def test_nothing_is_evaluated_on_the_host(tmp_path: Path) -> None:
    for source in (
        f"K.sum(open({str(tmp_path / 'made')!r}, 'w'))",
        f"__import__('pathlib').Path({str(tmp_path / 'made')!r}).touch()",
    ):
        assert attempt(source, "reference").exit_code == 2
    assert list(tmp_path.iterdir()) == []


def test_those_who_agree_but_for_rounding_are_together() -> None:
    target = Target(name="t", module="m", edition="keras-2.2")

    def target_answer(*numbers: float, agrees: bool | None = None, gives: str = "") -> TargetAnswer:
        arrays = (np.array(numbers, "float32"),) if numbers else ()
        return TargetAnswer(target, gives, arrays, agrees)

    near = np.nextafter(np.float32(1), np.float32(2))
    groups = alike(
        [
            target_answer(2.0),
            target_answer(1.0),
            target_answer(float(near)),
            target_answer(gives="raises A: x"),
        ]
    )
    assert [len(g.members) for g in groups] == [2, 1, 1]
    assert len(alike([target_answer(gives="raises A: x"), target_answer(gives="raises A: y")])) == 1
    assert len(alike([target_answer(1.0, agrees=True), target_answer(1.0, agrees=False)])) == 2


@pytest.mark.parametrize(
    ("raised", "agrees", "gives"),
    [
        (("Absent", "there is no function softmax"), None, "needs softmax, which the target lacks"),
        (("NotImplementedError", "not here"), None, "raises NotImplementedError: not here"),
        (("ValueError", "wrong"), False, "raises ValueError: wrong"),
    ],
)
def test_what_a_target_lacks_is_no_other_answer(
    raised: tuple[str, str], agrees: bool | None, gives: str
) -> None:
    source = "K.softmax(K.ones((2, 2)))"
    specs = load()
    program = program_of(source, [*specs])
    bases = (raised[0], "NotImplementedError") if agrees is None else (raised[0],)
    outcome = Raised(raised[0], bases, raised[1], "step", 1)
    observed = StructureObservation((), (), (DrawObservation(outcome),))
    target = Target(name="t", module="m", edition="keras-2.2")
    reply = answer(target, program, oracle(source), observed)
    assert (reply.agrees, reply.gives, reply.lacks) == (agrees, gives, agrees is None)


def test_a_package_without_array_gets_its_arguments_by_other_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The expressions of the documentation call keras.ops.array."""
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    source = "import numpy as np\ndef log1p(x): return np.log1p(x).astype('float32')\n"
    (package / "ops.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "conformance.toml").write_text(
        '[targets.mine]\nmodule = "mine.ops"\nedition = "keras-3"\npath = "."\n'
    )
    done = CliRunner().invoke(main, ["try", "keras.ops.log1p(keras.ops.array([1.0]))", "mine"])
    assert done.exit_code == 0, done.output
    assert "mine  float32 (1,), as the oracle" in done.output
    alone = CliRunner().invoke(main, ["try", "keras.ops.array([1.0])", "mine"])
    assert "needs keras.ops.array, which the target lacks" in alone.output
