"""Vectors: the plan and its right answers as files, for implementations in any language.

A *vector* is one case with everything that a runner needs to judge an answer. It has the call, its
inputs, and the expected value with a lower and an upper limit for each element. It also has the
answers that conventions allow. A vector of invalid input has the exception that the call must
raise. A runner needs neither Python nor the suite (docs/vectors.md).

A folder of vectors has one JSON file and one safetensors file for each function (`records`,
`safetensors`), and an index with a checksum for each file (`folder`). `export` makes them of the
calls that the engine plans (`calls`), with the oracle's expectations. `recorded` goes the other
way: it puts the values of a folder in the place of the oracle's, and `conformance run --vectors`
judges a target by them.
"""
