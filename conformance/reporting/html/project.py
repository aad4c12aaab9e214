"""Where the suite itself lives: the addresses that its distribution names."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata

DISTRIBUTION = "keras-backend-conformance"
SHOWN = ("Documentation", "Repository", "Issues")


def project_links() -> list[tuple[str, str]]:
    """Label and address of documentation, repository and issues; none where it names none."""
    try:
        listed = metadata(DISTRIBUTION).get_all("Project-URL") or []
    except PackageNotFoundError:
        return []
    pairs = dict(_pair(one) for one in listed)
    return [(label, pairs[label]) for label in SHOWN if _is_web(pairs.get(label, ""))]


def _pair(text: str) -> tuple[str, str]:
    label, _, address = text.partition(",")
    return label.strip(), address.strip()


def _is_web(address: str) -> bool:
    return address.startswith("https://")
