import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Runs every example that has a `run` script, one after another. The exit code reports success. The last line is
 * `{"passed","failed"}`.
 */
const examples = join(import.meta.dirname, "../examples");
const MAX_MS = 300_000;

async function main(): Promise<number> {
  const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, "run")));
  let passed = 0;
  for (const name of names) {
    const startedAtMs = performance.now();
    const { status, output } = await runExample(join(examples, name, "run"));
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
    console.log(`${status === 0 ? "✓" : "✗"} ${name} (${seconds} s)`);
    if (status === 0) passed += 1;
    else console.log(output);
  }
  console.log(JSON.stringify({ passed, failed: names.length - passed }));
  return passed === names.length ? 0 : 1;
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
