"""Labels as vectors, smoothed, and their loss."""

from keras import backend as K


def loss(labels, logits, classes=3, smoothing=0.1):
    targets = K.one_hot(K.cast(labels, "int32"), classes)
    targets = targets * (1.0 - smoothing) + smoothing / classes
    return K.mean(K.categorical_crossentropy(targets, logits, from_logits=True))


def result(x, y):
    labels = K.argmax(K.constant(y), axis=-1)
    return K.eval(loss(labels, K.constant(x)))
