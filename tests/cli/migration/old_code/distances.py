"""Distances between all points."""

from keras.backend import dot, eval, constant, square, sum, transpose, sqrt, maximum, epsilon


def distances(points):
    squares = sum(square(points), axis=1, keepdims=True)
    products = dot(points, transpose(points))
    return sqrt(maximum(squares - 2.0 * products + transpose(squares), epsilon()))


def result(x, y):
    return eval(distances(constant(x)))
