import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { chart, manifests, tools } from "../paths.ts";
import { createKubernetesValidator, writeKubeconformSchemas } from "../schemas/kubernetes.ts";
import { examples, renderChart, runProgram } from "./helm.ts";
import { parseManifests } from "./manifests.ts";
import { refusedValues } from "./refused-values.ts";
import { writeReadme } from "./write-readme.ts";

// Runs the checks that need helm: lints the chart, renders every example, compares the result with the committed
// manifests, validates it twice, and tries values that must be rejected. `--write` updates the committed manifests and
// the chart's README instead.

const { values: options } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const helm = `${tools}/bin/helm`;
const schemas = `${tools}/kubeconform-schemas`;
let failed = 0;

function report(name: string, problems: readonly string[]): void {
  console.log(`${problems.length === 0 ? "✓" : "✗"} ${name}`);
  for (const problem of problems) console.log(`    ${problem.trim().replaceAll("\n", "\n    ")}`);
  if (problems.length > 0) failed += 1;
}

/** Writes the file or compares it with the expected text. */
function settle(name: string, path: string, text: string): void {
  if (options.write) writeFileSync(path, text);
  const isSame = readFileSync(path, { encoding: "utf8" }) === text;
  report(`${name} is what the chart renders`, isSame ? [] : ["it is not; run: scripts/deploy-check --write"]);
}

const validate = createKubernetesValidator();
writeKubeconformSchemas(schemas);
for (const example of examples) {
  const values = `${chart}/examples/${example}.yaml`;
  const lint = runProgram(helm, ["lint", "--strict", chart, "--values", values]);
  report(`${example}: helm lint`, lint.isGood ? [] : [lint.text]);
  const rendered = renderChart(example);
  report(`${example}: helm template`, rendered.isGood ? [] : [rendered.text]);
  if (!rendered.isGood) continue;
  settle(`kubernetes/${example}.yaml`, `${manifests}/${example}.yaml`, rendered.text);
  report(`${example}: strict schemas`, parseManifests(rendered.text).flatMap(validate));
  const location = `${schemas}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
  const second = runProgram(`${tools}/bin/kubeconform`, ["-strict", "-schema-location", location], rendered.text);
  report(`${example}: kubeconform`, second.isGood ? [] : [second.text]);
}
for (const { value, because } of refusedValues) {
  const { isGood, text } = renderChart("minimal", ...value);
  const isRefused = !isGood && because.test(text);
  report(`refused: ${value.join(", ")}`, isRefused ? [] : [isGood ? "it was rendered" : text]);
}
settle("README.md", `${chart}/README.md`, writeReadme());
console.log(failed === 0 ? "the chart is well" : `${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
