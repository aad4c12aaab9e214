"""The tutorial: its commands print what it shows."""

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


@pytest.mark.slow
def test_every_command_of_the_tutorial_prints_what_it_shows(tmp_path: Path) -> None:
    run = list(walk(ROOT / "docs" / "tutorial.md", tmp_path))
    assert len(run) >= 7
    for command, printed in run:
        assert agrees(command.printed, printed), f"$ {command.line}\n{printed}"


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
