import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { chart, tools } from "../paths.ts";

/** Kubernetes version that charts are rendered for and manifests are validated against. */
export const KUBERNETES = "1.34.4";

export interface Outcome {
  readonly isGood: boolean;
  readonly text: string;
}

/** Names of the example values files, without the extension. */
export const examples = readdirSync(`${chart}/examples`).map((file) => file.replace(/\.yaml$/, ""));

/** Runs a program and returns its output. */
export function runProgram(program: string, args: readonly string[], input = ""): Outcome {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input, maxBuffer: 1e8 });
  return { isGood: status === 0, text: status === 0 ? stdout : `${stdout}${stderr}` };
}

/** Renders the chart with an example's values and additional `--set` arguments. */
export function renderChart(example: string, ...more: string[]): Outcome {
  const values = ["--values", `${chart}/examples/${example}.yaml`, ...more.flatMap((value) => ["--set", value])];
  const target = ["--kube-version", KUBERNETES, "--namespace", "tollgate"];
  return runProgram(`${tools}/bin/helm`, ["template", "tollgate", chart, ...target, ...values]);
}
