"""Scaled products of queries and keys, with a mask."""

from keras import backend as K


def attend(query, key, value, mask=None):
    scores = K.batch_dot(query, K.permute_dimensions(key, (0, 2, 1)))
    scores /= K.sqrt(K.cast(K.int_shape(key)[-1], K.floatx()))
    if mask is not None:
        scores += (1.0 - K.expand_dims(K.cast(mask, K.floatx()), 1)) * -1e9
    return K.batch_dot(K.softmax(scores, axis=-1), value)


def result(x, y):
    query = K.reshape(K.constant(x), (1, 4, 3))
    mask = K.greater(K.reshape(K.constant(y), (1, 12))[:, :4], 0.0)
    return K.eval(attend(query, query * 2.0, query - 1.0, mask))
