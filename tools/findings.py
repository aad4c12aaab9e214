"""Make `docs/findings.md`: the failures of `docs/findings.toml`, with what their scripts print.

    python -m tools.findings

Each script runs in its target's interpreter with the library and nothing of the suite; so the
targets have to be installed (`conformance install`). A failure that is not among the results any
more is named, and the page is left as it is: choose another one, or run the target again.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import click

from conformance.adapters.registry import shipped
from conformance.reporting.containers import existing
from conformance.reporting.json_results import file_name, read_results
from conformance.reporting.markdown_text import escape
from conformance.results import Failure, Results
from tests.real.scripts import answer

_PATIENCE = 600
"""Seconds that a script may take. Importing TensorFlow takes a minute on a busy machine."""
CHOSEN, PAGE = Path("docs/findings.toml"), Path("docs/findings.md")
_WIDEST = 200
"""Characters of a message; the script shows the rest."""
_HEAD = """# What was found

The most surprising violations of each target that has any, three at most; differences, where
functions of Keras 3 stand in place of documented ones. Each script was run in the target's
interpreter with the library and nothing of the suite; what it printed stands below it.
All others are in [the site](reports.md#the-site) that `nox -s site` makes, each with its script.
`python -m tools.findings` makes this page of [findings.toml](findings.toml).
"""
_DIFFERENCES = """
Differences, and no violations: functions of Keras 3 stand here in place of documented ones,
whose document they do not promise to keep ([keras3.md](keras3.md), [migration.md](migration.md)).
"""
_FINDING = """
**{headline}** (`{failure.id}`, {failure.citation}).

{message}

```python
{script}
```

```
{printed}
```
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFailure:
    """A failure that `docs/findings.toml` chooses, with its headline."""

    target: str
    headline: str
    failure: Failure


def chosen(texts: dict[str, dict[str, str]], reports: Path) -> Iterator[ChosenFailure]:
    """The findings in their order.

    Raises:
        UsageError: the results lack a target, a failure or its script.
    """
    for target, headlines in texts.items():
        file = existing(reports / file_name(target))
        if file is None:
            raise click.UsageError(f"{CHOSEN}: {reports} has no results of {target}")
        failures = {failure.id: failure for failure in _failures(read_results(file))}
        for identity, headline in headlines.items():
            if identity not in failures or not failures[identity].script:
                raise click.UsageError(f"{CHOSEN}: {file} has no script of {identity} ({headline})")
            failure = failures[identity]
            yield ChosenFailure(target=target, headline=headline, failure=failure)


def _failures(results: Results) -> Iterator[Failure]:
    for function in results.functions:
        for aspect in function.aspects:
            yield from aspect.failures


def printed(finding: ChosenFailure) -> str:
    """The last line that the script prints under its library alone.

    Raises:
        UsageError: the script hangs.
    """
    script, failure = finding.failure.script or "", finding.failure.id
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = answer(finding.target, script, Path(folder), _PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise click.UsageError(
                f"{CHOSEN}: the script of {failure} on {finding.target} did not end within "
                f"{_PATIENCE} s. Try again on an idle machine, or choose another failure"
            ) from error
    last_lines = (done.output.strip() or done.errors.strip()).splitlines()[-1:]
    return "".join(re.sub("0x[0-9a-f]+", "0x...", line)[:_WIDEST] for line in last_lines)


def _without_title(script: str) -> str:
    """Without the comments at the beginning: they say what stands above the script."""
    return script[script.index("import ") :].rstrip()


def heading(target: str) -> str:
    """The heading of a target, with what its failures are if a table stands in for the document's
    functions."""
    mapped = shipped()[target].mapping is not None
    return f"\n## {target}\n{_DIFFERENCES if mapped else ''}"


def page(findings: list[ChosenFailure]) -> str:
    """The whole page."""
    shipped()  # msgspec may end the process if two threads meet a class for the first time
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outputs = list(pool.map(printed, findings))
    text, last = _HEAD, ""
    for finding, output in zip(findings, outputs, strict=True):
        text += heading(finding.target) if finding.target != last else ""
        last = finding.target
        text += _FINDING.format(
            headline=finding.headline,
            failure=finding.failure,
            message=escape(finding.failure.message),
            script=_without_title(finding.failure.script or ""),
            printed=output,
        )
    return text


@click.command(help=__doc__)
@click.option("--reports", default="reports", show_default=True, type=click.Path(path_type=Path))
def main(reports: Path) -> None:
    """Write the page."""
    findings = list(chosen(tomllib.loads(CHOSEN.read_text(encoding="utf-8")), reports))
    PAGE.write_text(page(findings), encoding="utf-8")
    click.echo(f"{PAGE}: {len(findings)} findings")


if __name__ == "__main__":
    main()
