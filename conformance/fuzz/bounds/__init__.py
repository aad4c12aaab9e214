"""The bounds of a composed program: how far a correct implementation may stray from its answer.

Every tensor of a program has a right value and a *reach* for each element (`tensors.Known`). A
correct implementation has a number within the reach of the right one at that place. The reach is 0
for inputs and grows along the program, because a call receives numbers that are rounded already.

* One call: its arguments lie in a box around the right numbers (`spread.Box`). The reach of the
  result is `spread + 2 B + one rounding` (`course.answer`). `spread` is how far the function moves
  in the box, by a proved rule for each function (`spread`, `keras_spread`). B is the error bound of
  the call alone (`oracle`).
* A gradient: a reverse sweep carries the reach of the weights and of the arguments back
  (`gradients`). A gradient of a gradient also has a forward sweep (`second_derivatives`, with
  formulas from `curvature`).
* Branches and loops run their bodies along with the bound (`control_flow`).
* A program that compiles functions runs its graph once per call, with the values that its variables
  hold then (`sessions`).

A reach of more than half of the digits is *useless* (`Known.useless`). There the program is *cut*
(`course`): the suite observes the target's own numbers for the arguments, and takes these as right
from there on. A tensor that is still useless gets no verdict.

Two more modules say whether a call may stand in a program at all. `admissible` asks whether the
documents settle its result, and whether its numbers lie in the domains of its spec.
`static_shapes` asks which of its dimensions a graph knows.
"""
