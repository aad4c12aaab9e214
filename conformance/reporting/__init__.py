"""One small writer per format. Each is fed the engine's events and knows nothing else."""

from __future__ import annotations

FORMAT_NAMES: dict[str, str] = {
    "html": "a site: index.html",
    "results": "TARGET.json, parts put together",
    "compressed": "TARGET.json.gz, the same by gzip",
    "markdown": "everything on one page: matrix.md",
    "pages": "the matrix: matrix.md, and targets/*.md",
    "summary": "a short page for a CI job: summary.md",
    "junit": "JUnit XML: junit.xml",
    "csv": "a line for each verdict: results.csv",
    "json": "scores and verdicts: scores.json",
    "annotations": "GitHub annotations",
    "pictures": "SVG: pictures/*.svg",
    "badges": "badges/*.svg, and *.json for shields.io",
}
