"""The sandbox separates a worker from the rest of the machine, where Linux can (docs/safety.md).

`namespaces` hides other processes and the network, and `landlock` lets a worker write to a few
folders only. `system` has the calls that Python does not offer. These run in a warden or a
guardian and need only the standard library. `offer` detects what the machine has,
`switch` whether the user wants it.
"""
