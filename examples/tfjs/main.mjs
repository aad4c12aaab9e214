// node build/main.cjs VECTORS RESULTS.json [FUNCTION ...]
import { writeFileSync } from "node:fs";
import * as tf from "@tensorflow/tfjs";
import { functions } from "./functions.mjs";
import { run } from "./runner.mjs";

const [folder, file, ...only] = process.argv.slice(2);

function main() {
  const { results, skipped } = run(folder, functions, only);
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
  console.log(`${file}: ${results.run.cases} vectors, ${skipped} left out;`, results.summary.verdicts);
}

if (!folder || !file) {
  console.error("usage: node build/main.cjs VECTORS RESULTS.json [FUNCTION ...]");
  process.exit(2);
}
tf.setBackend("cpu").then(main).catch((error) => {
  console.error(error.forUsers || error.code === "ENOENT" ? `error: ${error.message}` : error);
  process.exit(2);
});
