"""What keeps a worker from the rest of the machine, where Linux offers it (docs/safety.md).

`namespaces` gives a worker and all that it starts a world of their own, `landlock` lets it write
to a few folders only, `system` has the calls that Python does not offer. These run in a warden or a
guardian and need nothing but the standard library. `offer` detects what the machine has,
`switch` whether the user wants it.
"""
