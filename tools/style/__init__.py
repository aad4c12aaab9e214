"""Style checks of our own: plain English, names of things, and docstrings that say enough.

    python -m tools.style            report what exceeds the allow-list, with line and advice
    python -m tools.style --shrink   lower the allow-list to what is left
    python -m tools.style --list docs/ci.md
                                     every finding in these files, allowed or not

`prose` reads Markdown, docstrings, comments and messages and applies the rules of `rules.toml`.
`names` reads the names that Python code binds, also in tests. `raising` requires a section
`Raises:` in the docstring of each public function with a `raise` of its own. `numerics` requires
shapes and a source in the docstrings of numeric functions. Old text may keep as many findings per
file and rule as `allowed.toml` says. That file only shrinks: `--shrink` never raises a number and
never adds a row.
"""
