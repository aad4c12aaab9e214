"""A test for each function of the backend and each of its aspects, against the documents.

`pytest -k "test_conformance and softmax"` runs some; without profile="smoke" more cases are tried.
"""

from conformance.testing import conformance_tests

test_conformance = conformance_tests(target="@NAME@", profile="smoke")
