import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Program } from "../../../packages/testkit/src/processes/program.ts";
import type { Release } from "./release.ts";

/** Settings that the instances of one stage share. */
export interface Installation {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly secretKey: string;
  /** Null to use the release's default. */
  readonly graceSeconds: number | null;
  readonly drainSeconds: number | null;
}

const STOP_LIMIT_MS = 150_000;

/** One `tollgate serve` instance with its own folder. Its release can change between starts. */
export class Instance {
  readonly name: string;
  readonly port: number;
  release: Release;
  readonly #program: Program;
  readonly #role: "gateway" | "worker";

  constructor(installation: Installation, name: string, role: "gateway" | "worker", port: number, release: Release) {
    this.name = name;
    this.port = port;
    this.release = release;
    this.#role = role;
    const folder = join(installation.folder, name);
    mkdirSync(folder, { recursive: true });
    this.#program = new Program({
      name,
      folder,
      launch: () => ({
        command: this.release.program,
        args: this.#args(writeSettings(folder, this.release)),
        env: environmentOf(installation, folder),
      }),
      probe: () => this.#probe(),
    });
  }

  async start(): Promise<void> {
    await this.#program.start();
  }

  /** Stops the instance and returns the duration. Throws if it does not exit successfully. */
  async stop(): Promise<number> {
    const askedAtMs = performance.now();
    const code = await this.#program.stop("SIGTERM", STOP_LIMIT_MS);
    if (code !== 0) throw new Error(`${this.name} left with code ${code}\n${this.#program.readLog()}`);
    return Math.round(performance.now() - askedAtMs);
  }

  get isRunning(): boolean {
    return this.#program.isRunning;
  }

  #args(settingsFile: string): string[] {
    const listen = this.#role === "gateway" ? ["--processes", "1", "--port", String(this.port)] : [];
    return ["serve", "--roles", this.#role, ...listen, "--config", settingsFile, "--json"];
  }

  async #probe(): Promise<void> {
    if (this.#role === "worker") {
      if (!this.#program.hasPrinted("baseUrl")) throw new Error("it has not started");
      return;
    }
    const { status } = await fetch(`http://127.0.0.1:${this.port}/health/readiness`, {
      headers: { connection: "close" },
    });
    if (status !== 200) throw new Error(`not ready: ${status}`);
  }
}

/** Models to call. Their prices differ, so that each kind of call has a different cost. */
export const MODELS = { chat: "steady", rerank: "sorter" } as const;
/** Nano-USD per input token, output token, and search, as in the settings below. */
export const PRICES = { input: 1_000n, output: 4_000n, search: 2_000_000n } as const;

function writeSettings(folder: string, { version }: Release): string {
  const file = join(folder, "tollgate.yaml");
  const entry = (name: string, params: string) => `  - { model_name: ${name}, litellm_params: { ${params} } }`;
  const chat = "model: 'sim/lorem?tokens=20&tps=40', input_cost_per_token: 0.000001, output_cost_per_token: 0.000004";
  // The first release supports neither rerank calls nor their price.
  const sorter = version === "0.1.0" ? [] : [entry(MODELS.rerank, "model: sim/rerank, input_cost_per_query: 0.002")];
  const lines = ["model_list:", entry(MODELS.chat, chat), ...sorter, "billing: { provider: fake }", ""];
  writeFileSync(file, lines.join("\n"));
  return file;
}

function environmentOf(installation: Installation, folder: string): NodeJS.ProcessEnv {
  const { databaseUrl, redisUrl, natsUrl, secretKey, graceSeconds, drainSeconds } = installation;
  return {
    // Pass no other environment variables to the programs under test.
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    HOST: "127.0.0.1",
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    NATS_URL: natsUrl,
    TOLLGATE_SECRET_KEY: secretKey,
    TOLLGATE_JOURNAL_DIR: join(folder, "journal"),
    TOLLGATE_DB_WAIT: "60",
    TOLLGATE_LOG_LEVEL: "info",
    ...(graceSeconds !== null && { TOLLGATE_DRAIN_GRACE: String(graceSeconds) }),
    ...(drainSeconds !== null && { TOLLGATE_DRAIN_TIMEOUT: String(drainSeconds) }),
  };
}
