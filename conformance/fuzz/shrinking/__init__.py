"""Shrinking: from a failing program of twenty calls to a program that a person reads at a glance.

The search is delta debugging (A. Zeller and R. Hildebrandt, Simplifying and Isolating
Failure-Inducing Input, IEEE Transactions on Software Engineering 28, 2002). A *candidate* is the
program with one change that makes it smaller. The search keeps a candidate if the target still
fails on it in the same way (`reduction.shows`), and then starts again from there.

1. Fewer calls: drop outputs, or turn a result into an input with the right numbers. Pass a tensor
   of a call on in place of its result, or put `abs` in place of a call.
2. Simpler shapes and numbers: known dimensions, shorter axes, integers and halves.

A candidate must be a program that the generator could have drawn. Its calls rest on no convention,
its numbers lie in the domains of the specs, and its bounds are useful (`reduction.planned`).
The search ends when no candidate fails, or after `SECONDS` or `TESTS`.

* `reduction` is the search.
* `candidates` makes the candidates of a plain program.
* `session_candidates` makes those of a program that compiles functions and calls them.
"""
