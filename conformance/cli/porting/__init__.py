"""`conformance migration --scan`: the uses of K in Python files, and what each becomes."""
