"""Distances between all points."""

from keras.backend import dot, eval, constant, square, sum, transpose, sqrt, maximum, epsilon


def distances(points):
    squares = sum(square(points), axis=1, keepdims=True)
    products = dot(points, transpose(points))
    return sqrt(maximum(squares - 2.0 * products + transpose(squares), epsilon()))


def result(x, y):
    # squares: of a point from itself the distance is the root of a rounding error
    return eval(square(distances(constant(x))))
