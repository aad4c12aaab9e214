"""Every path on the command line is taken as a user types it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from conformance.cli import main
from conformance.cli.options.types import UserPath


def parameters(group: click.Group, name: str) -> Iterator[tuple[str, click.Parameter]]:
    """The parameters of all commands, with the command's name."""
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        if isinstance(command, click.Group):
            yield from parameters(command, f"{name} {each}")
        yield from ((f"{name} {each}", parameter) for parameter in command.params)


def test_every_path_may_begin_in_the_home() -> None:
    paths = [(c, p) for c, p in parameters(main, "conformance") if isinstance(p.type, click.Path)]
    assert len(paths) > 20
    assert [(c, p.name) for c, p in paths if not isinstance(p.type, UserPath)] == []


def test_the_home_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "home" / "results").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    done = CliRunner().invoke(main, ["show", "relu", "--results=~/results"])
    assert done.exit_code == 2
    assert f"{tmp_path}/home/results" in done.output
    missing = CliRunner().invoke(main, ["show", "relu", "--results=~/nowhere"])
    assert f"'{tmp_path}/home/nowhere' does not exist" in missing.output
