// Reads a folder of vectors, calls functions with them and judges the answers. docs/vectors.md has the format.
import * as tf from "@tensorflow/tfjs";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const EDITION = "keras-2.2";
const ASPECTS = ["presence", "value", "dtype", "error"];
const GRAVITY = ["conforms", "unsupported", "diverges", "violates"];
const INTEGERS = { BOOL: Uint8Array, U8: Uint8Array, I32: Int32Array, I64: BigInt64Array };
const ARRAYS = { ...INTEGERS, F32: Float32Array, F64: Float64Array };
const OWN = { F32: "float32", I32: "int32", BOOL: "bool" };
const FLOAT32 = { eps: 2 ** -23, tiny: 2 ** -126, max: (2 - 2 ** -23) * 2 ** 127 };
const REFUSES = /\bnot (yet )?(supported|implemented)\b|\bonly supports\b|\bonly [^.:]{0,60}?supported\b/i;
/** Callables, forms of integers that Python alone has, and dtypes that TensorFlow.js lacks. */
const FOREIGN = /"(function|made|float16|bfloat16|float64|int8|uint8|int16|uint16|uint32|int64|uint64)"/;
const digest = (content) => createHash("sha256").update(content).digest("hex");

function checked(folder, index, name) {
  const content = readFileSync(join(folder, name));
  if (digest(content) === index.files[name]?.sha256) return content;
  throw Object.assign(new Error(`${name}: its checksum is not that in index.json`), { forUsers: true });
}

/** Reads the tensors of a safetensors file: the length of the header in eight bytes, the header, the numbers. */
function tensorReader(content) {
  const start = 8 + Number(content.readBigUInt64LE(0));
  const header = JSON.parse(content.toString("utf8", 8, start));
  return (name) => {
    const { dtype, shape, data_offsets: ends } = header[name];
    const bytes = content.subarray(...ends.map((end) => start + end));
    const numbers = ARRAYS[dtype] && new ARRAYS[dtype](Uint8Array.from(bytes).buffer);
    return { dtype, shape, data: numbers && Array.from(numbers, Number) };
  };
}

/** An argument as JavaScript has it. */
function argument(value, inputs) {
  if (Array.isArray(value)) return value.map((item) => argument(item, inputs));
  if (value === null || typeof value !== "object") return value;
  if ("tuple" in value) return argument(value.tuple, inputs);
  return "ref" in value ? inputs[value.ref] : Number(value.float.replace("inf", "Infinity"));
}

/** The answer to a vector: dtype, shape and data, or an error; null if TensorFlow.js cannot express the call. */
function answer(call, f, vector, read) {
  const fed = Object.entries(vector.inputs).map(([name, place]) => [name, read(place)]);
  if (call.program.steps.length > 1 || call.evidence || FOREIGN.test(JSON.stringify(call.arguments))) return null;
  if (fed.some(([, { dtype }]) => !OWN[dtype]) || (vector.expected && !read(vector.expected.lower).data)) return null;
  const inputs = Object.fromEntries(fed.map(([name, t]) => [name, tf.tensor(t.data, t.shape, OWN[t.dtype])]));
  const passed = Object.entries(call.arguments).map(([name, value]) => [name, argument(value, inputs)]);
  try {
    const result = f(Object.fromEntries(passed));
    return result ? { dtype: result.dtype, shape: result.shape, data: [...result.dataSync()] } : null;
  } catch (error) {
    return { error: String(error.message).split("\n")[0] };
  }
}

const same = (a, b) => a.length === b.length && a.every((n, i) => n === b[i]);

/** NaN in both limits asks for NaN; two infinities accept anything. */
const within = (n, lower, upper) =>
  (n >= lower && n <= upper) || (isNaN(lower) && isNaN(n)) || (lower === -Infinity && upper === Infinity);

/** The numbers that an open element may be. */
const NUMBERS = {
  any: () => true,
  overflow: (n) => !(Math.abs(n) < FLOAT32.max / 4),
  underflow: (n) => Math.abs(n) < FLOAT32.tiny,
  "not finite": (n) => !isFinite(n),
};
const isBetween = (n, [least, most]) => isNaN(n) || ((least ?? n) <= n && n <= (most ?? n));

/** The elements outside of the limits which no reading frees, and the readings that free others. */
function outside(got, expected, open, read) {
  const [lower, upper, used] = [read(expected.lower).data, read(expected.upper).data, []];
  const frees = (a, n, i) => a.mask[i] && NUMBERS[a.numbers](n) && isBetween(n, a.between ?? [null, null]);
  const places = [...got.data.keys()].filter((i) => {
    if (within(got.data[i], lower[i], upper[i])) return false;
    const reading = open.find((a) => frees(a, got.data[i], i));
    if (reading) used.push(...reading.readings);
    return !reading;
  });
  return { places, used };
}

/** Whether an answer has lost digits only: at most half of them, relative to the largest element. */
function isInaccurate(got, expected, places, read) {
  const [value, bound] = [read(expected.value).data, read(expected.bound).data];
  const size = value.filter(isFinite).reduce((most, n) => Math.max(most, Math.abs(n)), 1);
  return places.every((i) => bound[i] && Math.abs(got.data[i] - value[i]) <= Math.sqrt(FLOAT32.eps) * size);
}

/** The finding on an answer, which diverges if readings allow it; undefined for the expected answer. */
function findingOnValue(got, { expected, allowed = [] }, read) {
  const of = (kind) => allowed.filter((a) => a.kind === kind);
  const found = (kind, gives, readings) => ({ kind, gives, readings, verdict: readings ? "diverges" : "violates" });
  if (got.error !== undefined) {
    const finding = found("exception", `raises ${got.error}`, of("refusal")[0]?.readings);
    return REFUSES.test(got.error) ? { ...finding, verdict: "unsupported" } : finding;
  }
  const open = of("elements").map((a) => ({ ...a, mask: read(a.elements).data }));
  for (const one of [{ expected, readings: [] }, ...of("value")].filter((a) => same(got.shape, a.expected.shape))) {
    const { places, used } = outside(got, one.expected, open, read);
    const readings = [...new Set([...one.readings, ...used])];
    if (!places.length) return readings.length ? found("value", "gives another answer", readings) : undefined;
  }
  const shapes = `gives shape (${got.shape}), expected (${expected.shape})`;
  if (!same(got.shape, expected.shape)) return found("shape", shapes, of("shape")[0]?.readings);
  const { places } = outside(got, expected, open, read);
  const gives = `gives ${got.data[places[0]]}, expected ${read(expected.value).data[places[0]]} at ${places[0]}`;
  if (!isInaccurate(got, expected, places, read)) return found("value", gives);
  return found("accuracy", gives, ["accuracy: inaccurate"]);
}

function findingOnDtype({ dtype }, { dtypes, other_dtypes: others = {} }) {
  if (dtypes.includes(dtype)) return undefined;
  const verdict = others[dtype] ? "diverges" : "violates";
  return { verdict, kind: "dtype", gives: `gives ${dtype}, expected ${dtypes.join(" or ")}`, readings: others[dtype] };
}

function findingOnError(got, { error }) {
  if (got.error !== undefined) return undefined;
  const readings = error.convention && [`${error.convention}: accepted`];
  return { verdict: readings ? "diverges" : "violates", kind: error.kind, gives: "is accepted", readings };
}

/** The cases and failures of one function: one failure for each kind of difference. */
class Tally {
  constructor(record) {
    Object.assign(this, { record, cases: {}, failures: {}, skipped: 0 });
  }

  add(aspect, call, finding) {
    this.cases[aspect] = (this.cases[aspect] ?? 0) + 1;
    if (!finding) return;
    const { verdict, kind, gives, readings = [] } = finding;
    const convention = [...new Set(readings.map((reading) => reading.split(": ")[0]))].join(", ") || null;
    const parts = [this.record.edition, this.record.function, aspect, verdict, kind, convention];
    const id = digest(parts.join("\0")).slice(0, 12);
    const message = `${call?.described ?? this.record.function} ${gives}`;
    const citation = verdict === "violates" ? call.citations[aspect] : null;
    const of = { citation, convention, readings, program: call?.program ?? null };
    (this.failures[aspect] ??= {})[id] ??= { id, verdict, kind, message, count: 0, ...of };
    this.failures[aspect][id].count += 1;
  }

  result() {
    const isShown = (aspect) => this.cases[aspect] || (aspect === "value" && this.skipped);
    const aspects = ASPECTS.filter(isShown).map((aspect) => {
      const failures = Object.values(this.failures[aspect] ?? {});
      const gravest = Math.max(0, ...failures.map((failure) => GRAVITY.indexOf(failure.verdict)));
      const verdict = this.cases[aspect] ? GRAVITY[gravest] : "not run";
      return { aspect, verdict, cases: this.cases[aspect] ?? 0, failures };
    });
    return { function: this.record.function, theme: this.record.theme, aspects };
  }
}

function examined(record, read, f) {
  const tally = new Tally(record);
  tally.add("presence", null, f ? undefined : { verdict: "unsupported", kind: "absent", gives: "is missing" });
  for (const call of f ? record.calls : [])
    for (const vector of call.vectors) {
      const got = tf.tidy(() => answer(call, f, vector, read));
      if (got === null) tally.skipped += 1;
      else if (call.error) tally.add("error", call, findingOnError(got, call));
      else {
        tally.add("value", call, findingOnValue(got, vector, read));
        if (got.dtype) tally.add("dtype", call, findingOnDtype(got, call));
      }
    }
  return tally;
}

/** Runs the vectors of the edition. The results are such as `conformance report` reads; `skipped` is a number. */
export function run(folder, functions, only = []) {
  const started = new Date();
  const index = JSON.parse(readFileSync(join(folder, "index.json")));
  const entries = Object.entries(index.editions[EDITION] ?? {});
  const tallies = entries.filter(([name]) => !only.length || only.includes(name)).map(([name, { file }]) => {
    const record = JSON.parse(checked(folder, index, file));
    return examined(record, tensorReader(checked(folder, index, `${EDITION}/${record.tensors}`)), functions[name]);
  });
  const results = tallies.map((tally) => tally.result());
  const [verdicts, sum] = [{}, (numbers) => numbers.reduce((a, b) => a + b, 0)];
  for (const { verdict } of results.flatMap((f) => f.aspects)) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  const seconds = (new Date() - started) / 1000;
  const cases = sum(tallies.map((tally) => (tally.cases.value ?? 0) + (tally.cases.error ?? 0)));
  const { suite_version, profile, seed } = index;
  const times = { started: started.toISOString(), seconds, cases, seconds_in_target: seconds, aspects: ASPECTS };
  const versions = { tfjs: tf.version.tfjs, node: process.versions.node };
  const target = { name: "tfjs", edition: EDITION, implementation: "TensorFlow.js", versions, python: "none" };
  const record = { schema: "conformance-results/1", target, run: { suite_version, profile, seed, ...times } };
  const summary = { functions: results.length, verdicts };
  return { results: { ...record, summary, functions: results }, skipped: sum(tallies.map((t) => t.skipped)) };
}
