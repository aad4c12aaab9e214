"""Names of files and folders that a command writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

# a class with a parameter since click 8.4 only
if TYPE_CHECKING:
    _Path = click.Path[Path]
else:
    _Path = click.Path


class WrittenPath(_Path):
    """A path that need not be there; an empty text is none, which `Path` takes for this folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path; a usage error for an empty one."""
        if not str(value):
            self.fail("it is empty; write a name", param, ctx)
        return Path(super().convert(value, param, ctx))


def written_folder() -> WrittenPath:
    """The type of an option that names a folder to write into."""
    return WrittenPath(file_okay=False, path_type=Path)


def written_file() -> WrittenPath:
    """The type of an option that names a file to write."""
    return WrittenPath(dir_okay=False, path_type=Path)
