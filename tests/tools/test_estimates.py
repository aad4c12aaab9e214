"""What a function costs is told by library, and by target where targets are not alike."""

from __future__ import annotations

import statistics
import zlib
from dataclasses import replace

import msgspec
import pytest

from conformance.engine.planning.estimates import (
    Estimates,
    decoded,
    encoded,
    estimates,
    siblings,
)
from conformance.results import Results, Spent
from tests.engine.support import TINY, examine, fake
from tools.estimates import libraries, scale, seconds, table

TABLE = Estimates(
    usual="tensorflow",
    measured={"tensorflow": [], "keras3-jax": [], "keras3-numpy": []},
    published=[],
    failing={},
    seconds={
        "tensorflow": {"exp": 1.0, "log": 3.0, "sum": 5.0},
        "keras3-jax": {"exp": 10.0, "keras.ops.sort": 8.0},
        "keras3-numpy": {"keras.ops.sort": 2.0},
    },
)


def test_a_target_that_was_measured_by_itself_is_told_apart() -> None:
    assert TABLE.key("keras3-jax", "keras3") == "keras3-jax"
    assert TABLE.key("keras-2.2.4-tensorflow", "tensorflow") == "tensorflow"


@pytest.mark.parametrize(
    ("function", "key", "expected"),
    [
        ("exp", "keras3-jax", 10.0),
        ("exp", "a backend of mine", 1.0),
        ("keras.ops.sort", "a backend of mine", 5.0),
        ("a function that nobody has", "keras3-jax", 9.0),
    ],
)
def test_what_was_not_measured_costs_what_it_costs_others(
    function: str, key: str, expected: float
) -> None:
    assert TABLE.cost(function, key) == expected


def test_a_function_that_nobody_measured_costs_what_its_siblings_cost() -> None:
    shipped = estimates()
    own = shipped.seconds["keras3-ops-numpy"]
    costs = {name: own[name] for name in siblings("keras.ops.maximum")}
    assert {"keras.ops.minimum", "keras.ops.fmax"} <= costs.keys()
    assert "keras.ops.power" not in costs, "its bound is of another kind"
    others = {key: drop(known, "keras.ops.maximum") for key, known in shipped.seconds.items()}
    table_without_it = msgspec.structs.replace(shipped, seconds=others)
    cost = table_without_it.cost("keras.ops.maximum", "keras3-ops-numpy")
    assert cost == statistics.median(costs.values())


def drop(seconds: dict[str, float], function: str) -> dict[str, float]:
    """The seconds without those of a function."""
    return {name: value for name, value in seconds.items() if name != function}


def test_a_table_is_what_its_file_holds() -> None:
    assert decoded(encoded(TABLE)) == TABLE
    for content in (b"", b"no zlib", zlib.compress(b"no msgpack")):
        with pytest.raises(ValueError, match="not a table of estimates"):
            decoded(content)


def test_the_shipped_table_tells_jax_from_numpy() -> None:
    shipped = estimates()
    slow, fast = (shipped.cost("logsumexp", f"keras3-{name}") for name in ("jax", "numpy"))
    assert slow > 2 * fast


@pytest.fixture(scope="module")
def measured() -> Results:
    results = examine(fake("correct"), ["exp"], replace(TINY, name="smoke")).results
    spent = {"exp": Spent(cases=1, seconds=2.0)}
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, spent=spent))


def test_a_run_of_few_cases_counts_in_proportion(measured: Results) -> None:
    more = scale(measured)["exp"]
    assert more > 2
    assert seconds([measured])["exp"] == pytest.approx(2.0 * more, abs=0.001)


def test_targets_that_compute_with_others_are_measured_by_themselves(measured: Results) -> None:
    shares = libraries(dict.fromkeys(("keras-2.2.4-tensorflow", "keras3-jax"), measured))
    assert set(shares) == {"tensorflow", "keras3-jax"}


def test_what_was_not_measured_again_stays(measured: Results) -> None:
    written = table({"keras3-jax": measured}, TABLE)
    assert set(written.seconds["keras3-jax"]) == {"exp"}
    assert written.measured["keras3-jax"] == [measured.target.name]
    for key in ("tensorflow", "keras3-numpy"):
        assert written.seconds[key] == TABLE.seconds[key]
