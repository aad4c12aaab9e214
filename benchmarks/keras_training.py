"""Loss curves of models that released Keras trains, and how far apart two of them are.

    PYTHON benchmarks/keras_training.py train curves.json --steps 100 --floatx float32
    python benchmarks/keras_training.py compare one.json other.json [--exact precise.json]

PYTHON is one that has Keras 2.2.4; KERAS_BACKEND says on what it runs (docs/reference.md). Initial
weights, batches and the masks of dropout come from NumPy's legacy generator, which draws the same
numbers with every version, so that two curves differ only in what the backends compute.

This file runs on CPython 3.6 too, because TensorFlow 1.14 does.
"""

import argparse
import json
import os
import sys
import time
from typing import Any

import numpy as np

BATCH, CLASSES, WORDS, LENGTH = 16, 4, 30, 7
MASKS: "list[Any]" = []
"""Variables with the masks of dropout of the model that is being trained."""


def _mlp(layers: Any) -> "list[Any]":
    return [
        layers.Dense(32, activation="relu", input_shape=(12,)),
        layers.Dense(16, activation="tanh"),
        layers.Dense(CLASSES, activation="softmax"),
    ]


def _convolutional(layers: Any) -> "list[Any]":
    return [
        layers.Conv2D(8, 3, padding="same", input_shape=(12, 12, 3)),
        layers.BatchNormalization(),
        layers.Activation("relu"),
        layers.MaxPooling2D(),
        layers.Conv2D(12, 3, strides=2, activation="relu"),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(CLASSES, activation="softmax"),
    ]


def _recurrent(layers: Any, layer: Any) -> "list[Any]":
    return [
        layers.Masking(input_shape=(LENGTH, 5)),
        layer,
        layers.Dense(CLASSES, activation="softmax"),
    ]


def _lstm(layers: Any) -> "list[Any]":
    return _recurrent(layers, layers.LSTM(12))


def _gru(layers: Any) -> "list[Any]":
    return _recurrent(layers, layers.GRU(12))


def _bidirectional(layers: Any) -> "list[Any]":
    return _recurrent(layers, layers.Bidirectional(layers.LSTM(8)))


def _embedding(layers: Any) -> "list[Any]":
    return [
        layers.Embedding(WORDS, 10, mask_zero=True, input_length=LENGTH),
        layers.LSTM(10, return_sequences=True),
        layers.TimeDistributed(layers.Dense(8, activation="relu")),
        layers.GRU(6),
        layers.Dense(CLASSES, activation="softmax"),
    ]


MODELS = {
    "mlp": _mlp,
    "convolutional": _convolutional,
    "lstm": _lstm,
    "gru": _gru,
    "bidirectional": _bidirectional,
    "embedding": _embedding,
}

OPTIMIZERS: "dict[str, tuple[str, dict[str, Any]]]" = {
    "SGD": ("SGD", {"lr": 0.05}),
    "SGD, Nesterov momentum, decay": (
        "SGD",
        {"lr": 0.02, "momentum": 0.9, "nesterov": True, "decay": 0.01},
    ),
    "SGD, clipnorm": ("SGD", {"lr": 0.1, "clipnorm": 0.5}),
    "SGD, clipvalue": ("SGD", {"lr": 0.1, "clipvalue": 0.05}),
    "RMSprop": ("RMSprop", {}),
    "Adagrad": ("Adagrad", {}),
    "Adadelta": ("Adadelta", {}),
    "Adam": ("Adam", {}),
    "Adam, amsgrad": ("Adam", {"amsgrad": True}),
    "Adamax": ("Adamax", {}),
    "Nadam": ("Nadam", {}),
}


def _inputs(model: str, draw: np.random.RandomState) -> Any:
    """One batch of what the model takes; sequences have different lengths."""
    lengths = draw.randint(2, LENGTH + 1, BATCH)
    shown = np.arange(LENGTH) < lengths[:, np.newaxis]
    if model == "mlp":
        return draw.normal(size=(BATCH, 12))
    if model == "convolutional":
        return draw.normal(size=(BATCH, 12, 12, 3))
    if model == "embedding":
        return draw.randint(1, WORDS, (BATCH, LENGTH)) * shown
    return draw.normal(size=(BATCH, LENGTH, 5)) * shown[:, :, np.newaxis]


def _batch(model: str, step: int) -> "tuple[Any, Any]":
    """Inputs, and classes that depend on them in a way that can be learnt."""
    draw = np.random.RandomState(1000 + step % 20)
    x = _inputs(model, draw)
    score = np.asarray(x, float).reshape(BATCH, -1).sum(axis=1)
    rank = np.argsort(np.argsort(score, kind="mergesort"))  # stable: whole numbers may be equal
    return x, np.eye(CLASSES)[rank * CLASSES // BATCH]


def _weights(shapes: "list[tuple[int, ...]]", names: "list[str]") -> "list[Any]":
    """Initial weights; variances of a batch normalisation stay positive."""
    draw = np.random.RandomState(7)
    weights = []
    for shape, name in zip(shapes, names):  # noqa: B905 - CPython 3.6 has no `strict`
        drawn = draw.normal(scale=0.3, size=shape)
        weights.append(np.abs(drawn) + 0.5 if "variance" in name else drawn)
    return weights


def _fixed_dropout(backend: Any) -> None:
    """Let `dropout` take its masks from variables, which each step sets anew."""

    def dropout(x: Any, level: float, noise_shape: Any = None, seed: Any = None) -> Any:
        del noise_shape, seed
        mask = backend.variable(np.ones((BATCH, *backend.int_shape(x)[1:])))
        MASKS.append((mask, level))
        return x * mask

    backend.dropout = dropout


def _set_masks(backend: Any, step: int) -> None:
    draw = np.random.RandomState(2000 + step)
    for mask, level in MASKS:
        flags = draw.uniform(size=backend.int_shape(mask)) >= level
        backend.set_value(mask, flags / (1 - level))


def _simultaneous_updates(backend: Any) -> None:
    """Let Keras on TensorFlow 1 assign new values after all of them are computed.

    It does not by itself: each variable is assigned as soon as its own new value is there, while
    other gradients, or the learning rate, may still have to read it. What they read then depends on
    the order in which TensorFlow happens to run the operations.
    """
    import tensorflow as tf  # noqa: PLC0415

    compiled = backend.function
    backend.update = lambda x, new_x: (x, new_x)
    backend.update_add = lambda x, increment: (x, x + increment)
    backend.update_sub = lambda x, decrement: (x, x - decrement)
    backend.moving_average_update = lambda x, value, momentum: (
        x,
        x * momentum + value * (1 - momentum),
    )

    def function(inputs: Any, outputs: Any, updates: Any = None, **kwargs: Any) -> Any:
        pairs = list(updates or [])
        with tf.control_dependencies([new for _, new in pairs] + list(outputs)):
            assigned = [tf.assign(x, new) for x, new in pairs]
        return compiled(inputs, outputs, assigned, **kwargs)

    backend.function = function


def _train(keras: Any, model: str, optimizer: str, steps: int) -> "dict[str, Any]":
    """The loss of each step, and the median CPU seconds of a step from the tenth on."""
    backend = keras.backend
    backend.clear_session()
    MASKS.clear()
    network = keras.models.Sequential(MODELS[model](keras.layers))
    kind, settings = OPTIMIZERS[optimizer]
    chosen = getattr(keras.optimizers, kind)(**settings)
    network.compile(chosen, "categorical_crossentropy")
    variables = [w for layer in network.layers for w in layer.weights]
    shapes = [backend.int_shape(w) for w in variables]
    network.set_weights(_weights(shapes, [w.name for w in variables]))
    losses, seconds = [], []
    for step in range(steps):
        x, y = _batch(model, step)
        _set_masks(backend, step)
        start = time.process_time()
        losses.append(float(network.train_on_batch(x, y)))
        seconds.append(time.process_time() - start)
    return {"losses": losses, "seconds": float(np.median(seconds[10:] or seconds))}


def _imported_keras() -> Any:
    """Keras, also where Python and NumPy no longer have what it was written for."""
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "keras"))  # noqa: PTH118, PTH120
    import released  # noqa: PLC0415

    return released.keras()


def train(arguments: argparse.Namespace) -> None:
    """Train every model with every optimizer that is wanted, and write the curves."""
    keras = _imported_keras()
    keras.backend.set_floatx(arguments.floatx)
    _fixed_dropout(keras.backend)
    if arguments.simultaneous:
        _simultaneous_updates(keras.backend)
    curves: dict[str, Any] = {}
    for model in arguments.models:
        for optimizer in arguments.optimizers:
            curve = _train(keras, model, optimizer, arguments.steps)
            curves.setdefault(model, {})[optimizer] = curve
            print(model, optimizer, curve["losses"][0], curve["losses"][-1], flush=True)
    about = {
        "backend": keras.backend.backend(),
        "keras": keras.__version__,
        "numpy": np.__version__,
        "floatx": arguments.floatx,
        "simultaneous updates": arguments.simultaneous,
    }
    with open(arguments.file, "w") as file:  # noqa: PTH123 - as Python 3.6 likes it
        json.dump({"about": about, "curves": curves}, file)


def _read(name: str) -> "dict[str, Any]":
    with open(name) as file:  # noqa: PTH123
        record: dict[str, Any] = json.load(file)
    return record


def distance(first: "list[float]", other: "list[float]") -> float:
    """The largest relative difference of two curves."""
    a, b = np.array(first), np.array(other)
    return float(np.max(np.abs(a - b) / np.maximum(np.abs(a), np.abs(b))))


def compare(arguments: argparse.Namespace) -> None:
    """Print a table of the distances of two sets of curves, and of each to an exact set."""
    first, other = _read(arguments.one), _read(arguments.other)
    exact = _read(arguments.exact) if arguments.exact else None
    names = [file["about"]["backend"] for file in (first, other)]
    head = ["model", "optimizer", "first loss", "last loss", " to ".join(names)]
    head += [f"{name} to exact" for name in names] if exact else []
    head += [f"CPU ms per step, {name}" for name in names]
    print("| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for model, optimizers in first["curves"].items():
        for optimizer in optimizers:
            sets = [first, other] + ([exact] if exact else [])
            records = [item["curves"][model][optimizer] for item in sets]
            print("| " + " | ".join([model, optimizer, *_cells(records)]) + " |")


def _cells(records: "list[dict[str, Any]]") -> "list[str]":
    losses = [item["losses"] for item in records]
    ends = [f"{losses[0][i]:.4f}" for i in (0, -1)]
    apart = [f"{distance(losses[0], losses[1]):.1e}"]
    apart += [f"{distance(curve, losses[2]):.1e}" for curve in losses[:2] if len(losses) > 2]
    return ends + apart + [f"{1000 * item['seconds']:.2f}" for item in records[:2]]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command")
    command = commands.add_parser("train")
    command.add_argument("file")
    command.add_argument("--steps", type=int, default=100)
    command.add_argument("--floatx", default="float32")
    command.add_argument("--models", nargs="*", default=list(MODELS))
    command.add_argument("--optimizers", nargs="*", default=list(OPTIMIZERS))
    command.add_argument("--simultaneous", action="store_true", help="TensorFlow 1 only")
    command.set_defaults(run=train)
    command = commands.add_parser("compare")
    command.add_argument("one")
    command.add_argument("other")
    command.add_argument("--exact")
    command.set_defaults(run=compare)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
