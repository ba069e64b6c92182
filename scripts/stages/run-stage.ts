import { spawn } from "node:child_process";
import type { EndedStage, Stage, StageResult } from "./stage.ts";

const KEPT_CHARACTERS = 100_000;

/** Runs a stage to its end, and copies its output to this process and to `onOutput`. */
export function runStage(
  stage: Stage,
  root: string,
  onOutput: (chunk: Buffer) => void = () => {},
): Promise<EndedStage> {
  const startedAtMs = performance.now();
  return new Promise((resolve) => {
    let tail = "";
    /** The last line so far, which may be incomplete. */
    let printed = "";
    const keep = (chunk: Buffer) => {
      tail = (tail + chunk.toString("utf8")).slice(-KEPT_CHARACTERS);
      onOutput(chunk);
    };
    const end = (status: number) => {
      const lastLine = printed.trimEnd();
      const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
      resolve({ stage, ...resultOf(stage, status, lastLine), seconds, lastLine, tail });
    };
    const child = spawn(stage.command, [...stage.args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    // The result is the last line of standard output; warnings go to standard error.
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString("utf8");
      printed = printed.slice(printed.trimEnd().lastIndexOf("\n") + 1);
    });
    child.stdout.on("data", keep).pipe(process.stdout, { end: false });
    child.stderr.on("data", keep).pipe(process.stderr, { end: false });
    child.once("error", (error) => {
      keep(Buffer.from(`${error.message}\n`));
      end(1);
    });
    child.once("close", (code) => end(code ?? 1));
  });
}

function resultOf(stage: Stage, status: number, lastLine: string): StageResult {
  if (stage.readResult === undefined)
    return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: [] };
  try {
    const result = stage.readResult(lastLine);
    // A runner that failed without a failed test still counts as a failure.
    return status !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result;
  } catch {
    return { passed: 0, failed: 1, skipped: [] };
  }
}
