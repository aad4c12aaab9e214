"""The generator of composed programs: from a plan, a seed and a number to a program and its answer.

* `composing` makes the program with a number.
* `pairs` owns the concept of planned pairs, and their order.
* `joining` covers the pairs of a block. `growth` adds one call after another.
* `wiring` draws one call whose tensors are results of earlier calls.
* `control_flow` and `loops` add branches, loops and gradients. `sessions` compiles a function and
  calls it again. `placeholders` has unknown dimensions.
"""
