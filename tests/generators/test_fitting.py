"""Structures of functions with statistics, probabilities, labels and paddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.editions import Edition
from conformance.generators import Draw, draw_arrays
from conformance.generators.collect import generate
from conformance.generators.structure import Structure, expected_shape, structures
from conformance.program import Ref
from conformance.specs import load
from tests.editions import OF_K

"""Those of K."""

SPECS = load()


def some(name: str, edition: Edition = "keras-2.2", count: int = 60) -> list[Structure]:
    return generate(structures(SPECS[name], edition), count, 1)


def by_parameter(structure: Structure, arrays: dict[str, Any]) -> dict[str, Any]:
    """What each parameter is given; two may be given one tensor."""
    arguments = structure.arguments.items()
    return {name: arrays[value.name] for name, value in arguments if isinstance(value, Ref)}


@pytest.mark.parametrize("edition", OF_K)
@pytest.mark.parametrize("profile", ["ordinary", "integers", "halves", "zeros"])
def test_probabilities_sum_to_one_unless_they_are_logits(edition: Edition, profile: str) -> None:
    logits = 0
    for structure in some("categorical_crossentropy", edition):
        arrays = by_parameter(structure, draw_arrays(structure, Draw(profile, 3)))
        axis = structure.runtime.values["axis"]
        plain = ["target"] if structure.runtime.values["from_logits"] else ["target", "output"]
        logits += len(plain) == 1
        for name in plain:
            total = arrays[name].astype(np.float64).sum(axis=axis)
            room = 8 * np.finfo(arrays[name].dtype).eps
            np.testing.assert_allclose(total, np.ones(total.shape), atol=room)
        classes = arrays["output"].shape[axis]
        alone = structure.arguments["target"] != structure.arguments["output"]
        if profile != "zeros" and len(plain) == 2 and classes > 1 and alone:
            assert (arrays["output"] > 0.02 / classes).all()
            assert (arrays["output"] < 1 - 1e-3).all()
        assert "output" in structure.fixed
    assert 0 < logits < 60


@pytest.mark.parametrize("edition", OF_K)
def test_labels_are_classes(edition: Edition) -> None:
    for structure in some("sparse_categorical_crossentropy", edition):
        arrays = draw_arrays(structure, Draw("ordinary", 3))
        classes = arrays["output"].shape[structure.runtime.values["axis"]]
        assert arrays["target"].dtype.kind in "iu"
        assert arrays["target"].shape == expected_shape(structure)
        assert (arrays["target"] < classes).all()
        assert (arrays["target"] >= 0).all()


def test_every_result_is_looked_at_and_fed_what_it_depends_on() -> None:
    seen = set()
    for structure in some("normalize_batch_in_training"):
        assert structure.part is not None
        seen.add(structure.part.name)
        if structure.part.name != "normalised tensor":
            assert len({i.binding for i in structure.program.inputs}) == 1
            assert structure.program.steps[-1].function == "reshape"
            assert len(expected_shape(structure)) == 1
        else:
            assert expected_shape(structure) == structure.program.input("x").shape
    assert seen == {"normalised tensor", "mean", "variance"}


def test_epsilon_that_is_not_passed_is_that_of_the_edition() -> None:
    for edition, epsilon in zip(OF_K, (0.0001, 0.001, 0.001), strict=True):
        for structure in some("batch_normalization", edition, 20):
            passed = dict(structure.program.steps[0].kwargs)
            if "epsilon" not in passed and len(structure.program.steps[0].args) < 6:
                assert structure.arguments["epsilon"] == epsilon


def test_padding_is_a_count_for_both_sides_in_keras_1() -> None:
    for structure in some("spatial_2d_padding", "keras-1", 30):
        assert all(isinstance(n, int) for n in structure.arguments["padding"])  # type: ignore[union-attr]
        assert structure.arguments["data_format"] in ("tf", "th")
    for structure in some("spatial_2d_padding", "keras-2.2", 30):
        assert all(len(p) == 2 for p in structure.arguments["padding"])  # type: ignore[union-attr]


def test_a_bias_is_a_vector_before_keras_2_2() -> None:
    ranks = {e: {len(s.runtime.shapes["bias"]) for s in some("bias_add", e)} for e in OF_K[1:]}
    assert ranks["keras-2.0"] == {1}
    assert ranks["keras-2.2"] > {1}


@pytest.mark.parametrize("name", ["bias_add", "categorical_crossentropy", "resize_images"])
def test_invalid_input_is_invalid(name: str) -> None:
    for error in SPECS[name].errors:
        for structure in generate(structures(SPECS[name], "keras-2.2", error), 10, 1):
            assert structure.error is error
            draw_arrays(structure, Draw("ordinary", 1))
            if error.name == "bias-rank":
                ranks = [len(structure.runtime.shapes[n]) for n in ("bias", "x")]
                assert ranks[0] not in (1, ranks[1] - 1)
