import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readEmbeddedConnection } from "../../apps/server/src/embedded-postgres/embedded-connection.ts";
import { querySql } from "../../packages/testkit/src/database.ts";
import { type DevReady, startDev } from "../../packages/testkit/src/processes/start-instance.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/tollgate");

/** A `tollgate dev` instance with temporary data. */
export interface Instance {
  readonly url: string;
  /** Host and port, as in a scrape configuration. */
  readonly target: string;
  readonly apiKey: string;
  readonly masterKey: string;
  /** Changes the database directly, bypassing Tollgate. */
  tamper(statement: string): Promise<void>;
  /** Runs a ledger verification and resolves when its result is stored. */
  prove(): Promise<void>;
  stop(): Promise<void>;
}

export async function startInstance(folder: string, settings: string, collectorUrl: string): Promise<Instance> {
  const dev = await startDev({
    folder,
    settings,
    env: {
      HOME: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
      OTEL_TRACES_SAMPLER_ARG: "1",
      TOLLGATE_LOG_LEVEL: "fatal",
    },
  });
  const { baseUrl: url, apiKey, masterKey, admin } = dev;
  let signedIn: Promise<void> | null = null;
  return {
    url,
    target: new URL(url).host,
    apiKey,
    masterKey,
    tamper: async (statement) => {
      await querySql(String(readEmbeddedConnection(dev.dataDir)), statement);
    },
    prove: async () => {
      signedIn ??= signIn(folder, url, admin);
      await signedIn;
      const exit = await runCommand(folder, url, ["admin", "reconcile", "--json"]);
      // Accept exit code 1, which means that the ledger has differences. This suite causes them on purpose.
      if (exit > 1) throw new Error(`admin reconcile ended with ${exit}`);
    },
    stop: async () => {
      await dev.stop();
    },
  };
}

async function signIn(folder: string, url: string, { email, password }: DevReady["admin"]): Promise<void> {
  const exit = await runCommand(folder, url, ["login", "--email", email, "--password-stdin", "--quiet"], password);
  if (exit !== 0) throw new Error(`login ended with ${exit}`);
}

/** Runs a command as written in a runbook. */
async function runCommand(folder: string, url: string, args: readonly string[], input = ""): Promise<number> {
  const child = spawn(PROGRAM, [...args, "--url", url], {
    env: { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") },
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin.end(input);
  return ((await once(child, "exit")) as [number])[0];
}
