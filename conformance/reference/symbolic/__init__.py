"""The symbolic layer: graph, static shapes, gradients and compiled functions.

It knows no library that computes: it takes a set of operations (`operations`).
"""
