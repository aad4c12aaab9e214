"""Composed programs: several documented calls in one program, judged within a bound that holds.

`conformance run` tests one function at a time. Optimisers, caches and shared buffers fail where
calls meet, so `conformance fuzz` draws whole programs from a seed and judges their results. The
rooms follow the way of one program:

* `programs` reads a program: its calls as the specs know them, and the needs of each step.
* `making` draws a program from a seed and a number.
* `bounds` computes the right answer with a reach for every element, and cuts the program where the
  reach becomes useless.
* `judging` compares a target's answer with it.
* `shrinking` makes a failing program smaller.
* `records` keeps failures of composition and counts, as results hold them.
* `blame` runs each call alone and puts the program down to the call that fails by itself.
* `running` drives workers through a campaign, rechecks old failures, and replays one.

A room imports only the rooms above it in this list.
"""
