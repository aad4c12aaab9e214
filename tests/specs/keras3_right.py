"""Functions of keras.ops as they should be, on NumPy and SciPy, and what would be wrong with them.

Each is the text of a function of a package that is tested under the edition keras-3; a fault is a
part of that text with another in its place.
"""

from __future__ import annotations

from collections.abc import Mapping

HEAD = """
import itertools
import numpy as np
import scipy.special as sp

def constant(value, dtype=None): return np.asarray(value, dtype)
def get_value(x): return np.asarray(x)
def eval(x): return np.asarray(x)
def floats(x):
    known = getattr(x, "dtype", np.dtype("float32"))  # a list of numbers has none
    return known if known.kind == "f" else np.dtype("float32")
def along(v, x, axis):
    rank = np.ndim(x)
    return np.reshape(v, [-1 if a == axis % rank else 1 for a in range(rank)])
def limited(o): return np.clip(o, 1e-7, 1 - 1e-7)
def of_whole(change, x, low, high):
    return (change if x.dtype.kind == "i" else np.asarray)(np.clip(x, low, high))
def axes(axis): return tuple(axis) if np.ndim(axis) else axis
def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)
"""

RIGHT: Mapping[str, str] = {
    "binary_crossentropy": """
def binary_crossentropy(target, output, from_logits=False):
    o = np.asarray(output, float)
    if from_logits:
        return (np.maximum(o, 0) - o * target + np.log1p(np.exp(-np.abs(o)))).astype(floats(output))
    o = np.clip(o, 1e-7, 1 - 1e-7)
    return (-(target * np.log(o) + (1 - target) * np.log1p(-o))).astype(floats(output))
""",
    "categorical_crossentropy": """
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    o = np.asarray(output, float)
    o = softmax(o, axis) if from_logits else limited(o / o.sum(axis=axis, keepdims=True))
    return np.asarray(-(target * np.log(o)).sum(axis=axis)).astype(floats(output))
""",
    "sparse_categorical_crossentropy": """
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    o = np.asarray(output, float)
    o = softmax(o, axis) if from_logits else limited(o / o.sum(axis=axis, keepdims=True))
    if ((target < 0) | (target >= o.shape[axis])).any(): raise ValueError("no such class")
    found = np.take_along_axis(o, np.expand_dims(target, axis).astype("int64"), axis)
    return np.asarray(-np.log(found).squeeze(axis)).astype(floats(output))
""",
    "batch_normalization": """
def batch_normalization(x, mean, variance, axis, offset=None, scale=None, epsilon=0.001):
    if not -np.ndim(x) <= axis < np.ndim(x): raise ValueError("no such axis")
    m, v = along(mean, x, axis), along(variance, x, axis)
    y = (np.asarray(x, float) - m) / np.sqrt(v + np.asarray(epsilon, floats(x)))
    y = y if scale is None else y * along(scale, x, axis)
    return (y if offset is None else y + along(offset, x, axis)).astype(floats(x))
""",
    "normalize": """
def normalize(x, axis=-1, order=2, epsilon=None):
    epsilon = 1e-7 if epsilon is None else epsilon
    n = (np.abs(np.asarray(x, float)) ** order).sum(axis=axes(axis), keepdims=True) ** (1 / order)
    return (x / np.maximum(n, epsilon)).astype(floats(x))
""",
    "moments": """
def moments(x, axes, keepdims=False, synchronized=False):
    where, y = axes if isinstance(axes, int) else tuple(axes), np.asarray(x, float)
    mean = y.mean(axis=where, keepdims=keepdims)
    return np.asarray(mean, floats(x)), np.asarray(y.var(axis=where, keepdims=keepdims), floats(x))
""",
    "layer_normalization": """
def layer_normalization(x, gamma=None, beta=None, axis=-1, epsilon=None, **kwargs):
    epsilon, y = 1e-7 if epsilon is None else epsilon, np.asarray(x, float)
    y = y - y.mean(axis=axis, keepdims=True)
    y = y / np.sqrt(y.var(axis=axis, keepdims=True) + epsilon)
    y = y if gamma is None else y * gamma
    return (y if beta is None else y + beta).astype(floats(x))
""",
    "rms_normalization": """
def rms_normalization(x, scale=None, axis=-1, epsilon=None):
    epsilon, y = 1e-7 if epsilon is None else epsilon, np.asarray(x, float)
    y = y / np.sqrt(np.mean(y * y, axis=axis, keepdims=True) + epsilon)
    return (y if scale is None else y * scale).astype(floats(x))
""",
    "clip": """
def clip(x, x_min, x_max): return np.clip(x, x_min, x_max)
""",
    "cast": """
def cast(x, dtype): return np.asarray(x).astype(dtype)
""",
    "saturate_cast": """
def saturate_cast(x, dtype):
    if dtype == "bfloat16": raise NotImplementedError(dtype)
    x = np.asarray(x)
    if "int" in dtype:
        info = np.iinfo(dtype)
        x = np.clip(np.trunc(np.asarray(x, np.longdouble)), int(info.min), int(info.max))
        return x.astype(dtype)
    info = np.finfo(dtype)
    low, high = np.longdouble(info.min), np.longdouble(info.max)
    return np.clip(np.asarray(x, np.longdouble), low, high).astype(dtype)
""",
    "empty": """
def empty(shape, dtype=None): return np.full(shape, 3, dtype or "float32")
""",
    "empty_like": """
def empty_like(x, dtype=None):
    x = x if hasattr(x, "dtype") else np.asarray(x, "float32")
    return np.full(x.shape, 3, dtype or x.dtype)
""",
    "nonzero": """
def nonzero(x): return np.nonzero(x)
""",
    "ctc_loss": """
def ctc_loss(target, output, target_length, output_length, mask_index=0):
    output = output if hasattr(output, "dtype") else np.asarray(output, "float32")
    found = []
    for row, x, n, t in zip(target, output, target_length, output_length):
        y, label, total = softmax(np.asarray(x[:t], float), -1), [int(k) for k in row[:n]], 0.0
        states = [mask_index]
        for k in label: states += [k, mask_index]
        a = np.zeros(len(states)); a[:2] = y[0, states[:2]]
        for step in y[1:]:
            b = a.copy(); b[1:] += a[:-1]
            for s in range(2, len(states)):
                if states[s] not in (mask_index, states[s - 2]): b[s] += a[s - 2]
            a = b * step[states]
        found.append(-np.log(a[-2:].sum()))
    return np.asarray(found, output.dtype)
""",
    "ctc_decode": """
def ctc_decode(
    inputs, sequence_lengths, strategy="greedy", beam_width=100, top_paths=1,
    merge_repeated=True, mask_index=0,
):
    if strategy not in ("greedy", "beam_search"): raise ValueError(strategy)
    def merged(path): return [k for k, _ in itertools.groupby(path)]
    inputs = np.asarray(inputs)
    count, steps, classes = inputs.shape
    top = 1 if strategy == "greedy" else top_paths
    decoded = np.full((top, count, steps), -1, "int32")
    scores = np.zeros((count, top), inputs.dtype)
    for i, (x, n) in enumerate(zip(inputs, sequence_lengths)):
        x = np.asarray(x[:n], float)
        if strategy == "greedy":
            path = x.argmax(-1).tolist()
            path = merged(path) if merge_repeated else path
            label = [k for k in path if k != mask_index]
            decoded[0, i, :len(label)], scores[i, 0] = label, -x.max(-1).sum()
            continue
        total, y = {}, softmax(x, -1)
        for path in itertools.product(range(classes), repeat=len(x)):
            label = tuple(k for k in merged(path) if k != mask_index)
            total[label] = total.get(label, 0.0) + np.prod(y[np.arange(len(x)), list(path)])
        for k, (label, p) in enumerate(sorted(total.items(), key=lambda one: -one[1])[:top]):
            decoded[k, i, :len(label)], scores[i, k] = label, np.log(p)
    return decoded, scores
""",
    "glu": """
def glu(x, axis=-1):
    a, b = np.split(np.asarray(x, float), 2, axis)
    return (a * sp.expit(b)).astype(floats(x))
""",
    "sparsemax": """
def sparsemax(x, axis=-1):
    z = np.moveaxis(np.asarray(x, float), axis, -1)
    s = -np.sort(-z, -1)
    c, r = np.cumsum(s, -1) - 1, np.arange(1, z.shape[-1] + 1)
    k = (r * s > c).sum(-1, keepdims=True)
    tau = np.take_along_axis(c, np.maximum(k, 1) - 1, -1) / np.maximum(k, 1)
    return np.moveaxis(np.maximum(z - tau, 0), -1, axis).astype(floats(x))
""",
    "correlate": """
def correlate(x1, x2, mode="valid"):
    if mode not in ("valid", "same", "full"): raise ValueError(mode)
    full, m, n = np.correlate(x1, x2, "full"), len(x1), len(x2)
    if mode == "full": return full
    long, short = max(m, n), min(m, n)
    start = short - 1 if mode == "valid" else (short - 1) // 2
    return full[start : start + (long - short + 1 if mode == "valid" else long)]
""",
    "corrcoef": """
def corrcoef(x):
    d = np.asarray(x, float)
    d = d - d.mean(1, keepdims=True)
    c = d @ d.T
    return (c / np.sqrt(np.outer(np.diag(c), np.diag(c)))).astype(floats(x))
""",
    "cdist": """
def cdist(x, y):
    d = np.asarray(x, float)[..., :, None, :] - y[..., None, :, :]
    return np.sqrt((d * d).sum(-1)).astype(floats(x))
""",
    "dot_product_attention": """
def dot_product_attention(
    query, key, value, bias=None, mask=None, scale=None, is_causal=False,
    flash_attention=None, attn_logits_soft_cap=None,
):
    query, key, value = map(np.asarray, (query, key, value))
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    shared = query.shape[2] // key.shape[2]
    key, value = np.repeat(key, shared, axis=2), np.repeat(value, shared, axis=2)
    x = np.einsum("btnh,bsnh->bnts", np.asarray(query, float), key) * scale
    x = x if bias is None else x + bias
    x = np.where(np.tri(*x.shape[-2:]), x, -1e300) if is_causal else x
    x = x if mask is None else np.where(mask, x, -1e300)
    return np.einsum("bnts,bsnh->btnh", softmax(x, -1), value).astype(query.dtype)
""",
    "erfinv": """
def erfinv(x): return np.asarray(sp.erfinv(np.asarray(x, float)), floats(x))
""",
    "i0": """
def i0(x):
    half = np.exp(abs(np.asarray(x, float)) / 2)
    return np.asarray(sp.i0e(np.asarray(x, float)) * half * half, floats(x))
""",
    "logspace": """
def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    start, stop = np.asarray(start, float), np.asarray(stop, float)
    found = np.logspace(start, stop, num, endpoint=endpoint, base=base, axis=axis)
    return found.astype(dtype or "float32")
""",
    "geomspace": """
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    start, stop = np.asarray(start, float), np.asarray(stop, float)
    found = np.geomspace(start, stop, num, endpoint=endpoint, axis=axis)
    return found.astype(dtype or "float32")
""",
    "bartlett": """
def bartlett(x): return np.bartlett(x).astype("float32")
""",
    "blackman": """
def blackman(x): return np.blackman(x).astype("float32")
""",
    "kaiser": """
def kaiser(x, beta): return np.kaiser(x, beta).astype("float32")
""",
}

FAULTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "binary_crossentropy": (
        ("o * target +", "o * target -"),
        ("(1 - target) *", "target *"),
        ("if from_logits:", "if not from_logits:"),
        ("np.log(o)", "np.log2(o)"),
    ),
    "categorical_crossentropy": (
        ("-(target * np.log(o)).sum(axis=axis)", "-(target * np.log(o)).mean(axis=axis)"),
        ("softmax(o, axis)", "softmax(o, -1)"),
        ("-(target * np.log(o)).sum(axis=axis)", "-(o * np.log(target + 1e-7)).sum(axis=axis)"),
        ("if from_logits else", "if True else"),
    ),
    "sparse_categorical_crossentropy": (
        ("softmax(o, axis)", "np.exp(o)"),
        ("softmax(o, axis)", "sp.expit(o)"),
        ("np.expand_dims(target, axis)", "o.shape[axis] - 1 - np.expand_dims(target, axis)"),
        ("-np.log(found)", "np.log(found)"),
    ),
    "batch_normalization": (
        ("np.sqrt(v + np.asarray(epsilon, floats(x)))", "(np.sqrt(v) + epsilon)"),
        ("y * along(scale, x, axis)", "y"),
        ("y + along(offset, x, axis)", "y - along(offset, x, axis)"),
        ("epsilon=0.001", "epsilon=0.1"),
    ),
    "normalize": (
        ("np.maximum(n, epsilon)", "(n + epsilon)"),
        ("** (1 / order)", "** 0.5"),
        ("axis=axes(axis)", "axis=-1"),
        ("np.maximum(n, epsilon)", "n"),
    ),
    "moments": (
        ("y.var(axis=where, keepdims=keepdims)", "y.std(axis=where, keepdims=keepdims)"),
        ("y.var(axis=where, keepdims=keepdims)", "y.var(axis=where, keepdims=keepdims, ddof=1)"),
        (
            "np.asarray(mean, floats(x))",
            "np.asarray(np.median(y, where, keepdims=keepdims), floats(x))",
        ),
        ("y.mean(axis=where, keepdims=keepdims)", "y.mean(axis=where)"),
        ("else tuple(axes)", "else tuple(axes) or None"),
    ),
    "layer_normalization": (
        ("y - y.mean(axis=axis, keepdims=True)", "y"),
        ("y.var(axis=axis, keepdims=True)", "y.var(axis=axis, keepdims=True, ddof=1)"),
        ("y * gamma", "y * (1 + gamma)"),
        ("axis=axis", "axis=-1"),
    ),
    "rms_normalization": (
        ("np.mean(y * y", "np.sum(y * y"),
        ("np.sqrt(np.mean", "(np.mean"),
        ("y * scale", "y + scale"),
        ("axis=axis", "axis=-1"),
    ),
    "clip": (
        ("np.clip(x, x_min, x_max)", "of_whole(np.trunc, x, x_min, x_max)"),
        ("np.clip(x, x_min, x_max)", "of_whole(np.rint, x, x_min, x_max)"),
        ("np.clip(x, x_min, x_max)", "np.maximum(x, x_min)"),
        ("np.clip(x, x_min, x_max)", "np.clip(x, x_min, x_max) + (x > x_max)"),
    ),
    "cast": (
        (".astype(dtype)", ""),
        ("np.asarray(x).astype(dtype)", "np.abs(x).astype(dtype)"),
        (".astype(dtype)", ".astype('float16').astype(dtype)"),
        ("np.asarray(x).astype(dtype)", "np.floor(x).astype(dtype)"),
    ),
    "saturate_cast": (
        (
            "np.trunc(np.asarray(x, np.longdouble)), int(info.min), int(info.max))",
            "np.trunc(np.asarray(x, np.longdouble)), 0, int(info.max))",
        ),
        (
            "x = np.clip(np.trunc(np.asarray(x, np.longdouble)), int(info.min), int(info.max))",
            "pass",
        ),
        ("np.clip(np.asarray(x, np.longdouble), low, high)", "x"),
        ("np.trunc(np.asarray(x, np.longdouble))", "np.round(np.asarray(x, np.longdouble))"),
    ),
    "empty": (
        ("np.full(shape,", "np.full(shape[::-1],"),
        ('dtype or "float32"', '"float32"'),
        ("np.full(shape,", "np.full((*shape, 1),"),
    ),
    "empty_like": (
        ("dtype or x.dtype", "x.dtype"),
        ("dtype or x.dtype", '"float32"'),
        ("x.shape", "x.shape[::-1]"),
    ),
    "nonzero": (
        ("np.nonzero(x)", "np.nonzero(x > 0)"),
        ("np.nonzero(x)", "np.flatnonzero(x)"),
        ("np.nonzero(x)", "np.nonzero(x)[::-1]"),
    ),
    "ctc_loss": (
        ("softmax(np.asarray(x[:t], float), -1)", "softmax(np.asarray(x, float), -1)"),
        ("not in (mask_index, states[s - 2])", "not in (mask_index,)"),
        ("mask_index=0):", "mask_index=0):\n    mask_index = 0"),
        ("-np.log(a[-2:].sum())", "-np.log(a[-1])"),
    ),
    "ctc_decode": (
        ("path = merged(path) if merge_repeated else path", "path = merged(path)"),
        ("-x.max(-1).sum()", "x.max(-1).sum()"),
        ("if k != mask_index]", "if k != 0]"),
        ("np.log(p)", "p"),
        ("x = np.asarray(x[:n], float)", "x = np.asarray(x, float)"),
    ),
    "glu": (
        ("a * sp.expit(b)", "b * sp.expit(a)"),
        ("sp.expit(b)", "np.tanh(b)"),
        ("2, axis)", "2, axis)\n    a, b = x[..., ::2], x[..., 1::2]"),
    ),
    "sparsemax": (
        (
            "np.take_along_axis(c, np.maximum(k, 1) - 1, -1)",
            "(np.where(r * s > c, c + 1, 0).sum(-1, keepdims=True) - 1)",
        ),
        (".astype(floats(x))", ""),
        ("np.maximum(z - tau, 0)", "z - tau"),
        ("np.cumsum(s, -1) - 1", "np.cumsum(s, -1) - 2"),
    ),
    "correlate": (
        ('np.correlate(x1, x2, "full")', 'np.convolve(x1, x2, "full")'),
        ("max(m, n), min(m, n)", "m, n"),
        ("start = short - 1 if", "start = short if"),
    ),
    "corrcoef": (
        ("np.sqrt(np.outer(np.diag(c), np.diag(c)))", "x.shape[1]"),
        ("d - d.mean(1, keepdims=True)", "d"),
        ("d @ d.T", "d.T @ d"),
    ),
    "cdist": (
        ("np.sqrt((d * d).sum(-1))", "(d * d).sum(-1)"),
        ("np.sqrt((d * d).sum(-1))", "np.abs(d).sum(-1)"),
        ("[..., :, None, :] - y[..., None, :, :]", "[..., None, :, :] - y[..., :, None, :]"),
    ),
    "dot_product_attention": (
        ("query.shape[-1] ** -0.5 if scale is None else scale", "query.shape[-1] ** -0.5"),
        ("if is_causal else", "if not is_causal else"),
        ("x if bias is None else x + bias", "x"),
        ("softmax(x, -1)", "softmax(x, -2)"),
    ),
    "erfinv": (
        ("sp.erfinv(", "sp.erf("),
        ("sp.erfinv(np.asarray(x, float))", "np.abs(sp.erfinv(np.asarray(x, float)))"),
        ("sp.erfinv(np.asarray(x, float))", "x * sp.erfinv(np.asarray(x, float))"),
    ),
    "i0": (
        ("sp.i0e(", "sp.i1e("),
        ("* half * half", "* half"),
        ("sp.i0e(np.asarray(x, float))", "sp.j0(np.asarray(x, float))"),
    ),
    "logspace": (
        ("endpoint=endpoint", "endpoint=True"),
        ("base=base", "base=10"),
        ("np.logspace(start", "np.logspace(start + 1"),
    ),
    "geomspace": (
        ("endpoint=endpoint", "endpoint=True"),
        ("np.geomspace", "np.linspace"),
        ("np.geomspace(start, stop", "np.geomspace(stop, start"),
    ),
    "bartlett": (
        ("np.bartlett(x)", "np.bartlett(x + 2)[1:-1]"),
        ("np.bartlett(x)", "np.hanning(x)"),
        ("np.bartlett(x)", "np.bartlett(x + 1)[:-1]"),
    ),
    "blackman": (
        ("np.blackman(x)", "np.hamming(x)"),
        ("np.blackman(x)", "np.blackman(x + 1)[:-1]"),
        ("np.blackman(x)", "np.hanning(x)"),
    ),
    "kaiser": (
        ("np.kaiser(x, beta)", "np.kaiser(x, 14.0)"),
        ("np.kaiser(x, beta)", "np.kaiser(x + 1, beta)[:-1]"),
        ("np.kaiser(x, beta)", "np.kaiser(x, beta) * np.i0(beta)"),
    ),
}
"""For each function texts of it, and what stands in their place in one that is wrong."""
