"""What counts as a refusal: a library that says by itself that it lacks what a case asks for.

A refusal is `unsupported`. If the documents demand what is refused, it keeps the aspect from
conforming: it is missing. Any other exception in place of a documented result is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from conformance.editions import Edition
from conformance.engine.judging.messages import ABSENT, cause_apart, without_stack
from conformance.engine.judging.shortfalls import SHORT
from conformance.generators.structure import Structure, refusable
from conformance.observations import Outcome, Raised
from conformance.scenarios.checks import LACKING
from conformance.specs import load_conventions
from conformance.specs.convention_names import ConventionName
from conformance.specs.conventions import Convention

_SAYS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bnot (?:yet |currently )?(?:supported|implemented)\b",
        r"\b(?:does|do)(?: not|n't) (?:yet |currently )?(?:support|implement)\b",
        r"\b(?:is|are) (?:currently )?unsupported\b",
        r"^\W*unsupported dtype\b",
        r"\bonly (?:currently )?supports\b",
        r"\bonly [^.:]{0,60}?(?:currently )?supported\b",
        r"\bno OpKernel was registered to support\b",
        r"^refusing to\b",
        r"\bcannot apply \w+ to\b",
        r"^when (?:using|specifying) [^.]{0,80} must be\b",
        r"\bcurrently requires\b",
        r"\bwhen using the \w+ backend\b",
        r"\bnone of the operands\b.{0,200}\bcan have\b",
        # a check before the numbers, which takes a length that is not known for another one
        r"\bmust (?:have the same shape|be a vector of length)\b[^\n]{0,300}\bNone\b",
    )
)
"""How libraries say that a feature that the message names is not there."""

_OF_ANOTHER_MATTER = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Python compares two objects that have no order
        r"\bnot supported between instances of\b",
        # TensorFlow is handed an unknown dimension where the backend meant a number
        r"\bnone values not supported\b",
        # JAX is handed a list that the backend made of an integer
        r"\bnon-hashable static arguments are not supported\b",
        # what was returned before is no tensor
        r"<class '[^']*'>`? type is not supported\b",
        # SWIG and Theano use NotImplementedError for a wrong call within the library
        r"^wrong number or type of arguments for overloaded function\b",
        r"\bexpected an aligned array\b",
    )
)
"""Messages with such words, or of such a class, that say nothing about a feature of the library."""

_LACKS_ARGUMENTS = re.compile(
    r"\bmissing (?:\d+ )?required (?:positional |keyword-only )arguments?\b", re.IGNORECASE
)
"""Words of Python or TensorFlow about a call without a required argument."""
_NAMELESS = "NameError"
"""Python's class for a name without a value, in a function too."""

_SLIPS = frozenset(
    {
        "AttributeError",
        "IndexError",
        "KeyError",
        "MemoryError",
        "NameError",
        "RecursionError",
        "ZeroDivisionError",
    }
)
"""Classes by which Python says what code stumbled over: none is a word about a dtype."""
_NO_MEMORY = re.compile(r"\bbad_alloc\b")
"""The words of C++ where no memory is left."""

_DETAILS = re.compile(
    r"\n(?:Apply node that|(?:Call a|A)rguments received by|HINT:"
    # the name of a node, unless XLA says below it what it could not compile
    r"|\s*\[\[(?![^\n]*\]\]\n\s*tf2xla conversion failed))"
)
"""Where the message proper ends and a list of nodes and values begins, which may hold any words."""

_CALLERS = re.compile(r'^\s*File "[^"\n]*", line \d+, in [^\n]*\n', re.MULTILINE)
"""The lines of a call stack."""

_ABOUT_CODE = re.compile(
    r"\bhas no attribute\b|\btakes \d+ positional\b|\bunexpected keyword\b|\bunsupported operand\b"
    r"|\bobject is not (?:callable|iterable|subscriptable)\b|\bKerasTensor\b"
)
"""Messages of Python about code that takes an object for another, or about a symbolic tensor."""

_STUMBLED = re.compile(
    "|".join(
        (
            r"\b(?:object|argument of type '[^']*') is not (?:callable|iterable|subscriptable)\b",
            r"\bobject is not an iterator\b|\bhas no len\b|\bunsupported operand\b",
            r"\bnot supported between instances of\b|\bmultiple values for\b",
            r"\btakes (?:\d+|no|exactly|from|at most|at least)\b[^\n]{0,40}\barguments?\b",
            r"\bunexpected keyword\b|\b(?:list|tuple|pop|string) index out of range",
            r"\btoo many indices for array\b",
            r"\b(?:division|modulo) by zero\b|\binvalid index to scalar variable",
            r"\bcan only concatenate\b|\b(?:list|tuple|string) indices must be integers\b",
            r"\bbad operand type for\b|\bcan't multiply sequence by non-int\b",
            r"\bmodified by an inplace operation\b|\bunhashable type: 'numpy\.ndarray'",
            # a number or nothing in the place of a dtype
            r"\b[Ii]nvalid dtype: (?:None\b|[\[(\d.-])",
        )
    )
)
"""Messages by which Python says what its own code stumbled over: none is about an argument."""
_OF_INTERNALS = frozenset({"AttributeError", "KeyError", "RecursionError"})
"""Classes of exceptions that are about the objects of the code, whatever their message."""
LACKED = "documented, but the library says that it lacks it"
UNSHOWN = "documented, but not to be seen in this environment"


def refuses_by_name(outcome: Outcome) -> bool:
    """Whether the outcome is an exception by which the library refuses a feature that it names.

    That is a `NotImplementedError`, or a message that says "not supported", "not implemented",
    "only supports" or the like. An exception of another matter that has these words is none.
    """
    if not isinstance(outcome, Raised):
        return False
    words, cause = _words(outcome)
    named = any(kind in outcome.bases for kind in LACKING) and not _is_of_another_matter(words)
    return named or any(map(_names_a_lack, (words, cause, _after_stack(outcome.message))))


def _names_a_lack(words: str) -> bool:
    says = any(pattern.search(words) for pattern in _SAYS)
    return says and not _is_of_another_matter(words)


def _is_of_another_matter(words: str) -> bool:
    return any(pattern.search(words) for pattern in _OF_ANOTHER_MATTER)


def is_mistaken_code(outcome: Outcome) -> bool:
    """Whether Python itself says that code is wrong: an argument is missing, a name has no value.

    That is no refusal, whatever a convention allows to be refused.
    """
    if not isinstance(outcome, Raised):
        return False
    words, _ = _words(outcome)
    lacks = "TypeError" in outcome.bases and bool(_LACKS_ARGUMENTS.search(words))
    return lacks or _NAMELESS in outcome.bases


def refusing(conventions: Iterable[str], outcome: Outcome, edition: Edition | None) -> list[str]:
    """The conventions of a call that may allow this exception as a refusal.

    A refusal says that the input is refused. A reading that refuses in words does so only where the
    message has such words, or says that something is not supported. `'Variable' object has no
    attribute 'flat'` refuses nothing: code stumbled. A reading may take any exception all the same.
    """
    known, stumbled = load_conventions(), stumbles(outcome)
    named = (n for n in conventions if not stumbled or _by_any_exception(known[n]))
    return [name for name in named if _says_so(outcome, known[name], edition)]


def _by_any_exception(convention: Convention) -> bool:
    return convention.refusal is not None and convention.refusal.any_exception


def stumbles(outcome: Outcome) -> bool:
    """Whether an exception is one of the library's own code, which says nothing about the input."""
    if not isinstance(outcome, Raised) or refuses_by_name(outcome):
        return False
    words, _ = _words(outcome)
    if "AssertionError" in outcome.bases:
        return not words
    return not _OF_INTERNALS.isdisjoint(outcome.bases) or bool(_STUMBLED.search(words))


def _says_so(outcome: Outcome, convention: Convention, edition: Edition | None) -> bool:
    """Whether an exception has the words of the convention's refusal, if that needs any."""
    if not convention.refusing_words(edition):
        return True
    if not isinstance(outcome, Raised) or refuses_by_name(outcome):
        return True
    message, cause = _words(outcome)
    if is_slip(outcome) or is_mistaken_code(outcome) or _ABOUT_CODE.search(message):
        return False
    return any(convention.is_refused_by(text, edition) for text in (message, cause))


def _words(outcome: Raised) -> tuple[str, str]:
    """The message proper, and that of the exception's cause; empty if the cause is a mistake.

    A library may catch an error of its own code and then refuse the input in words.
    """
    message, cause = map(_proper, cause_apart(outcome.message))
    mistaken = _STUMBLED.search(cause) or _ABOUT_CODE.search(cause)
    return message, "" if mistaken else cause


def _proper(message: str) -> str:
    """The message without details; its first line if a call stack is in the same paragraph."""
    words = _DETAILS.split(without_stack(message))[0].strip()
    return words or message.strip().partition("\n")[0]


def _after_stack(message: str) -> str:
    """The lines below a call stack, up to the next empty one; empty without a stack.

    TensorFlow tells there what is wrong with a node that it names above.
    """
    below = _CALLERS.split(message)[1:]
    return below[-1].partition("\n\n")[0] if below else ""


def is_slip(outcome: Outcome | None) -> bool:
    """Whether code stumbled over something else than the dtype of an argument."""
    if not isinstance(outcome, Raised):
        return False
    no_memory = bool(_NO_MEMORY.search(without_stack(outcome.message)))
    return no_memory or not _SLIPS.isdisjoint(outcome.bases)


def refused_type(outcome: Raised) -> str:
    """The detail of the finding on a refusal, which no other exception of that class shares."""
    return outcome.type if "NotImplementedError" in outcome.bases else f"{outcome.type}, refused"


def lacked(demands: str, conventions: tuple[str, ...], outcome: Raised) -> str:
    """The demands where a library refuses, with a remark that they are documented, unless the
    message names an absent function."""
    if conventions or outcome.type == ABSENT:
        return demands
    return f"{demands}: {UNSHOWN if outcome.type == SHORT else LACKED}"


def with_input_dtype(
    conventions: Iterable[str],
    structure: Structure,
    outcome: Outcome | None = None,
    *,
    other: Collection[str] = (),
) -> tuple[str, ...]:
    """The conventions in order, with `input-dtype` where the call has no documented dtypes.

    That is so where the implementation made an input with another dtype than asked for (`other`
    names the parameters), and where it refused a tensor whose dtype no document names. Code that
    stumbled over something else has refused none that is documented.
    """
    refused = isinstance(outcome, Raised) and refusable(structure)
    stumbled = is_slip(outcome) and _is_documented(structure)
    added = [ConventionName.INPUT_DTYPE] if (other or refused) and not stumbled else []
    return tuple(sorted({*conventions, *added}))


def _is_documented(structure: Structure) -> bool:
    """Whether documents name the dtype of every tensor for this function."""
    documented, rules = structure.spec.dtypes.documented, structure.spec.parameters
    return all(
        dtype in (getattr(rules.get(name), "dtypes", None) or documented)
        for name, dtype in structure.runtime.dtypes.items()
    )
