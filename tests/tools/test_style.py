"""The rules for prose and names, and the allow-list that only shrinks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.style import allowance, names, numerics, prose, raising
from tools.style.__main__ import ALLOWED, files, findings
from tools.style.allowance import StyleFinding

WORSE_AND_BETTER = {
    "told": ("A violation is told of one function.", "Each violation belongs to one function."),
    "came": ("It shows which answer came.", "It shows the answer."),
    "comes": ("The reference comes with the suite.", "The suite ships a reference."),
    "found-out": ("Whether it has a graph is found out.", "The suite detects graph mode."),
    "anew": ("Write the file anew.", "Regenerate the file."),
    "of-first": ("Of ten calls two fail.", "Two of ten calls fail."),
    "who-first": ("Who has pytest needs no job.", "If you run pytest, you need no job."),
    "what-first": ("What is unsupported is left out.", "The file ignores missing functions."),
    "what-as-noun": ("It depends on what is installed.", "It depends on the environment."),
    "so-that": ("It forks, so that a start is cheap.", "It forks. A start is therefore cheap."),
    "is-no": ("A refusal is no violation.", "A refusal is not a violation."),
    "too-last": ("The worker is counted, too.", "The suite also counts the worker."),
    "at-once": ("The backend computes at once.", "The backend is eager."),
    "becomes-of": ("It shows what becomes of zeros.", "It shows how zeros are handled."),
    "sort-of": ("This sort of call fails.", "This kind of call fails."),
    "the-one": ("The case is one that fails.", "The case fails."),
    "asked": ("The dtypes that were asked for.", "The requested dtypes."),
    "once-more": ("The call runs once more.", "The call runs again."),
    "held-against": ("It is held against the oracle.", "The suite compares it with the oracle."),
    "but-for": ("All but for two pass.", "All except two pass."),
    "long": (f"It {'very ' * 30}long.", "It is short."),
}


def test_each_rule_has_an_example() -> None:
    assert {*WORSE_AND_BETTER} == {rule.name for rule in prose.rules()[0]} | {"long"}


@pytest.mark.parametrize("rule", WORSE_AND_BETTER)
def test_a_rule_rejects_the_worse_and_accepts_the_better(rule: str) -> None:
    worse, better = WORSE_AND_BETTER[rule]
    assert rule in {finding.rule for finding in prose.check(worse, "page.md", 1)}
    assert [*prose.check(better, "page.md", 1)] == []


@pytest.mark.parametrize("text", ["`it came` works.", "There is no file.", "What is a spec?"])
def test_code_and_questions_are_left_alone(text: str) -> None:
    assert [*prose.check(text, "page.md", 1)] == []


def test_the_prose_of_a_module_is_its_docstrings_comments_and_messages(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""It came from here."""\n'
        "# of ten calls\n"
        "# two fail\n"
        'raise ValueError(f"the answer {x} came too late")\n'
        'print("came")\n'
        'def f():\n    """Do it.\n\n        it came here again\n\n    Then stop.\n    """\n'
    )
    rules = [(f.line, f.rule) for f in prose.examine(module, "module.py")]
    assert sorted(rules) == [(1, "came"), (2, "of-first"), (4, "came")]


def test_the_lines_of_a_verbatim_paragraph_of_help_are_sentences_each() -> None:
    words = " ".join(["word"] * 20)
    assert [*prose.check(prose.without_code(f"Do it.\n\n\b\n{words}\n{words}"), "a.py", 1)] == []
    assert [*prose.check(prose.without_code(f"Do it.\n\n{words}\n{words}"), "a.py", 1)] != []


def test_a_program_in_a_string_is_not_prose(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("A = " + repr("x = 1\ny = x  # it came to this\n") + "\n")
    assert [*prose.examine(module, "module.py")] == []


def test_code_in_a_page_is_not_prose(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n    it came\n\n| a | b |\n|---|---|\n| x | it came |\n")
    assert [(f.line, f.rule) for f in prose.examine(page, "page.md")] == [(7, "came")]


def test_vague_names_are_those_that_code_binds(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("found = 1\ndef f(given):\n    for one in []: _kept = one\nprint(found)\n")
    vague = [(f.line, f.text) for f in names.examine(module, "module.py")]
    assert sorted(vague) == [(1, "found"), (2, "given"), (3, "_kept"), (3, "one")]


def test_tests_are_examined_for_names_alone(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""The answer came too late."""\nfound = 1\n')
    assert {f.rule for f in findings({"tests/a.py": module})} == {"name"}
    assert {f.rule for f in findings({"tools/a.py": module})} == {"came", "name"}
    assert "tests/tools/test_style.py" in files()


def test_a_class_has_one_owner(tmp_path: Path) -> None:
    paths = {name: tmp_path / name for name in ("a.py", "b.py")}
    for path in paths.values():
        path.write_text("class Group: ...\nclass _Private: ...\n")
    assert [(f.file, f.text) for f in names.classes(paths)] == [("b.py", "Group")]


RAISING = {
    "raise ValueError(x)": ["f raises ValueError"],
    "raise errors.SpecError": ["f raises SpecError"],
    "try:\n        g()\n    except OSError as error:\n        raise LateError from error": [
        "f raises LateError"
    ],
    "if x:\n        raise TypeError\n    raise ValueError": ["f raises TypeError, ValueError"],
    "try:\n        raise KeyError\n    except (KeyError, OSError):\n        pass": [],
    "try:\n        raise KeyError\n    except BaseException:\n        pass": [],
    "raise SystemExit(1)": [],
    "raise NotImplementedError": [],
    "def inner():\n        raise ValueError\n    return inner": [],
    "raise ended": [],
}


@pytest.mark.parametrize("body", RAISING)
def test_a_public_function_states_what_it_raises(body: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    code = 'def f(x):\n    """It works.{}"""\n    {}\n'
    module.write_text(code.format("", body))
    assert [f.text for f in raising.examine(module, "module.py")] == RAISING[body]
    module.write_text(code.format("\n\n    Raises:\n        ValueError: x is wrong.\n    ", body))
    assert [*raising.examine(module, "module.py")] == []


def test_click_prints_the_errors_of_commands(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    code = "def main():\n    raise click.UsageError\n"
    module.write_text(f"@click.command()\n{code}")
    assert [*raising.examine(module, "module.py")] == []
    module.write_text(code)
    assert len([*raising.examine(module, "module.py")]) == 1


def test_methods_are_public_and_underscores_are_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    method = "    def g(self):\n        raise ValueError\n"
    module.write_text(f"class A:\n{method}class _B:\n{method}def _h():\n    raise ValueError\n")
    assert [(f.line, f.text) for f in raising.examine(module, "module.py")] == [
        (2, "g raises ValueError")
    ]


ORACLE = "conformance/oracle/sums.py"
NUMERIC = {
    "Sum of x.": ["shapes", "source"],
    "Sum of x, of any shape (ko-2.2 line 12).": [],
    "Sum of x (..., n): (...). Source: a paper.": [],
    "Sum of x (samples, 1).": ["source"],
    "Sum of x (Higham, section 3.1).": ["shapes"],
    "max(x, y) (C047, C052).": ["shapes"],
}


@pytest.mark.parametrize("docstring", NUMERIC)
def test_a_numeric_function_states_shapes_and_source(docstring: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(f'def f(x: Array) -> Bounded:\n    """{docstring}"""\n')
    assert [f.rule for f in numerics.examine(module, ORACLE)] == NUMERIC[docstring]
    assert [*numerics.examine(module, "conformance/engine/sums.py")] == []
    assert [*numerics.examine(module, "conformance/reference/symbolic/graph.py")] == []


@pytest.mark.parametrize(
    "code",
    [
        'def _f(x: Array) -> Array:\n    """Sum."""\n',
        'def f(x: Array) -> bool:\n    """Sum."""\n',
        'def f(n: int) -> Array:\n    """Sum."""\n',
        '@gradient_of("sum")\ndef f(node: Tensor) -> Tensor:\n    """Sum."""\n',
        '@documented("ko-2.2:1 f(x)")\ndef f(x: Tensor) -> Tensor:\n    """Its shape."""\n',
        '"""Sums (IEEE 754)."""\ndef f(x: Array) -> Array:\n    """Sum, of x.shape."""\n',
    ],
)
def test_shapes_and_source_are_not_always_demanded(code: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(code)
    assert [*numerics.examine(module, ORACLE)] == []


def test_the_allow_list_only_shrinks() -> None:
    every = [StyleFinding("a.py", n, "came", "", "") for n in (1, 2)]
    every.append(StyleFinding("b.py", 1, "told", "", ""))
    allowed = {"a.py": {"came": 3, "told": 1}, "c.py": {"came": 1}}
    assert allowance.shrunk(every, allowed) == {"a.py": {"came": 2}}
    assert [f.file for f in allowance.excess(every, allowed)] == ["b.py"]
    assert len(allowance.slack(every, allowed)) == 3


def test_a_file_has_no_more_findings_than_it_may() -> None:
    every, allowed = findings(files()), allowance.read(ALLOWED)
    assert not allowance.excess(every, allowed)
    assert not allowance.slack(every, allowed), "python -m tools.style --shrink"
