import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { listProcessTree, removeAtExit, signalProcess, undoAtExit } from "@tollgate/testkit/processes/clean-up.ts";

/** A modifiable copy of the sources. It is removed when this process ends. */
export interface WorkingCopy {
  readonly folder: string;
  readonly commit: string;
  /** Runs a program in the copy. Resolves when the program has ended, after at most `limitMs`. */
  run(command: string, args: readonly string[], limitMs: number): Promise<Ended>;
}

export interface Ended {
  /** Null if a signal ended the program. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

const CHECKOUT = resolve(import.meta.dirname, "../..");
const SETUP_LIMIT_MS = 600_000;

/** Clones the last commit into a temporary folder and installs its dependencies. */
export async function makeWorkingCopy(): Promise<WorkingCopy> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-see-it-fail-"));
  removeAtExit(folder);
  const run: WorkingCopy["run"] = (command, args, limitMs) => runIn(folder, command, args, limitMs);
  const runOrThrow = async (command: string, ...args: readonly string[]): Promise<string> => {
    const { exitCode, output, errors } = await run(command, args, SETUP_LIMIT_MS);
    if (exitCode !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${exitCode}\n${output}${errors}`);
    return output.trim();
  };
  // Clone instead of adding a worktree, because a worktree would stay registered in the checkout's repository if this
  // process were killed.
  await runOrThrow("git", "clone", "--quiet", CHECKOUT, ".");
  const commit = await runOrThrow("git", "rev-parse", "--short", "HEAD");
  await runOrThrow("scripts/setup");
  return { folder, commit, run };
}

function runIn(folder: string, command: string, args: readonly string[], limitMs: number): Promise<Ended> {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  // Signal the whole process tree, because a stage's programs have their own process groups.
  const end = () => {
    if (child.pid === undefined) return;
    for (const pid of listProcessTree(child.pid).reverse()) signalProcess(pid, "SIGTERM");
  };
  const forget = undoAtExit(end);
  const timer = setTimeout(end, limitMs);
  return new Promise((resolveEnded, reject) => {
    const finish = () => {
      clearTimeout(timer);
      forget();
    };
    child.once("error", (error) => {
      finish();
      reject(error);
    });
    child.once("close", (exitCode) => {
      finish();
      resolveEnded({ exitCode, output, errors });
    });
  });
}
