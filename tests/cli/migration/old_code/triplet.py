"""The triplet loss of normalised embeddings."""

from keras import backend as K


def triplet_loss(embeddings, margin=0.4):
    anchor, positive, negative = embeddings[:, 0], embeddings[:, 1], embeddings[:, 2]
    near = K.sum(K.square(anchor - positive), axis=-1)
    far = K.sum(K.square(anchor - negative), axis=-1)
    return K.mean(K.maximum(near - far + margin, K.constant(0.0)))


def result(x, y):
    points = K.l2_normalize(K.reshape(K.constant(x), (2, 3, 2)), axis=-1)
    return K.eval(triplet_loss(points))
