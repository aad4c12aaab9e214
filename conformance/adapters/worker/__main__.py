"""Run as `PYTHON path/to/worker --read-fd R --write-fd W --module M --family graph|eager`."""

import gc

gc.disable()  # among modules there is no garbage to search for; `main` enables it

from conformance_worker.loop import main  # type: ignore[import-not-found]  # noqa: E402

main()
