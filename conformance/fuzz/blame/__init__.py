"""Blame: the call that fails by itself, or else the composition.

A program that differs may hold a call that is wrong on its own. `conformance run` is there to find
such a call, and reporting it again as a failure of composition would hide the real ones. Therefore
each call of the program runs alone, in a program of its own, on the right numbers and on those that
the target had there. If one differs, the program is *put down to* its function. If none does, the
search makes the program smaller and asks again. The remaining program is a failure of composition.

* `calls` runs one call on its tensors: fed, held by variables, or with unknown dimensions. It also
  runs the calls in the body of a loop, with the numbers of each round.
* `compiled` compiles and calls the same call, and `function` with one output.
* `steps` makes the inputs of the program alone, and updates its variables alone.
* `gradients` takes the gradient of one call with the weights that it has in the program, and the
  gradient of that gradient.
* `static_shapes` finds a static shape that is wrong from the start.
* `explaining` tries all of these in order. It also looks for numbers that fail only after the
  earlier ones.

The engine's trials (`engine.judging.trials`) cannot take this place with equal results. A trial
runs a structure that a spec's rules draw. Here the tensors are another call's: the target's own
numbers, dimensions that the program does not know, fed tensors beside held ones. A trial also
judges more: readings of conventions, static shapes, purity. A program rests on no convention. So
each of these would blame calls on which the program does not depend, or excuse a difference that
the program's bound proves.
"""
