"""Run as `PYTHON path/to/worker --read-fd R --write-fd W --module M --family graph|eager`."""

from conformance_worker.loop import main  # type: ignore[import-not-found]

main()
