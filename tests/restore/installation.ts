import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { choosePort } from "../../packages/testkit/src/processes/choose-port.ts";
import { Program } from "../../packages/testkit/src/processes/program.ts";
import { writeModelList } from "../chaos/models.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/tollgate");
const COMMAND_LIMIT_MS = 120_000;
const run = promisify(execFile);

/** Gateways with their own journals, and a worker, on a database that can be changed. */
export interface Installation {
  readonly url: string;
  readonly program: Program;
  /** Sets the database that all processes use after their next start. */
  use(databaseUrl: string): void;
  /** Deletes the gateways' journals. */
  loseJournals(): void;
  /** Runs a command on the selected database and returns its JSON output. */
  ask<Answer>(...args: readonly string[]): Promise<Answer>;
}

export async function describeInstallation(folder: string, upstreamUrl: string): Promise<Installation> {
  const own = join(folder, "tollgate");
  const journal = join(folder, "journal");
  mkdirSync(own);
  mkdirSync(journal);
  const config = join(own, "tollgate.yaml");
  const secretKey = randomBytes(32).toString("hex");
  writeFileSync(config, `${writeModelList(upstreamUrl, upstreamUrl)}\nbilling: { provider: fake }\n`);
  const port = await choosePort();
  const url = `http://127.0.0.1:${port}`;
  let databaseUrl = "";
  const env = (): NodeJS.ProcessEnv => ({
    // Pass no other environment variables to the programs under test.
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HOST: "127.0.0.1",
    DATABASE_URL: databaseUrl,
    TOLLGATE_SECRET_KEY: secretKey,
    TOLLGATE_JOURNAL_DIR: journal,
    TOLLGATE_DRAIN_GRACE: "0",
  });
  const args = ["serve", "--roles", "gateway,worker", "--processes", "2", "--port", String(port), "--json"];
  const program = new Program({
    name: "tollgate",
    folder: own,
    launch: () => ({ command: PROGRAM, args: [...args, "--config", config], env: env() }),
    probe: async () => {
      const { status } = await fetch(`${url}/health/readiness`, { headers: { connection: "close" } });
      if (status !== 200) throw new Error(`not ready: ${status}`);
    },
  });
  return {
    url,
    program,
    use: (next) => {
      databaseUrl = next;
    },
    loseJournals: () => {
      rmSync(journal, { recursive: true });
      mkdirSync(journal);
    },
    ask: async <Answer>(...command: readonly string[]) => {
      const { stdout } = await run(PROGRAM, [...command, "--json"], { env: env(), timeout: COMMAND_LIMIT_MS });
      return JSON.parse(stdout) as Answer;
    },
  };
}
