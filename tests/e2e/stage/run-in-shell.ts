import { execFile } from "node:child_process";

const LIMIT_MS = 60_000;

export interface Shown {
  readonly status: number;
  readonly text: string;
}

/** Runs a command in a shell, as if a user had pasted it. */
export function runInShell(command: string): Promise<Shown> {
  return new Promise((resolve) => {
    execFile("sh", ["-c", command], { timeout: LIMIT_MS }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : 1, text: stdout === "" ? stderr : stdout });
    });
  });
}
