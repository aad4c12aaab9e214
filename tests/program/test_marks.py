"""The marks of the host and of the worker are the same."""

from types import ModuleType

from conformance.adapters.worker.conformance_worker import marks as of_worker
from conformance.adapters.worker.conformance_worker.stages import STAGES
from conformance.observations import Stage
from conformance.program import marks as of_host


def _constants(module: ModuleType) -> dict[str, str]:
    return {name: value for name, value in vars(module).items() if name.isupper()}


def test_host_and_worker_agree() -> None:
    assert _constants(of_worker) == _constants(of_host)


def test_the_stages_are_those_that_the_worker_announces() -> None:
    assert (None, *Stage.__args__) == STAGES  # type: ignore[attr-defined]
