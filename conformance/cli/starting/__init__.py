"""`conformance init`: the files with which a project begins to test its backend."""
