import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findMissing } from "./compare-output.ts";
import type { RunnableBlock, Step } from "./read-runnable.ts";

export interface PageRun {
  /** One item per block, in order: null if the block's output matches the page, otherwise the problem. */
  readonly problems: readonly (string | null)[];
}

/** Ends a page that hangs. On a slow machine, a page takes minutes. */
const MAX_MS = 600_000;
const SHOWN_CHARACTERS = 1_500;

/** Runs the blocks of a page in one shell and one folder, as a reader would. Stops at the first failure. */
export async function runPage(
  blocks: readonly RunnableBlock[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<PageRun> {
  mkdirSync(join(folder, ".steps"), { recursive: true });
  const steps = blocks.flatMap((block) => block.steps.map((step) => ({ block, step })));
  // Run all steps in one shell, so that variables persist, and write each step's output to its own file.
  const parts = steps.map(
    ({ step }, index) =>
      `exec >"$steps/${index}.out" 2>&1\n${commandOf(step, index, folder)}\n: >"$steps/${index}.done"`,
  );
  writeFileSync(join(folder, ".steps/run.sh"), `set -eo pipefail\nsteps="$PWD/.steps"\n${parts.join("\n")}\n`);
  // Pages that run concurrently must not share a login.
  const note = await runShell(folder, { ...environment, TOLLGATE_CONFIG_DIR: join(folder, ".settings") });
  const problems = blocks.map((block) => {
    const found = steps.map(({ block: owner, step }, index) => (owner === block ? judge(step, index, folder) : null));
    return found.find((problem) => problem !== null) ?? null;
  });
  const first = problems.findIndex((problem) => problem !== null);
  return { problems: problems.map((problem, index) => (index === first ? `${problem}${note}` : problem)) };
}

function commandOf(step: Step, index: number, folder: string): string {
  switch (step.kind) {
    case "shell":
      return step.script;
    case "python":
      writeFileSync(join(folder, `step-${index}.py`), step.script);
      return `python3 "$steps/../step-${index}.py"`;
    case "node":
      // The file extension makes Node strip types.
      writeFileSync(join(folder, `step-${index}.mts`), step.script);
      return `node "$steps/../step-${index}.mts"`;
    case "file":
      writeFileSync(join(folder, `.steps/${index}.file`), step.text);
      return `mkdir -p "$(dirname '${step.name}')" && cp "$steps/${index}.file" '${step.name}'`;
  }
}

function judge(step: Step, index: number, folder: string): string | null {
  const printed = readOr(join(folder, `.steps/${index}.out`), null);
  if (printed === null) return "it was not reached: a block before it failed";
  const tail = printed.slice(-SHOWN_CHARACTERS);
  if (readOr(join(folder, `.steps/${index}.done`), null) === null) return `it failed:\n${tail}`;
  if (step.kind === "file" || step.expected === null) return null;
  const missing = findMissing(step.expected, printed);
  return missing === null ? null : `it did not print “${missing}”, but:\n${tail}`;
}

function runShell(folder: string, environment: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve) => {
    // Use a process group, so that a page's background processes end with the page.
    const shell = spawn("bash", [".steps/run.sh"], { cwd: folder, env: environment, stdio: "ignore", detached: true });
    const end = () => {
      if (shell.pid === undefined) return;
      try {
        process.kill(-shell.pid, "SIGKILL");
      } catch {
        // The process group has already exited.
      }
    };
    let note = "";
    const timer = setTimeout(() => {
      note = `\n(the page took longer than ${MAX_MS / 1_000} s)`;
      end();
    }, MAX_MS);
    shell.once("close", () => {
      clearTimeout(timer);
      end();
      resolve(note);
    });
  });
}

function readOr<Other>(path: string, other: Other): string | Other {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return other;
  }
}
