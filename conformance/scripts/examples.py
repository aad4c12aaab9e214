"""The comparison of a docstring's example with the result that the docstring prints.

The suite holds digests of examples and no text. Therefore a script reads the print from the
docstring of the installed package, as it reads the example's lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.scripts.endings import ScriptEnding

_SHOWN = r"""
def shown(text):
    text = re.sub('#.*', '', text).strip()
    text = re.sub(r'(?<=[\w.\]])\s+(?=[-\w.\[])', ', ', text)  # NumPy prints no commas
    array = lambda elements, shape=None, dtype=None: np.array(elements, dtype)
    names = {name: name for name in re.findall(r'dtype=(\w+)', text)}
    names.update(dict.fromkeys(['array', 'Array', 'Tensor', 'tensor'], array), dtype=str)
    names.update(nan=np.nan, inf=np.inf)
    parts = eval(text, names)
    several = isinstance(parts, list) and isinstance(parts[0], np.ndarray)
    parts = parts if several or isinstance(parts, tuple) else [parts]
    return [np.asarray(part) for part in parts]

""".splitlines()
"""The arrays, numbers and texts that a docstring prints."""


def gives_its_print(output: str, others: Sequence[str], tolerance: float) -> ScriptEnding:
    """The results of an example must be those that the docstring prints, if it prints any.

    `output` is the name of what `docstring_example` gave. `others` are dtypes that an array may
    have instead of the printed one. `tolerance` is relative to the largest element of an array.
    """
    results = "[keras.ops.convert_to_numpy(r) if keras.ops.is_tensor(r) else r for r in results]"
    dtypes = f"[str(right.dtype), {', '.join(map(repr, others))}]" if others else "[right.dtype]"
    compare = (
        f"line, text, random, *results = {output}",
        f"results = {results}",
        "refused = text.startswith('Traceback')",
        "assert not refused or str(results[0]).startswith('raises '), results",
        "expected = [] if refused or not text else shown(text)",
        "if len(expected) == 1 < len(results):  # several arrays that are printed as one",
        "    results = [np.stack(results)]",
        "assert len(results) == len(expected) or not expected, (results, expected)",
        "for result, right in zip(map(np.asarray, results), expected):",
        "    if right.dtype.kind == 'U':",
        "        assert str(result).rpartition('.')[2] == right, (result, right)",
        "        continue",
        "    assert result.shape == right.shape, (result.shape, right.shape)",
        "    alike = result.dtype.kind.replace('u', 'i') == right.dtype.kind",
        f"    named = 'dtype=' not in text or result.dtype in {dtypes}",
        "    assert alike and named, (result.dtype, right.dtype)",
        "    if not random:",
        "        largest = np.abs(right[np.isfinite(right)]).max(initial=0)",
        f"        np.testing.assert_allclose(result, right, 0, {tolerance:g} * largest)",
    )
    return ScriptEnding(compare, helpers=["", "", "import re", *_SHOWN], observe=(), computes=False)
