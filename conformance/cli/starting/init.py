"""`conformance init`: write the files, and say what was written."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.cli.options.given import InitOptions
from conformance.cli.outputs import write_file
from conformance.cli.starting.files import Backend, described, files
from conformance.reporting.safe_text import clean


def init(options: InitOptions) -> int:
    """Write what is not there yet; the exit status."""
    folder = Path()
    backend = described(options, folder)
    for place, text in files(backend, folder).items():
        click.echo(_written(place, text, force=options.force))
    for line in _told(backend):
        click.echo(clean(line))
    return 0


def _written(place: Path, text: str, *, force: bool) -> str:
    there = place.exists()
    if there and not force:
        return f"left as it is: {place} (--force writes it anew)"
    write_file(place, text.encode())
    return f"{'written anew' if there else 'written'}: {place}"


def _told(backend: Backend) -> list[str]:
    listed = [f"{backend.name} is the module {backend.module} in {backend.path}"]
    if backend.problem:
        listed.append(f"not yet: {backend.problem}")
    if backend.names:
        pairs = ", ".join(f"`{own}` looks like `{name}`" for name, own in backend.names.items())
        listed.append(f"look at names in conformance.toml: {pairs}")
    return [*listed, f"next: conformance run {backend.name} --profile smoke"]
