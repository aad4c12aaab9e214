"""A layer that smooths sequences, and one that joins two means."""

from keras import backend as K
from keras.layers import Layer


class Smoothing(Layer):
    def build(self, input_shape):
        self.kernel = K.ones((3, 1, 1)) / 3.0
        super().build(input_shape)

    def call(self, inputs):
        columns = [
            K.conv1d(K.expand_dims(inputs[:, :, i], -1), self.kernel, padding="same")
            for i in range(K.int_shape(inputs)[-1])
        ]
        return K.concatenate(columns, axis=-1)


class Means(Layer):
    def call(self, inputs):
        return K.stack([K.mean(inputs, axis=1), K.max(inputs, axis=1)], axis=1)


def result(x, y):
    inputs = K.reshape(K.constant(x), (1, 4, 3))
    return K.eval(Means()(Smoothing()(inputs)))
