import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";
import type { CommandGroup } from "./command.ts";
import { commandGroups } from "./command-groups.ts";
import type { Stream } from "./io.ts";
import { runCli } from "./run-cli.ts";
import { writeCredential } from "./settings/credentials.ts";

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Text that the user types at a prompt. Standard input and standard error are terminals then. */
  readonly typed?: string;
  /** Terminal size. If omitted, the streams are not terminals. */
  readonly terminal?: { readonly columns: number; readonly rows?: number };
  readonly cwd?: string;
  /** Called with each write to standard error. */
  readonly listen?: (text: string) => void;
  readonly groups?: readonly CommandGroup[];
}

interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates a CLI that uses a temporary home directory and captures its output. */
export function testCli(defaults: RunOptions = {}) {
  const home = mkdtempSync(join(tmpdir(), "cli-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const baseEnv = { TOLLGATE_CONFIG_DIR: home, TERM: "xterm", ...defaults.env };
  return {
    home,
    env: baseEnv as NodeJS.ProcessEnv,
    /** Stores this token as the profile's sign-in. */
    signIn(url: string, token: string, profile = "default"): void {
      const [issuedAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)].map((at) => at.toISOString());
      writeCredential(baseEnv, profile, {
        url,
        token,
        email: null,
        apiKey: null,
        issuedAt: issuedAt as string,
        expiresAt: expiresAt as string,
      });
    },
    async run(args: readonly string[], options: RunOptions = {}): Promise<CliRun> {
      const given = { ...defaults, ...options };
      const written = { stdout: "", stderr: "" };
      const write = (name: "stdout" | "stderr", text: string | Uint8Array) => {
        const shown = typeof text === "string" ? text : new TextDecoder().decode(text);
        written[name] += shown;
        if (name === "stderr") given.listen?.(shown);
        return true;
      };
      const terminal = given.terminal !== undefined && { isTTY: true, rows: 1000, ...given.terminal };
      const stream = (name: "stdout" | "stderr") => ({
        write: (text: string | Uint8Array) => write(name, text),
        ...terminal,
      });
      const code = await runCli(
        args,
        {
          stdin:
            given.typed === undefined ? inputOf(given.stdin) : Object.assign(inputOf(given.typed), { isTTY: true }),
          stdout: stream("stdout"),
          stderr: given.typed === undefined ? stream("stderr") : promptStream((text) => write("stderr", text)),
          env: { ...baseEnv, ...options.env },
          cwd: given.cwd ?? home,
        },
        { groups: given.groups ?? commandGroups, version: "1.2.3" },
      );
      return { code, ...written };
    },
  };
}

function inputOf(text: string | undefined): Readable {
  return Readable.from(text === undefined ? [] : [text]);
}

/** Returns a terminal stream that prompts can write to. */
function promptStream(write: (text: string) => void): Stream {
  const stream = new Writable({
    write: (part: Buffer, _encoding, done) => {
      write(part.toString());
      done();
    },
  });
  return Object.assign(stream, { isTTY: true });
}
