"""`conformance init`: write the files, and say what was written."""

from __future__ import annotations

from pathlib import Path

import click

from conformance.adapters.project import OWN
from conformance.cli.options.given import InitOptions
from conformance.cli.outputs import write_file
from conformance.cli.starting.files import Backend, described, files, own_modules
from conformance.reporting.safe_text import clean, clean_block


def init(options: InitOptions) -> int:
    """Write what is not there yet; the exit status."""
    folder = Path()
    backend = described(options, folder)
    written = files(backend, folder)
    for place, text in written.items():
        click.echo(_written(place, text, force=options.force))
    for line in _told(backend):
        click.echo(clean(line))
    click.echo(clean_block(_next(backend, folder, written[Path(OWN)])))
    return 0


def _written(place: Path, text: str, *, force: bool) -> str:
    there = place.exists()
    if there and not force:
        return f"left as it is: {place} (--force writes it anew)"
    write_file(place, text.encode())
    return f"{'written anew' if there else 'written'}: {place}"


def _told(backend: Backend) -> list[str]:
    listed = [
        f"{backend.name} is the module {backend.module} in {backend.path}, to be tested against "
        f"{backend.edition}"
    ]
    if backend.besides:
        listed.append(backend.besides)
    if backend.problem:
        listed.append(f"not yet: {backend.problem}")
    if backend.names:
        pairs = ", ".join(f"`{own}` looks like `{name}`" for name, own in backend.names.items())
        listed.append(f"look at names in conformance.toml: {pairs}")
    return listed


def _next(backend: Backend, folder: Path, text: str) -> str:
    """What to do next: first of all to describe the backend, if a file that was left as it is does
    not."""
    if backend.name in own_modules(folder):
        return f"next: conformance run {backend.name} --profile smoke"
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return "\n".join(
        [
            f"{backend.name} is not described yet, because {OWN} was there before and was left as "
            "it is; next: add these lines to it (--force would write it anew, without what it has)",
            *(f"    {line}" for line in lines),
        ]
    )
