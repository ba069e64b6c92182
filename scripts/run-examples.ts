import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Runs every example that has a `run` script, one after another. The exit code reports success. The last line is
 * `{"passed","failed"}`.
 */
const root = join(import.meta.dirname, "..");
const MAX_MS = 300_000;

async function main(): Promise<number> {
  const programs = globSync("{examples,training/examples}/*/run", { cwd: root }).sort();
  let passed = 0;
  for (const program of programs) {
    const startedAtMs = performance.now();
    const { status, output } = await runExample(join(root, program));
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
    console.log(`${status === 0 ? "✓" : "✗"} ${basename(dirname(program))} (${seconds} s)`);
    if (status === 0) passed += 1;
    else console.log(output);
  }
  console.log(JSON.stringify({ passed, failed: programs.length - passed }));
  return passed === programs.length ? 0 : 1;
}

function runExample(program: string): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, { stdio: ["ignore", "pipe", "pipe"], timeout: MAX_MS });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(-20_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (error) => resolve({ status: 1, output: error.message }));
    child.once("close", (code, signal) =>
      resolve({ status: code ?? 1, output: signal ? `${output}\n${signal}` : output }),
    );
  });
}

process.exitCode = await main();
