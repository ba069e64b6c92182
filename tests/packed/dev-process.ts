import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { CleanPrefix } from "./clean-prefix.ts";

const START_LIMIT_MS = 60_000;

/** `npx tollgate dev`, run as in a terminal, where Ctrl-C reaches npx and all its child processes. */
export class DevProcess {
  readonly #child: ChildProcess;

  constructor({ folder, env }: CleanPrefix, args: readonly string[]) {
    this.#child = spawn("npx", ["--no-install", "tollgate", "dev", ...args], {
      cwd: folder,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** Returns the output lines up to and including the first one for which `isLast` returns true. */
  async readUntil(isLast: (line: string) => boolean): Promise<string[]> {
    const lines: string[] = [];
    const timer = setTimeout(() => this.#signal("SIGKILL"), START_LIMIT_MS);
    try {
      const input = this.#child.stdout;
      if (input === null) throw new Error("no output to read");
      for await (const line of createInterface({ input })) {
        lines.push(line);
        if (isLast(line)) {
          input.resume();
          return lines;
        }
      }
    } finally {
      clearTimeout(timer);
    }
    throw new Error(`it ended before it was ready:\n${lines.join("\n")}`);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#signal("SIGINT");
    await exited;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
  }
}
