import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A separate development instance, started as a user would start it. */
export interface RunningTollgate {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly masterKey: string;
  readonly admin: { readonly email: string; readonly password: string };
  /** Returns everything written to standard error, which is empty unless something went wrong. */
  readonly complaints: () => string;
  readonly isRunning: () => boolean;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;
const PROGRAM = join(import.meta.dirname, "../../../bin/tollgate");

/** Starts `tollgate dev` on this folder and resolves when it is ready. `variables` are added to its environment. */
export async function startTollgate(
  dataDir: string,
  configFile: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningTollgate> {
  const child = spawn(PROGRAM, ["dev", "--json", "--port", "0", "--data", dataDir, "--config", configFile], {
    stdio: ["ignore", "pipe", "pipe"],
    // Don't pass the developer's provider keys, because they would add models to the test.
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TOLLGATE_LOG_LEVEL: "warn", ...variables },
  });
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaints += chunk.toString("utf8");
  });
  const endWithUs = () => child.kill("SIGTERM");
  process.once("exit", endWithUs);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
    await exited;
    clearTimeout(timer);
    process.off("exit", endWithUs);
  };
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve)),
    exited.then(() => null),
    new Promise<null>((resolve) => setTimeout(resolve, START_LIMIT_MS, null).unref()),
  ]);
  if (line === null) {
    await stop();
    throw new Error(`tollgate dev did not become ready.\n${complaints}`);
  }
  const { baseUrl, apiKey, masterKey, admin } = JSON.parse(line) as RunningTollgate;
  return {
    baseUrl,
    apiKey,
    masterKey,
    admin,
    complaints: () => complaints,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    stop,
  };
}
