"""Functions that mkdocs calls while it builds the site, as mkdocs.yml says."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File

from conformance.cli import main
from tools.docs.commands import for_markdown
from tools.docs.files import extra_files, place_of
from tools.docs.links import for_site


def on_startup(**_: Any) -> None:
    """Once, before anything is built."""
    for_markdown(main)


def on_files(files: Any, *, config: Any) -> Any:
    """Add what does not lie in docs/."""
    for path, place in extra_files():
        files.append(File.generated(config, path, abs_src_path=str(place)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Let links lead to where they lead in the repository."""
    path = page.file.src_uri
    return for_site(markdown, place_of(path), path, f"{config.repo_url}/blob/main")
