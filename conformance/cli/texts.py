"""The texts of the documents, where a user has them: lines of them stand beside what cites them."""

from __future__ import annotations

from pathlib import Path

from conformance.adapters import project, registry
from conformance.adapters.registry import RegistryError
from conformance.cli.errors import UsageProblem
from conformance.specs.documents.texts import Texts, TextsError, find_texts

NO_TEXTS = Texts({})
_HINT = "docs/documents/README.md says which texts they are, and where some can be had"


def known_texts(folder: Path | None, config: Path | None = None) -> Texts:
    """Those of the folder that is given, or else of the one that `documents` names in `config`, by
    default in the project's file; none without both. UsageProblem for a folder that has none of
    them, or a wrong file.
    """
    try:
        wanted = _of_project(config) if folder is None else folder
        return NO_TEXTS if wanted is None else find_texts(wanted)
    except TextsError as error:
        raise UsageProblem(str(error), _HINT) from error
    except RegistryError as error:
        raise UsageProblem(str(error), "docs/environments.md explains every field") from error


def _of_project(config: Path | None) -> Path | None:
    file = config or project.find(Path.cwd())
    return None if file is None else registry.documents_folder(file)
