"""A mean that leaves out padded steps."""

from keras import backend as K


def masked_mean(values, padding=0.0):
    mask = K.cast(K.not_equal(values, padding), K.floatx())
    count = K.maximum(K.sum(mask, axis=-1, keepdims=True), 1.0)
    return K.squeeze(K.sum(values * mask, axis=-1, keepdims=True) / count, -1)


def result(x, y):
    return K.eval(masked_mean(K.switch(K.greater(K.constant(y), 0.0), K.constant(x), K.zeros_like(K.constant(x)))))
