"""Prose in Markdown, docstrings, comments and messages, sentence by sentence, against the rules."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from pathlib import Path

from markdown_it import MarkdownIt

from tools.style.allowance import StyleFinding

FEWEST_WORDS = 4
"""A string of fewer words is a label, a name or data."""
_CODE = re.compile(r"``?[^`]+``?")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_END = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`\[*])|\n\s*\n|\n\s*[*-] ")
_FIELD = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A construct to avoid, and what to write instead."""

    name: str
    pattern: re.Pattern[str]
    advice: str


@cache
def rules() -> tuple[tuple[Rule, ...], int]:
    """The rules, and the number of words that a sentence may have."""
    data = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
    every = (Rule(r["name"], re.compile(r["pattern"], re.I), r["advice"]) for r in data["rule"])
    return tuple(every), data["longest"]


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text, each with the number of line breaks before it."""
    start = 0
    for end in [*(m.start() for m in _END.finditer(text)), len(text)]:
        raw = text[start:end]
        sentence = " ".join(raw.split()).lstrip("*-# ")
        if sentence:
            yield text.count("\n", 0, start + len(raw) - len(raw.lstrip())), sentence
        start = end


def check(text: str, file: str, line: int) -> Iterator[StyleFinding]:
    """The findings in a text that begins on a line of a file."""
    every, longest = rules()
    plain = _LINK.sub(r"\1", _CODE.sub("`code`", text))
    for offset, sentence in sentences(plain):
        shown = sentence if len(sentence) < 90 else sentence[:87] + "…"
        for rule in every:
            if rule.pattern.search(sentence):
                yield StyleFinding(file, line + offset, rule.name, shown, rule.advice)
        words = len(sentence.split())
        if words > longest:
            yield StyleFinding(file, line + offset, "long", shown, f"{words} words: split it")


def markdown(text: str) -> Iterator[tuple[int, str]]:
    """The running text of a page, with its lines: no code, no HTML, tables cell by cell."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "inline" and token.map:
            yield token.map[0] + 1, token.content


def python(text: str) -> Iterator[tuple[int, str]]:
    """The docstrings, comments and messages of a module, with their lines."""
    yield from _comments(text)
    tree = ast.parse(text)
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    pieces = {id(value) for node in formatted for value in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [v.value if isinstance(v, ast.Constant) else "{}" for v in node.values]
            literal = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in pieces:
                continue
            literal = node.value
        else:
            continue
        if _is_program(literal):
            continue
        literal = _FIELD.sub("`code`", without_code(literal))
        if len(literal.split()) >= FEWEST_WORDS:
            yield node.lineno, literal


def _is_program(text: str) -> bool:
    """Whether a text of several lines is Python source."""
    try:
        return "\n" in text.strip() and bool(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return False


def without_code(text: str) -> str:
    """A text without its indented blocks of code, each of which follows an empty line.

    The lines of a paragraph that click prints as it is, after a line `\\b`, are sentences each.
    """
    lines, code, verbatim = cleandoc(text).split("\n"), False, False
    for number, line in enumerate(lines):
        verbatim = bool(line.strip()) and (verbatim or line == "\b")
        if verbatim:
            lines[number] = f"* {line}"
        indented = line.startswith("    ")
        code = indented and (code or not lines[number - 1].strip()) if line.strip() else code
        if code:
            lines[number] = ""
    return "\n".join(lines)


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Comments; those on lines of their own that follow each other are one text."""
    block: list[str] = []
    start = last = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, words = token.start[0], token.string.lstrip("#:! ")
        alone = not token.line[: token.start[1]].strip()
        if block and not (alone and line == last + 1):
            yield start, "\n".join(block)
            block = []
        if not block:
            start = line
        block.append(words)
        last = line
    if block:
        yield start, "\n".join(block)


def examine(path: Path, file: str) -> Iterator[StyleFinding]:
    """The findings in one Markdown or Python file."""
    text = path.read_text("utf-8")
    for line, part in (markdown if path.suffix == ".md" else python)(text):
        yield from check(part, file, line)
