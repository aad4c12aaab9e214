"""A plug-in of pytest: load modules from the files that CONFORMANCE_CODE_MUTANT names (JSON)."""

import json
import os

import conformance_code_mutant  # type: ignore[import-not-found]

conformance_code_mutant.install(json.loads(os.environ["CONFORMANCE_CODE_MUTANT"]))
