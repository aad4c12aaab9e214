"""Activations that Keras 2 lacked, and a chain of them."""

import numpy as np
from keras import backend as K


def gelu(x):
    return 0.5 * x * (1.0 + K.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * K.pow(x, 3))))


def mish(x):
    return x * K.tanh(K.softplus(x))


def result(x, y):
    value = K.constant(x)
    for activation in (gelu, mish, K.relu, K.softsign):
        value = activation(value) + K.hard_sigmoid(value)
    return K.eval(K.reverse(K.cumsum(value, axis=1), 1))
