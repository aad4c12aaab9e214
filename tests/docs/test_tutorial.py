"""The tutorial, and the guide to a gate in CI: their commands print what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.walkthrough import ROOT, agrees, commands, walk

PAGE = """# A page

`one.txt` has a word:

```toml
word
```

```diff
--- one.txt
+++ one.txt
@@ -1 +1 @@
-word
+other
```

```console
$ cat one.txt
other
$ echo here; echo there
here
```
"""


TINYBACK = ROOT / "examples" / "tinyback" / "src"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("tutorial.md", 7), ("ci.md", 5)])
def test_every_command_of_a_page_prints_what_it_shows(
    name: str, least: int, tmp_path: Path
) -> None:
    run = list(walk(uninstalled(ROOT / "docs" / name, tmp_path), tmp_path))
    assert len(run) >= least
    for command, printed in run:
        assert agrees(command.printed, printed), f"$ {command.line}\n{printed}"


def uninstalled(page: Path, folder: Path) -> Path:
    """The page, but that tinyback, which it says to install, is imported from where it stands."""
    text = page.read_text("utf-8")
    module = 'module = "tinyback"\n'
    changed = folder / page.name
    changed.write_text(text.replace(module, f'{module}path = "{TINYBACK}"\n'), "utf-8")
    return changed


def test_files_are_written_and_changed_and_what_differs_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, "utf-8")
    (first, shown), (second, more) = walk(page, tmp_path)
    assert (first.line, shown) == ("cat one.txt", "other\n")
    assert agrees(first.printed, shown)
    assert not agrees(second.printed, more)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n[...]\nd\n", "a\nb\nc\nd\n", True),
        ("[...]\nd\n", "a\nb\n", False),
        (
            "75 cases in 1.8 s (41 cases/s), 0% of\n",
            "75 cases in 2.3 s (33 cases/s), 1% of\n",
            True,
        ),
        ("3 passed in 4.81s\n", "3 passed in 0.90s\n", True),
        ("3 passed in 4.81s\n", "2 passed in 4.81s\n", False),
        (
            "75 cases in 1.8 s (41 cases/s), 0% of\n",
            "76 cases in 1.8 s (41 cases/s), 0% of\n",
            False,
        ),
    ],
)
def test_times_may_differ_and_nothing_else(shown: str, printed: str, same: bool) -> None:
    assert agrees(shown, printed) is same


def test_commands_stand_after_a_dollar_sign() -> None:
    block = "$ run a\nprinted $ 1\n$ run b\n"
    assert [(c.line, c.printed) for c in commands(block)] == [
        ("run a", "printed $ 1\n"),
        ("run b", ""),
    ]
