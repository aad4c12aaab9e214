"""What released Keras asks of the package beyond the documents, and that nobody else gets it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import conformance.reference as K  # noqa: N812
from conformance.reference import keras_support

AS_KERAS = """
import sys, types
import numpy as np

class Settings:
    values = dict(floatx='float32', epsilon=1e-7, image_data_format='channels_last')

module = types.ModuleType('keras.backend')
module._BACKEND = 'conformance.reference'
for name in Settings.values:
    setattr(module, name, lambda name=name: Settings.values[name])
    setattr(module, 'set_' + name, lambda value, name=name: Settings.values.update({name: value}))
sys.modules['keras.backend'] = module
import conformance.reference as K
"""


def as_keras(source: str) -> list[str]:
    """The lines that a program prints which loads the package as Keras does."""
    done = subprocess.run(
        [sys.executable, "-c", AS_KERAS + source], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_additions_are_in_the_module_but_not_among_the_documented_functions() -> None:
    for name, function in keras_support.ADDITIONS.items():
        assert getattr(K, name).__wrapped__ is function
        assert name not in K.__all__
        assert (function.__doc__ or "").startswith("Undocumented")


def test_lenient_functions_are_documented_ones_that_others_have_strict() -> None:
    assert keras_support.LENIENT
    for name, function in keras_support.LENIENT.items():
        assert name in K.__all__
        assert getattr(K, name).__wrapped__ is not function


@pytest.mark.parametrize(
    "call",
    [
        lambda: K.variable(K.constant(1.0)),
        lambda: K.zeros(1),
        lambda: K.prod([K.constant(1.0), K.constant(2.0)]),
        lambda: K.clip(K.constant(1.0), 0.0, None),
        lambda: K.pow(2.0, K.constant(1.0)),
        lambda: K.log(2.0),
        lambda: K.gradients(K.variable(1.0), []),
        lambda: K.function([], [], name="train"),
        lambda: K.random_normal(K.shape(K.variable([1.0]))),
        lambda: K.placeholder((1,), dtype=np.dtype("float32")),
        lambda: K.arange(K.constant(3, dtype="int32")),
    ],
)
def test_what_keras_may_pass_stays_refused_elsewhere(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError):
        call()


def test_names_of_variables_have_their_scopes_and_differ() -> None:
    source = """
with K.name_scope('model'):
    with K.name_scope('dense'):
        print([K.variable(1., name='kernel').name for _ in range(2)])
print(K.variable(1., name='kernel').name)
"""
    assert as_keras(source) == ["['model/dense/kernel', 'model/dense/kernel_1']", "kernel"]


def test_keras_gets_what_it_passes() -> None:
    source = """
print(K.get_value(K.variable(K.constant([1., 2.]))).tolist())
print(K.int_shape(K.zeros(1)), K.gradients(K.variable(1.), []))
print(K.eval(K.prod([K.constant(2.), K.constant(3.)])).tolist())
x = K.variable([-2., -.5, .5, 2.])
print(K.eval(K.clip(x, 0., None)).tolist(), K.eval(K.sqrt(x * x * K.sign(x))).tolist())
print(K.eval(K.pow(2., x * 2)).tolist())
print(K.eval(K.relu(x, alpha=.5, max_value=1., threshold=.25)).tolist())
print(K.eval(K.random_uniform(K.shape(x))).shape)
print(K.eval(K.arange(K.constant(3, dtype='int32'))).tolist(), K.eval(x[K.constant(1, 'int32')]))
print(K.function([], [x], name='predict')([])[0].tolist())
"""
    assert as_keras(source) == [
        "[1.0, 2.0]",
        "(1,) []",
        "6.0",
        "[0.0, 0.0, 0.5, 2.0] [0.0, 0.0, 0.5, 2.0]",
        "[0.0625, 0.5, 2.0, 16.0]",
        "[-1.125, -0.375, 0.5, 1.0]",
        "(4,)",
        "[0, 1, 2] -0.5",
        "[-2.0, -0.5, 0.5, 2.0]",
    ]


def test_settings_are_those_of_keras() -> None:
    source = """
Settings.values['floatx'] = 'float64'
print(K.dtype(K.variable(1.)))
K.set_floatx('float16')
print(Settings.values['floatx'])
"""
    assert as_keras(source) == ["float64", "float16"]


def test_numbers_without_a_seed_follow_numpy_for_keras_only() -> None:
    source = """
drawn = []
for _ in range(2):
    np.random.seed(5)
    drawn.append(K.eval(K.random_normal((3,))).tolist())
print(drawn[0] == drawn[1])
"""
    assert as_keras(source) == ["True"]
    drawn = []
    for _ in range(2):
        np.random.seed(5)
        drawn.append(K.eval(K.random_normal((3,))).tolist())
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize(("factor", "length"), [(1, 3), (2, 3), (3, 2), (4, 1)])
def test_bilinear_interpolation_is_linear_between_elements(factor: int, length: int) -> None:
    source = f"""
x = np.arange({length}, dtype='float32') ** 2
y = K.resize_images(K.constant(x[None, :, None, None]), {factor}, 1, 'channels_last', 'bilinear')
places = np.arange({length * factor}) / {factor}
print(np.allclose(K.eval(y)[0, :, 0, 0], np.interp(places, np.arange({length}), x)))
"""
    assert as_keras(source) == ["True"]


def test_gradient_of_interpolation_is_its_adjoint() -> None:
    source = """
from conformance.reference.keras_arguments import bilinear
draw = np.random.RandomState(0)
x = K.variable(draw.normal(size=(1, 3, 2, 1)), dtype='float64')
y = bilinear(x, {1: 3, 2: 2})
u = K.variable(draw.normal(size=(1, 9, 4, 1)), dtype='float64')
(g,) = K.gradients(K.sum(y * u), [x])
print(abs(K.eval(K.sum(y * u)) - K.eval(K.sum(x * g))) < 1e-12)
"""
    assert as_keras(source) == ["True"]


def test_learning_phase_is_known_where_it_is_needed() -> None:
    x = K.variable([1.0])
    trained = K.in_train_phase(x * 2, x)
    assert (trained + 1)._uses_learning_phase
    assert not hasattr(x + 1, "_uses_learning_phase")
