"""The recipes of docs/porting.md run, and give the numbers that the old functions gave."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from conformance.adapters import environments
from conformance.adapters.registry import shipped
from tests.real.conftest import require

PAGE = (Path(__file__).parents[2] / "docs" / "porting.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.partition("## Recipes")[2], re.DOTALL)
PENALTY = """
import numpy as np
model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")])
images = keras.ops.convert_to_tensor(np.random.default_rng(0).normal(size=(2, 9)), "float32")
model(images)
np.testing.assert_allclose(float(gradient_penalty(model, images)), 4.0, rtol=1e-5)
print("right")
"""
FITTED = (
    PENALTY
    + """
class Critic(keras.Model):
    def __init__(self):
        super().__init__()
        self.critic = model

    def train_step(self, images):
        with tf.GradientTape() as tape:
            loss = gradient_penalty(self.critic, images)
        weights = self.critic.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return {"loss": loss}

critic = Critic()
critic.compile("sgd")
history = critic.fit(np.ones((10, 9), "float32"), batch_size=4, verbose=0)
assert np.isfinite(history.history["loss"]).all()
print("right")
"""
)
FUNCTION = """
import numpy as np
inputs = keras.Input((3,))
hidden = keras.layers.Dense(2, kernel_initializer="ones", name="hidden")(inputs)
model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
np.testing.assert_allclose(hidden_outputs(model, "hidden", [np.eye(3, dtype="float32")]), 1.0)
print("right")
"""
LOOP = """
import numpy as np
x = np.random.default_rng(0).normal(size=(2, 4, 3)).astype("float32")
state, expected = np.zeros((2, 3)), []
for t in range(4):
    state = 0.9 * state + 0.1 * x[:, t]
    expected.append(state)
got = keras.ops.convert_to_numpy(running_mean(keras.ops.convert_to_tensor(x)))
np.testing.assert_allclose(got, np.stack(expected, 1), rtol=1e-5, atol=1e-6)
print("right")
"""
RUNS = (
    (0, FITTED, "keras3-tensorflow"),
    (1, PENALTY, "keras3-torch"),
    (2, PENALTY, "keras3-jax"),
    (3, FUNCTION, "keras3-torch"),
    (4, LOOP, "keras3-jax"),
)


@pytest.mark.real
@pytest.mark.parametrize(("number", "check", "target"), RUNS)
def test_a_recipe_runs(number: int, check: str, target: str) -> None:
    require(target)
    described = shipped()[target]
    done = subprocess.run(
        [environments.interpreter(described), "-c", BLOCKS[number] + check],
        env=environments.launch_environment(described),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip().endswith("right")


def test_each_recipe_has_a_check() -> None:
    assert {number for number, *_ in RUNS} == {*range(len(BLOCKS))}
