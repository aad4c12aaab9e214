from __future__ import annotations

import pytest

from conformance.near_names import LISTED, did_you_mean, near, proposal

TARGETS = ("keras-2.2.2-cntk", "keras-2.2.4-cntk", "keras-2.2.4-theano", "reference", "tf_keras")


@pytest.mark.parametrize(
    ("name", "known", "first"),
    [
        ("softmaxx", ("softmax", "softplus"), "softmax"),
        ("static-shape", ("state", "static shape"), "static shape"),
        ("STATIC_SHAPE", ("state", "static shape"), "static shape"),
        ("keras-2.2.4", TARGETS, "keras-2.2.4-cntk"),
        ("tf-keras", TARGETS, "tf_keras"),
        ("absolute", ("abs", "dot"), "abs"),
        ("refrence", TARGETS, "reference"),
    ],
)
def test_the_likeliest_name_comes_first(name: str, known: tuple[str, ...], first: str) -> None:
    assert near(name, known)[0] == first
    assert did_you_mean(name, known).startswith(f"did you mean {first}")


def test_without_a_near_name_all_are_listed_unless_they_are_many() -> None:
    assert proposal("zzz", TARGETS) == f"there are: {', '.join(TARGETS)}"
    many = [f"name{i}" for i in range(LISTED + 1)]
    assert proposal("zzz", many, "`conformance targets`") == "`conformance targets` lists them"
    assert proposal("zzz", ()) == "there are none"
    assert did_you_mean("zzz", TARGETS) == ""
