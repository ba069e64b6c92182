import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { onTestFinished } from "vitest";

const main = join(import.meta.dirname, "../../server/src/main.ts");

/** A command that runs in a separate process, in a terminal that a test types into. */
interface Terminal {
  type(text: string): void;
  /** Waits until the output since the last wait matches the pattern, and returns all output. */
  shows(pattern: RegExp): Promise<string>;
  /** Waits for the process to exit and returns its exit code. */
  ended(): Promise<number | null>;
}

/** Starts `tollgate` with these arguments in a terminal. */
export function startTerminal(args: readonly string[], env: NodeJS.ProcessEnv, cwd: string): Terminal {
  const command = [process.execPath, main, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, TERM: "xterm", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let written = "";
  child.stdout.on("data", (part: Buffer) => {
    written += part.toString("utf8");
  });
  const end = exitOf(child);
  return {
    type: (text) => child.stdin.write(text),
    shows: async (pattern) => {
      const found = await waitFor(`${pattern} on the terminal`, async () => pattern.exec(written)).catch(
        (error: Error) => {
          throw new Error(`${error.message}; it shows ${JSON.stringify(written)}`);
        },
      );
      const upTo = (found.index ?? 0) + found[0].length;
      const text = written.slice(0, upTo);
      written = written.slice(upTo);
      return text;
    },
    ended: () => end,
  };
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("exit", (code) => resolve(code)));
}
