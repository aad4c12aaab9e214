"""A good spec file, and many ways to get one wrong: the line to name and words to say."""

from __future__ import annotations

from dataclasses import dataclass

GOOD = """\
theme: examples
functions:
- name: f
  summary: "What f does."
  signatures:
    ja-2.0: {line: 10, text: "f(x, axis=None)"}
    ko-2.2: {line: 20, text: "f(x, axis=-1)"}
  editions: {keras-2.0: ja-2.0, keras-2.2: ko-2.2}
  parameters:
    x: {kind: tensor, ranks: [0, 5]}
    axis: {kind: axes, of: x, optional: true}
  dtypes: {documented: [float32, float64], probed: [float16]}
  shape: [shape, x]
  dtype: {accept: [[dtype, x]]}
  accuracy: {kind: ulp, limit: 2, source: "two roundings"}
  differentiable: true
  claims:
  - {aspect: value, says: "What it gives.", at: {ja-2.0: 11, ko-2.2: 21}}
  - {aspect: dtype, says: "Its type.", at: {ja-2.0: 12}}
  errors:
  - name: too-large
    says: the axis exists
    exception: any
    editions: [keras-2.0]
    at: {ja-2.0: 13}
    convention: invalid-input
    parameters:
      axis: {kind: literals, values: [9]}
  errata:
  - {number: C055, claim: "one at a time"}
  unsettled:
  - {when: [equal, [rank, x], 0], convention: scalar}
  - {when: [has, [shape, x], 0], convention: empty}
  profiles: {zeros: ties}
- name: g
  summary: "What g does."
  signatures:
    ko-2.2: {line: 30, text: "g(y, n)"}
  editions: {keras-2.2: ko-2.2}
  parameters:
    y: {kind: tensor, ranks: [0, 5]}
    n: {kind: counts, of: y, range: [1, 3]}
  shape: [scale, [shape, y], n]
  dtype: {accept: [[dtype, y]]}
  accuracy: {kind: exact}
  differentiable: true
  claims:
  - {aspect: value, says: "What it gives.", at: {ko-2.2: 31}}
  unsettled:
  - {when: [is-large, y, [number-of, n]]}
rules:
- name: number-of
  takes: [numbers]
  says: "the number of {numbers}"
  rule: [length, numbers]
- name: is-large
  takes: [t, most]
  says: "{t} has more than {most} axes"
  rule: [greater, [number-of, [shape, t]], most]
  convention: broadcasting
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    """`old` became `new`; the error says `words` and names the line of `old`, or `line`."""

    name: str
    old: str
    new: str
    words: str
    line: int | None = None

    @property
    def text(self) -> str:
        """The spec file with the mistake in it."""
        assert GOOD.count(self.old) == 1, self.old
        return GOOD.replace(self.old, self.new)

    @property
    def at(self) -> int:
        """The line to name."""
        return self.line or GOOD[: GOOD.index(self.old)].count("\n") + 1


NOT_YAML = [
    Mistake("unclosed bracket", "[[dtype, x]]", "[[dtype, x]", "not YAML"),
    Mistake("tab", '  summary: "What f', '\tsummary: "What f', "not YAML"),
    Mistake("bad indentation", "  shape: [shape, x]", "   shape: [shape, x]", "not YAML"),
    Mistake("unknown alias", "[shape, x]\n  dtype:", "*nowhere\n  dtype:", "not YAML"),
    Mistake("two documents", "- name: g", "---\n- name: g", "not YAML"),
    Mistake("control character", "What g does", "What \x01 does", "not YAML"),
]

MISTAKES = [
    Mistake("theme is a number", "theme: examples", "theme: 3", "Expected `str`", 1),
    Mistake("misspelt field of the file", "theme: examples", "thema: examples", "thema"),
    Mistake("misspelt field", 'summary: "What f', 'sumary: "What f', "sumary"),
    Mistake("misspelt field later on", "  shape: [shape, x]", "  shap: [shape, x]", "shap"),
    Mistake("misspelt field of g", "  shape: [scale", "  shap: [scale", "shap"),
    Mistake("missing field", '  summary: "What g does."\n', "", "summary", 35),
    Mistake("line is a word", "line: 20", "line: twenty", "Expected `int`"),
    Mistake("line is zero", "line: 20", "line: 0", "Expected `int` >= 1"),
    Mistake("misspelt field in braces", "line: 20", "lines: 20", "lines"),
    Mistake("unknown document", "ko-2.2: {line: 20", "ko-2.3: {line: 20", "ko-2.3"),
    Mistake("unknown document bound", "{keras-2.2: ko-2.2}", "{keras-2.2: ko}", "ko"),
    Mistake("unknown edition", "{keras-2.2: ko-2.2}", "{keras-9: ko-2.2}", "keras-9"),
    Mistake("unbound document", "keras-2.0: ja-2.0", "keras-2.0: ja-1", "ja-1"),
    Mistake("bad signature", "f(x, axis=-1)", "f(x, axis=-1", "not a signature"),
    Mistake("two signatures", "f(x, axis=-1)", "f(x)(axis=-1)", "not a signature"),
    Mistake("default is a name", "f(x, axis=-1)", "f(x, axis=y)", "not a signature"),
    Mistake("parameter without a rule", "f(x, axis=-1)", "f(x, axes=-1)", "axes", 10),
    Mistake("unknown kind", "x: {kind: tensor", "x: {kind: tenser", "tenser"),
    Mistake("misspelt field of a kind", "axes, of: x, optional", "axes, of: x, optionl", "optionl"),
    Mistake("of names nothing", "kind: axes, of: x", "kind: axes, of: z", "z"),
    Mistake("of names nothing in g", "kind: counts, of: y", "kind: counts, of: x", "x"),
    Mistake("wrong type in a kind", "optional: true", "optional: 1", "Expected `bool`"),
    Mistake("wrong length", "y: {kind: tensor, ranks: [0, 5]", "y: {kind: tensor, ranks: [0]", "2"),
    Mistake("unknown dtype", "[float32, float64]", "[float32, float31]", "float31"),
    Mistake("unknown operator", "shape: [shape, x]", "shape: [shap, x]", "shap"),
    Mistake("unknown operator inside", "[scale, [shape, y]", "[scale, [shap, y]", "shap"),
    Mistake("no operator", "  shape: [shape, x]", "  shape: [[shape, x]]", "operator"),
    Mistake("empty rule", "  shape: [shape, x]", "  shape: []", "operator"),
    Mistake("a mapping as a rule", "  shape: [shape, x]", "  shape: {shape: x}", "operator"),
    Mistake("too many arguments", "  shape: [shape, x]", "  shape: [shape, x, x]", "shape"),
    Mistake("too few arguments", "  shape: [shape, x]", "  shape: [shape]", "shape"),
    Mistake("literal of nothing", "[[dtype, x]]", "[[literal]]", "literal"),
    Mistake("unknown parameter in a shape", "  shape: [shape, x]", "  shape: [shape, z]", "z"),
    Mistake("unknown parameter in a dtype", "[[dtype, x]]", "[[dtype, z]]", "z"),
    Mistake("text that is not literal", "[[dtype, x]]", "[float32]", "literal"),
    Mistake("unknown parameter in when", "[equal, [rank, x], 0]", "[equal, [rank, z], 0]", "z"),
    Mistake("unknown parameter in the next when", "[has, [shape, x]", "[has, [shape, z]", "z"),
    Mistake("unknown operator in when", "[equal, [rank, x]", "[equals, [rank, x]", "equals"),
    Mistake("nothing accepted", "{accept: [[dtype, x]]}", "{accept: []}", "length >= 1"),
    Mistake("accuracy without a source", ', source: "two roundings"', "", "source"),
    Mistake("accuracy of zero", "limit: 2", "limit: 0", "> 0"),
    Mistake("unknown aspect", "aspect: dtype", "aspect: dtyp", "dtyp"),
    Mistake("missing claim", "{ja-2.0: 11, ko-2.2: 21}", "{ja-2.0: 11}", "ko-2.2"),
    Mistake("no claim of the value", "{aspect: value, says: \"What it gives.\", at: {ko-2.2: 31}",
            "{aspect: dtype, says: \"What it gives.\", at: {ko-2.2: 31}", "ko-2.2"),
    Mistake("claim of an unknown document", "{ja-2.0: 12}", "{ja-2: 12}", "ja-2"),
    Mistake("claim at a text", "at: {ko-2.2: 31}", "at: {ko-2.2: '31'}", "Expected `int`"),
    Mistake("unknown reading", "{ja-2.0: 12}}", "{ja-2.0: 12}, rules_out: ['ties: lst']}",
            "ties: lst"),
    Mistake("unknown exception", "exception: any", "exception: TypeError", "TypeError"),
    Mistake("unknown edition of an error", "[keras-2.0]", "[keras-2]", "keras-2"),
    Mistake("unknown binding of an error", "[keras-2.0]\n", "[keras-2.0]\n    bindings: [place]\n",
            "place", 25),
    Mistake("unknown parameter of an error", "axis: {kind: literals", "axes: {kind: literals",
            "axes"),
    Mistake("of names nothing in an error", "{kind: literals, values: [9]}", "{kind: axes, of: z}",
            "z"),
    Mistake("unknown convention of an error", "invalid-input", "invalid-inputs", "invalid-inputs"),
    Mistake("unknown convention", "convention: scalar", "convention: scaler", "scaler"),
    Mistake("unknown convention later on", "convention: empty", "convention: void", "void"),
    Mistake("unknown convention of a profile", "{zeros: ties}", "{zeros: tie}", "tie"),
    Mistake("unknown convention of the shape", "{kind: exact}",
            "{kind: exact}\n  arrangement: nowhere", "nowhere", 46),
    Mistake("unknown profile of an edition", "{zeros: ties}", "{zeros: ties}\n  silent: "
            "{keras-2.0: {nulls: ties}}", "nulls", 35),
    Mistake("unknown convention of an edition", "{zeros: ties}", "{zeros: ties}\n  silent: "
            "{keras-2.0: {zeros: tie}}", "tie", 35),
    Mistake("unknown profile", "{zeros: ties}", "{nulls: ties}", "nulls"),
    Mistake("claim on a sentence that breaks off", "at: {ja-2.0: 12}", "at: {ja-1: 203}",
            "the sentence on ja-1:203 breaks off (C022)"),
    Mistake("number of an erratum", "number: C055", "number: C55", "C[0-9]{3}"),
    Mistake("a function twice", "- name: g", "- name: f", "f"),
    Mistake("a field twice", "  dtypes: {documented", "  dtype: {documented", "dtype", 14),
    Mistake("error that is not shared", "    says: the axis exists\n", "", "too-large", 21),
    Mistake("unknown rule", "[is-large, y", "[is-larger, y", "did you mean is-large"),
    Mistake("operator that looks like a rule", "[is-large, y", "[any-above, y", "any_above"),
    Mistake("too few arguments of a rule", "[is-large, y, [number-of, n]]", "[is-large, y]",
            "is-large takes 2 arguments (t, most), not 1"),
    Mistake("unknown parameter in an argument", "[number-of, n]", "[number-of, m]", "'m'"),
    Mistake("case without a convention", "  convention: broadcasting\n", "", "convention", 50),
    Mistake("unknown convention of a rule", "convention: broadcasting", "convention: broadcast",
            "did you mean broadcasting"),
    Mistake("rule that uses itself", "[length, numbers]", "[number-of, numbers]",
            "number-of uses number-of"),
    Mistake("rules that use each other", "[length, numbers]", "[is-large, numbers, numbers]",
            "number-of uses is-large uses number-of"),
    Mistake("rule that nothing uses", "{when: [is-large, y, [number-of, n]]}",
            "{when: [is_none, n], convention: empty}", "nothing uses the rule is-large", 56),
    Mistake("rule with the name of an operator", "- name: number-of", "- name: length", "regex"),
    Mistake("rule with the name of a shared one", "- name: number-of", "- name: is-empty",
            "there is a rule is-empty already"),
    Mistake("rule with the name of another", "- name: is-large", "- name: number-of",
            "there is a rule number-of already"),
    Mistake("name that a rule does not take", "[length, numbers]", "[length, n]",
            "'n' is not among what number-of takes"),
    Mistake("argument that a rule does not use", "[t, most]", "[t, most, more]", "'more'"),
    Mistake("argument twice", "[t, most]", "[t, t, most]", "twice"),
    Mistake("argument that no name can be", "[t, most]", "[t, 'most axes']", "regex"),
    Mistake("sentence about no argument", "{most} axes", "{many} axes", "'many'"),
    Mistake("sentence with an argument twice", "{most} axes", "{t} axes", "twice"),
    Mistake("unknown operator in a rule", "[length, numbers]", "[lenght, numbers]",
            "did you mean length"),
    Mistake("misspelt field of a rule", "  takes: [numbers]", "  take: [numbers]", "take"),
    Mistake("rule without a sentence", '  says: "the number of {numbers}"\n', "", "says", 52),
    Mistake("a parameter twice", "    n: {kind: counts", "    y: {kind: counts", "y"),
]  # fmt: skip
"""All are YAML."""

NOT_IN_THE_SCHEMA = {
    "unbound document",
    "claim on a sentence that breaks off",
    "bad signature",
    "two signatures",
    "default is a name",
    "parameter without a rule",
    "of names nothing",
    "of names nothing in g",
    "too many arguments",
    "too few arguments",
    "unknown parameter in a shape",
    "unknown parameter in a dtype",
    "text that is not literal",
    "unknown parameter in when",
    "unknown parameter in the next when",
    "missing claim",
    "no claim of the value",
    "unknown binding of an error",
    "unknown parameter of an error",
    "of names nothing in an error",
    "unknown convention of an error",
    "unknown convention of the shape",
    "unknown profile of an edition",
    "unknown convention of an edition",
    "unknown convention",
    "unknown convention later on",
    "unknown reading",
    "unknown convention of a profile",
    "unknown profile",
    "error that is not shared",
    "unknown rule",
    "operator that looks like a rule",
    "too few arguments of a rule",
    "unknown parameter in an argument",
    "case without a convention",
    "unknown convention of a rule",
    "rule that uses itself",
    "rules that use each other",
    "rule that nothing uses",
    "rule with the name of a shared one",
    "rule with the name of another",
    "name that a rule does not take",
    "argument that a rule does not use",
    "argument twice",
    "sentence about no argument",
    "sentence with an argument twice",
    "a function twice",
    "a field twice",
    "a parameter twice",
}
"""Names and lengths that a JSON Schema cannot check, so that the loader alone does."""
