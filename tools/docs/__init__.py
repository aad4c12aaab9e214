"""The documentation site: what of the repository stands on it, and where its links lead."""
