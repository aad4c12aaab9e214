"""Every claim of the five documents, line by line, and what of the suite checks it.

`lines.yaml` says what each line of a document is, `written.yaml` what checks those that nothing
else cites. The rest follows from the specs, the examples and the scenarios. See docs/claims.md.
"""
