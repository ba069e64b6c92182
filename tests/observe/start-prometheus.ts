import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../../packages/testkit/src/free-port.ts";
import { waitFor } from "../../packages/testkit/src/wait-for.ts";

const deploy = join(import.meta.dirname, "../../deploy/observability/prometheus");
export const RULES = join(deploy, "rules/tollgate.rules.yml");

/** One series of a query result. */
export interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

export interface FiringAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: string;
}

/** A real Prometheus that scrapes one instance. */
export interface RunningPrometheus {
  /** Rejects if the expression is invalid. */
  query(expression: string): Promise<readonly Result[]>;
  alerts(): Promise<readonly FiringAlert[]>;
  stop(): Promise<void>;
}

/**
 * Writes our Prometheus configuration for this target, with a scrape interval of one second and without the rules'
 * `for` durations, because the test cannot wait for minutes. The promtool tests cover those durations.
 */
export function writeConfiguration(folder: string, target: string, key: string): string {
  mkdirSync(join(folder, "rules"), { recursive: true });
  writeFileSync(join(folder, "key"), key, { mode: 0o600 });
  const rules = readFileSync(RULES, "utf8").replaceAll(/^ +for: .+\n/gm, "");
  writeFileSync(join(folder, "rules/tollgate.rules.yml"), rules);
  const config = readFileSync(join(deploy, "prometheus.yml"), "utf8")
    .replaceAll("/etc/prometheus/secrets/tollgate-key", join(folder, "key"))
    .replaceAll("/etc/prometheus/rules", join(folder, "rules"))
    .replaceAll("gateway:4000", target)
    .replaceAll(/(scrape_interval|evaluation_interval): \S+/g, "$1: 1s");
  const path = join(folder, "prometheus.yml");
  writeFileSync(path, config);
  return path;
}

/** Writes our files as they are shipped, with adjusted paths, for promtool to validate. */
export function installAsShipped(folder: string): string {
  mkdirSync(join(folder, "rules"), { recursive: true });
  copyFileSync(RULES, join(folder, "rules/tollgate.rules.yml"));
  writeFileSync(join(folder, "tollgate-key"), "sk-none");
  const config = readFileSync(join(deploy, "prometheus.yml"), "utf8")
    .replaceAll("/etc/prometheus/secrets", folder)
    .replaceAll("/etc/prometheus/rules", join(folder, "rules"));
  const path = join(folder, "prometheus.yml");
  writeFileSync(path, config);
  return path;
}

export async function startPrometheus(programs: string, folder: string, config: string): Promise<RunningPrometheus> {
  const address = `127.0.0.1:${await findFreePort()}`;
  const child = spawn(
    join(programs, "prometheus"),
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "inherit", "inherit"], env: { PATH: process.env.PATH } },
  );
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const ask = async (path: string) => {
    const answer = await fetch(`http://${address}${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: unknown; error?: string };
    if (status !== "success") throw new Error(error ?? `HTTP ${answer.status}`);
    return data;
  };
  await waitFor("Prometheus", async () => (await fetch(`http://${address}/-/ready`)).ok);
  return {
    query: async (expression) => {
      const data = await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return (data as { result: readonly Result[] }).result;
    },
    alerts: async () => ((await ask("/api/v1/alerts")) as { alerts: readonly FiringAlert[] }).alerts,
    stop: async () => {
      process.off("exit", kill);
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}
