"""`conformance migration --scan`: notes on other mentions of K than plain calls."""

from __future__ import annotations

import pytest

from tests.cli.migration.scanning import put, scan, scanned


def test_the_learning_rate_has_a_new_name() -> None:
    old, new = scanned("K.set_value(model.optimizer.lr, 0.1)", "K.get_value(opt.learning_rate)")
    says = "an optimizer of Keras 3 has no lr: write model.optimizer.learning_rate"
    assert (old["outcome"], old["says"]) == ("differs", [says])
    assert new["outcome"] == "same"


def test_mentions_of_k_itself_are_listed() -> None:
    records = scanned(
        "getattr(K, 'sum')(x)", "f(K.exp(x), K)", "f(backend=K)", "if K is None: K = keras.backend"
    )
    assert [(use["text"], use["function"], use["outcome"]) for use in records] == [
        ("getattr(K, 'sum')", None, "unfinished"),
        ("f(K.exp(x), K)", None, "unfinished"),
        ("K.exp(x)", "exp", "same"),
        ("K", None, "unfinished"),
        ("K", None, "unfinished"),
    ]
    assert records[0]["kind"] == "module" and "not translated" in records[0]["says"][0]
    assert scan("--scan", "old.py", "--fail-on", "absent").exit_code == 1


def in_place(*lines: str) -> list[str]:
    records = scanned("def f(x, n):", *(f"  {line}" for line in lines))
    return [use["replacement"] for use in records if use["kind"] == "assignment"]


TENSORS = {
    "x /= K.sum(x)": "x = x / K.sum(x)",
    "e = K.exp(x); e **= -1": "e = e ** (-1)",
    "e = K.exp(x) * 2; d = e + 1; d @= x": "d = d @ x",
    "d, e = 1, K.exp(x); e -= d": "e = e - d",
    "for e in K.unstack(x): e += 1": "e = e + 1",
    "self.total += K.mean(x)": "self.total = self.total + K.mean(x)",
    "y = K.exp(x); x *= 2": "x = x * 2",
}


@pytest.mark.parametrize("old", TENSORS)
def test_an_augmented_assignment_of_a_tensor_is_listed(old: str) -> None:
    assert in_place(old) == [TENSORS[old]]


@pytest.mark.parametrize(
    "line",
    [
        "m = K.int_shape(x)[0]; m -= 1",
        "e = K.exp(x); m = e.shape[0]; m -= len(e)",
        "K.exp(x); n += 1",
        "y = []; y += [K.exp(x)]",
        "y = [K.exp(x)]; y += z",
        "loss = 0; loss += K.get_value(x)",
    ],
)
def test_an_augmented_assignment_of_a_number_or_a_list_is_not_listed(line: str) -> None:
    assert in_place(line) == []


def test_only_numpy_and_torch_change_arrays_in_place() -> None:
    put("old.py", "from keras import backend as K", "x /= K.exp(x)")
    assert "2:1 x /= K.exp(x)  [differs]" in scan("--scan", "old.py").output
    assert "2 same" in scan("--scan", "old.py", "--backend", "jax").output


GENERATORS = {
    "class A(Layer):\n  def call(self): f(1, self.seed_generator)": 1,
    "class A(L): pass\nclass B(A):\n  def call(self): f(seed=self.seed_generator)": 0,
    "class A:\n  def b(self): self.seed_generator = g\n  def c(self): f(self.seed_generator)": 0,
    "class A:\n  def b(self): self.seed_generator = 1\n"
    "class B(A):\n  def c(self): f(self.seed_generator)": 0,
    "def g(): return f(seed=seed_generator)": 1,
    "def g(seed_generator): return f(seed=seed_generator)": 0,
    "from a import seed_generator\nf(seed_generator)": 0,
}


@pytest.mark.parametrize("source", GENERATORS)
def test_a_call_without_its_seed_generator_is_listed(source: str) -> None:
    records = scanned(*source.split("\n"))
    assert [use["kind"] for use in records] == ["generator"] * GENERATORS[source]
    assert all("keras.random.SeedGenerator(SEED)" in use["says"][0] for use in records)
