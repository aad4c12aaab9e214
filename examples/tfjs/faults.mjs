// node build/faults.cjs VECTORS: plants ten faults in TensorFlow.js, one at a time, and prints which the vectors show.
import * as tf from "@tensorflow/tfjs";
import { functions } from "./functions.mjs";
import { run } from "./runner.mjs";

/** A kernel whose output is changed in place. */
const output = (change) => (kernel) => (given) => {
  const result = kernel(given);
  change(given.backend.data.get(result.dataId).values);
  return result;
};
const eachNumber = (f) => output((numbers) => numbers.forEach((n, i) => (numbers[i] = f(n))));
const attributes = (change) => (kernel) => (given) => kernel({ ...given, attrs: { ...given.attrs, ...change(given.attrs) } });
const inverse = (order) => order.map((_, axis) => order.indexOf(axis));

const FAULTS = [
  ["exp", "Exp", "the last element is not computed", output((numbers) => (numbers[numbers.length - 1] = 0))],
  ["softmax", "Softmax", "the sum is 1.01", eachNumber((n) => 1.01 * n)],
  ["sum", "Sum", "the first sum is one too large", output((numbers) => (numbers[0] += 1))],
  ["max", "Max", "the largest magnitude", eachNumber(Math.abs)],
  ["cumsum", "Cumsum", "from the end", attributes(() => ({ reverse: true }))],
  ["conv2d", "FusedConv2D", "dilation is ignored", attributes(() => ({ dilations: [1, 1] }))],
  ["pool2d", "MaxPool", "zeros around the image", eachNumber((n) => Math.max(n, 0))],
  ["permute_dimensions", "Transpose", "the inverse order", attributes(({ perm }) => ({ perm: inverse(perm) }))],
  ["tanh", "Tanh", "saturates at 0.9", eachNumber((n) => Math.min(0.9, n))],
  ["less", "Less", "less or equal", () => tf.getKernel("LessEqual", "cpu").kernelFunc],
];

/** The violations of a function. */
function violations(folder, name) {
  const [{ aspects }] = run(folder, functions, [name]).results.functions;
  return aspects.flatMap(({ failures }) => failures.filter(({ verdict }) => verdict === "violates"));
}

function isFlagged(folder, [name, kernel, , fault]) {
  const own = tf.getKernel(kernel, "cpu");
  const before = violations(folder, name).length;
  tf.unregisterKernel(kernel, "cpu");
  tf.registerKernel({ ...own, kernelFunc: fault(own.kernelFunc) });
  try {
    return violations(folder, name).length > before;
  } finally {
    tf.unregisterKernel(kernel, "cpu");
    tf.registerKernel(own);
  }
}

tf.setBackend("cpu").then(() => {
  const missed = FAULTS.filter((fault) => !isFlagged(process.argv[2], fault));
  for (const [name, kernel, says] of missed) console.log(`missed: ${name} (${kernel}): ${says}`);
  console.log(`${FAULTS.length - missed.length} of ${FAULTS.length} faults are flagged`);
  process.exit(missed.length ? 1 : 0);
});
