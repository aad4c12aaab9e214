"""The lines of a backend that no case executes: `python -m tools.unexecuted keras3-ops-numpy`.

The tool runs a profile on one worker. A tracer follows the packages of the target's `sources` and
those that hold its documented functions. Documented functions reach each line that the tool prints.
Such a line needs a case, or a reason why none can exist.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType

import click
import msgspec

import conformance
from conformance.adapters.registry import shipped
from conformance.adapters.target_records import Target
from conformance.cli.options.selection import expression
from conformance.engine import PROFILES, Run, plan
from conformance.mutation.code.population import TargetSources, reached_units, sources
from conformance.mutation.code.scoring import FOLDER, Sessions, attempt
from conformance.mutation.code.units import SourceModule
from conformance.mutation.score import unminimised
from conformance.specs import load

SECONDS = 7200.0


def traced(target: Target, folders: Sequence[str], output: Path) -> Target:
    """The target with workers that note in a file which lines below the folders run.

    The workers leave the sandbox, which would keep them from writing.
    """
    lines = (
        "import sys",
        f"sys.path.insert(0, {str(FOLDER)!r})",
        "import conformance_executed",
        f"sys.path.remove({str(FOLDER)!r})",
        f"conformance_executed.install({tuple(folders)!r}, {str(output)!r})",
    )
    return msgspec.structs.replace(target, startup=(*lines, *target.startup), sandbox=False)


def executed(target: Target, own: TargetSources, profile: str, matching: str | None) -> set[str]:
    """`FILE:LINE` of each line that a run of the functions executes."""
    selects = expression(matching) if matching else lambda _: True
    tasks = [
        task
        for task in plan(load(), target.edition, PROFILES[profile], 0)
        if selects(task.spec.name)
    ]
    folders = sorted({str(Path(m.file).parent) for m in [*own.modules, *own.before]})
    common = Run(conformance.__version__, unminimised(PROFILES[profile]), 0, "")
    with tempfile.TemporaryDirectory(prefix="conformance-executed-") as folder:
        output = Path(folder, "lines.txt")
        attempt(traced(target, folders, output), tasks, common, Sessions(), seconds=SECONDS)
        return set(output.read_text("utf-8").split())


def unexecuted(own: TargetSources, lines: set[str]) -> Iterator[tuple[SourceModule, str, int]]:
    """Module, unit and line of each line of a reached unit that is not among `lines`."""
    reached = reached_units(own)
    for module in [*own.modules, *own.before]:
        units = [(n, node) for n, node in module.units().items() if (module.name, n) in reached]
        numbers = statements(module)
        for unit, node in units:
            for number in range(node.lineno + 1, (node.end_lineno or node.lineno) + 1):
                if number in numbers and f"{module.file}:{number}" not in lines:
                    yield module, unit, number


def statements(module: SourceModule) -> set[int]:
    """The lines inside functions that have code."""
    code = compile(module.text.source, module.file, "exec")
    return {line for inner in _functions(code) for _, _, line in inner.co_lines() if line} - {
        inner.co_firstlineno for inner in _functions(code)
    }


def _functions(code: CodeType) -> Iterator[CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 0x2:  # CO_NEWLOCALS: a function and not the body of a class
                yield inner
            yield from _functions(inner)


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("name")
@click.option("--profile", type=click.Choice([*PROFILES]), default="default")
@click.option("-k", "matching", help="Run only the functions that match.")
def main(name: str, profile: str, matching: str | None) -> None:
    """Run a target and print the lines that nothing executes."""
    target = shipped()[name]
    own = sources(target)
    for module, unit, number in unexecuted(own, executed(target, own, profile, matching)):
        text = module.text.source.splitlines()[number - 1].decode().strip()
        click.echo(f"{Path(module.file).name}:{number} {unit}: {text}")


if __name__ == "__main__":
    main()
