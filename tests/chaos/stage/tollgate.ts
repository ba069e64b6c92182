import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AdmissionPolicy, AdmissionRule } from "@tollgate/domain/credit/admission.ts";
import { choosePort } from "@tollgate/testkit/processes/choose-port.ts";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import { isAlive, Program, type ProgramLaunch } from "@tollgate/testkit/processes/program.ts";
import { writeModelList } from "../models.ts";

/** Settings for the programs under test. */
export interface TollgateSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly upstreamUrl: string;
  readonly wildUrl: string;
  readonly admission: AdmissionPolicy;
  readonly reclaimAfterSeconds: number;
  readonly journalFolder: string;
  /** Node.js flags for gateway and worker processes. */
  readonly nodeOptions: string;
  /** Maximum concurrent calls in each gateway process; null for the default. */
  readonly maxInFlight: number | null;
  /** The whole settings file, for suites that have their own models. */
  readonly fileText?: string;
}

/**
 * Larger than any hold on this stage, so that the last call is admitted if any balance is left. Strict rounds have no
 * overdraft.
 */
const OVERDRAFT = 1_000_000_000n;
/** The most permissive admission rule for calls on this stage. */
export const LOOSEST_ADMISSION: AdmissionRule = { policy: "positive", overdraft: OVERDRAFT };

export const GATEWAY_PROCESSES = 2;
const WORKERS = 2;
const BACK_LIMIT_MS = 60_000;
/** Signing secret of the stage's payment provider. */
export const WEBHOOK_SECRET = `whsec_${randomBytes(24).toString("hex")}`;
const SECRET_KEY = randomBytes(32).toString("hex");
const program = resolve(import.meta.dirname, "../../../bin/tollgate");
/** A module that Node loads into every thread of a program. It ends the worker's thread. */
const exitWorkerThread = resolve(import.meta.dirname, "exit-worker-thread.ts");

/**
 * The system under test: two gateway processes under one supervisor, and two workers. Changed settings take effect at
 * the next start.
 */
export class Tollgate {
  settings: TollgateSettings;
  readonly port: number;
  readonly gateways: Program;
  /** The platform, started only by the cells that need it. */
  readonly platform: Program;
  readonly platformPort: number;
  readonly workers: readonly Program[];
  /**
   * One gateway process with its own journal and a worker thread that keeps exiting, started only by the cells that need
   * it.
   */
  readonly single: Program;
  readonly singlePort: number;
  readonly #folder: string;

  static async create(folder: string, settings: TollgateSettings, onKill: (count: number) => void): Promise<Tollgate> {
    mkdirSync(folder, { recursive: true });
    return new Tollgate(folder, settings, [await choosePort(), await choosePort(), await choosePort()], onKill);
  }

  private constructor(
    folder: string,
    settings: TollgateSettings,
    [port, platformPort, singlePort]: readonly [number, number, number],
    onKill: (count: number) => void,
  ) {
    this.#folder = folder;
    this.settings = settings;
    this.port = port;
    this.platformPort = platformPort;
    this.singlePort = singlePort;
    this.platform = this.#describe("platform", platformArgs(platformPort), () => this.#hasPlatform(), onKill);
    this.gateways = this.#describe("gateways", gatewayArgs(port), () => this.#isReady(), onKill);
    this.single = this.#describe("single", singleArgs(singlePort), () => isServing(this.singleUrl), onKill, {
      TOLLGATE_JOURNAL_DIR: join(folder, "single-journal"),
      NODE_OPTIONS: `--import ${exitWorkerThread}`,
    });
    this.workers = Array.from({ length: WORKERS }, (_, index) => {
      const name = `worker-${index + 1}`;
      const isUp = async () => {
        if (listChildren(this.workers[index]?.pid ?? 0).length === 0) throw new Error("no process yet");
      };
      return this.#describe(name, ["serve", "--roles", "worker", "--json"], isUp, onKill);
    });
  }

  get singleUrl(): string {
    return `http://127.0.0.1:${this.singlePort}`;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get platformUrl(): string {
    return `http://127.0.0.1:${this.platformPort}`;
  }

  /** Returns the PID of the platform process, or null if there is none. */
  platformPid(): number | null {
    return this.platform.isRunning ? (listChildren(this.platform.pid).find(isAlive) ?? null) : null;
  }

  /** Starts everything and resolves when calls can be made. */
  async start(): Promise<void> {
    await Promise.all([this.gateways, ...this.workers].map((each) => each.start()));
  }

  /** Waits for calls and deliveries to finish, then restarts with these settings. */
  async restart(changed: Partial<TollgateSettings> = {}): Promise<void> {
    await Promise.all([this.gateways, ...this.workers].map((each) => each.stop()));
    this.settings = { ...this.settings, ...changed };
    await this.start();
  }

  /**
   * Makes the running gateways reload their settings with these changes. Calls in flight continue with the old
   * settings.
   */
  reload(changed: Partial<TollgateSettings>): void {
    this.settings = { ...this.settings, ...changed };
    this.#writeSettings();
    signalProcess(this.gateways.pid, "SIGHUP");
  }

  /**
   * Restarts each gateway process with these settings after its calls have finished. Supervisors and workers keep
   * running.
   */
  async restartGateways(changed: Partial<TollgateSettings>): Promise<void> {
    this.settings = { ...this.settings, ...changed };
    this.#writeSettings();
    await Promise.all(
      Array.from({ length: GATEWAY_PROCESSES }, async (_, index) => {
        const before = { pid: this.gatewayPid(index), epoch: this.readNode(index)?.epoch ?? 0 };
        if (before.pid !== null) signalProcess(before.pid, "SIGTERM");
        await this.awaitRestart(index, before);
      }),
    );
    await this.gateways.awaitReady();
  }

  /** Returns the launch options for a second instance with the same journals. */
  describeSecond(port: number): ProgramLaunch {
    return { command: program, args: [...gatewayArgs(port), "--config", this.#writeSettings()], env: this.#env() };
  }

  /** Returns the PID of the gateway process with this index, or null if there is none. */
  gatewayPid(index: number): number | null {
    const pids = this.gateways.isRunning ? listChildren(this.gateways.pid) : [];
    return pids.find((pid) => isAlive(pid) && readPlace(pid) === index) ?? null;
  }

  /** Returns the PID of the supervisor's worker process, or null if there is none. */
  workerPid(index: number): number | null {
    const supervisor = this.workers[index];
    return supervisor?.isRunning === true ? (listChildren(supervisor.pid).find(isAlive) ?? null) : null;
  }

  /** Returns the node ID of a gateway process in the ledger, and its epoch. */
  readNode(index: number): { readonly nodeId: string; readonly epoch: number } | null {
    try {
      const file = join(this.settings.journalFolder, `gateway-${index}`, "node.json");
      return JSON.parse(readFileSync(file, "utf8")) as { nodeId: string; epoch: number };
    } catch {
      return null;
    }
  }

  /** Resolves when the gateway with this index is a new process that has registered in the ledger. */
  async awaitRestart(index: number, before: { readonly pid: number | null; readonly epoch: number }): Promise<void> {
    const deadline = performance.now() + BACK_LIMIT_MS;
    for (;;) {
      const pid = this.gatewayPid(index);
      if (pid !== null && pid !== before.pid && (this.readNode(index)?.epoch ?? 0) > before.epoch) return;
      if (performance.now() > deadline)
        throw new Error(`gateway ${index} did not come back\n${this.gateways.readLog()}`);
      await pause(50);
    }
  }

  #describe(
    name: string,
    args: readonly string[],
    probe: () => Promise<unknown>,
    onKill: (count: number) => void,
    env: NodeJS.ProcessEnv = {},
  ) {
    const launch = () => ({
      command: program,
      args: [...args, "--config", this.#writeSettings()],
      env: { ...this.#env(), ...env },
    });
    return new Program({ name, folder: this.#folder, launch, probe, onKill });
  }

  #writeSettings(): string {
    const file = join(this.#folder, "tollgate.yaml");
    const { upstreamUrl, wildUrl, admission, maxInFlight, fileText } = this.settings;
    if (fileText !== undefined) {
      writeFileSync(file, fileText);
      return file;
    }
    const overdraft = admission === "strict" ? 0n : OVERDRAFT;
    const lines = [
      writeModelList(upstreamUrl, wildUrl),
      `billing: { provider: fake, admission: ${admission}, overdraft: ${overdraft}, stripe: { webhookSecrets: [${WEBHOOK_SECRET}] } }`,
      "auth: { adminTotp: optional }",
      "limits: { requestsPerMinute: 1000000, unauthenticatedRequestsPerMinute: 1000000, signUpsPerHour: 100000, loginsPerMinute: 100000 }",
      "router_settings: { num_retries: 0 }",
      ...(maxInFlight === null
        ? []
        : [`general_settings: { global_max_parallel_requests: ${maxInFlight}, require_auth_for_metrics: false }`]),
      "",
    ];
    writeFileSync(file, lines.join("\n"));
    return file;
  }

  #env(): NodeJS.ProcessEnv {
    const { databaseUrl, redisUrl, natsUrl, journalFolder, reclaimAfterSeconds, nodeOptions } = this.settings;
    return {
      // No other environment variables may reach the programs under test.
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: "127.0.0.1",
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      NATS_URL: natsUrl,
      NODE_OPTIONS: nodeOptions,
      TOLLGATE_SECRET_KEY: SECRET_KEY,
      TOLLGATE_GATEWAY_URL: this.url,
      TOLLGATE_JOURNAL_DIR: journalFolder,
      TOLLGATE_LEASE_RECLAIM_AFTER: String(reclaimAfterSeconds),
      TOLLGATE_DRAIN_GRACE: "0",
      TOLLGATE_DB_WAIT: "60",
      TOLLGATE_LOG_LEVEL: "info",
    };
  }

  async #hasPlatform(): Promise<void> {
    const { status } = await fetch(`${this.platformUrl}/api/ready`, { headers: { connection: "close" } });
    if (status !== 200) throw new Error(`not ready: ${status}`);
  }

  async #isReady(): Promise<void> {
    await isServing(this.url);
    const pids = Array.from({ length: GATEWAY_PROCESSES }, (_, index) => this.gatewayPid(index));
    if (pids.includes(null)) throw new Error("not ready: a process is missing");
  }
}

async function isServing(url: string): Promise<void> {
  const { status } = await fetch(`${url}/health/readiness`, { headers: { connection: "close" } });
  if (status !== 200) throw new Error(`not ready: ${status}`);
}

const singleArgs = (port: number): string[] => [
  "serve",
  "--roles",
  "gateway,worker",
  "--processes",
  "1",
  "--port",
  String(port),
  "--json",
];

const platformArgs = (port: number): string[] => ["serve", "--roles", "platform", "--port", String(port), "--json"];

const gatewayArgs = (port: number): string[] => [
  "serve",
  "--roles",
  "gateway",
  "--processes",
  String(GATEWAY_PROCESSES),
  "--port",
  String(port),
  "--json",
];

/** Returns the direct children of a process. */
export function listChildren(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return [];
  }
}

function readPlace(pid: number): number | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    const place = environment.find((entry) => entry.startsWith("TOLLGATE_CHILD_INDEX="));
    return place === undefined ? null : Number(place.slice("TOLLGATE_CHILD_INDEX=".length));
  } catch {
    return null;
  }
}
