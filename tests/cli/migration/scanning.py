"""Old code in files, and scans of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from conformance.cli import main


def put(name: str, *lines: str) -> Path:
    file = Path(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def scan(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["migration", *map(str, arguments)])


def scanned(*lines: str, places: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    put("old.py", "from keras import backend as K", *lines)
    output = scan(*places, "--scan", "old.py", "--format", "json", "--fail-on", "never").output
    records: list[dict[str, Any]] = json.loads(output)
    return records
