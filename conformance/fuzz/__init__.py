"""Composed programs: several documented calls in one program, compared with a bound that holds.

`making` draws programs, `bounds` says how far a correct implementation may stray from the right
answer of a whole program, and the modules here run programs, judge what came back, and make what
fails smaller.
"""
