import { startRecordedPlatform } from "@tollgate/testkit/recorded-platform.ts";
import { onTestFinished } from "vitest";
import { type RunOptions, testCli } from "./cli.fixture.ts";

/** Width of a terminal that fits every column. */
const WIDE = { terminal: { columns: 400 } } as const;

/** Starts a platform that answers from recordings, with a signed-in CLI, for one test. */
export async function startRecorded() {
  const platform = await startRecordedPlatform();
  onTestFinished(() => platform.close());
  const cli = testCli({ env: { TOLLGATE_URL: platform.url, NO_COLOR: "1" } });
  cli.signIn(platform.url, "recorded-token");
  /** Runs a command that must succeed. */
  const succeed = async (args: readonly string[], options: RunOptions = {}) => {
    const run = await cli.run(args, options);
    if (run.code !== 0) throw new Error(`${args.join(" ")} ended with ${run.code}: ${run.stderr}`);
    return run;
  };
  return {
    platform,
    cli,
    succeed,
    /** Returns the cells of the table that a list command prints in a wide terminal, with its heading. */
    async table(...args: string[]): Promise<string[][]> {
      const { stdout } = await succeed(args, WIDE);
      return toCells(stdout);
    },
    /** Returns the tab-separated cells that a command prints if its output is piped. */
    async cells(...args: string[]): Promise<string[][]> {
      const { stdout } = await succeed(args);
      return stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => line.split("\t"));
    },
    /** Returns the parsed output of a command with `--json`. */
    async json(...args: string[]): Promise<unknown> {
      const { stdout } = await succeed([...args, "--json"]);
      return JSON.parse(stdout);
    },
  };
}

/** Splits a printed table at the columns of its heading. */
function toCells(text: string): string[][] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => line.trim().split(/ {3,}/));
}

/** Sets the local time zone for one test, because times are shown in it. */
export function useTimeZone(zone: string): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
}
