"""A static site: matrix, a page for each function and target, comparisons. No server needed."""

from conformance.reporting.html.site import write_site

__all__ = ["write_site"]
