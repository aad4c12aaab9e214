"""How far a correct implementation may stray from the right answer of a composed program."""
