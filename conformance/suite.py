"""The test module behind `pytest --pyargs conformance.suite --conformance-target NAME`."""

from conformance.testing import conformance_tests

test_conformance = conformance_tests()
