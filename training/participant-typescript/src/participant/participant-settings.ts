import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { DatasetRegistry } from "../datasets/dataset-registry.ts";
import { type Logger, OPERATIONS, type Operation } from "../handlers.ts";
import type { SlotCounts } from "../jobs/job-slots.ts";
import { consoleLogger } from "./console-logger.ts";
import { isLoopback } from "./loopback.ts";
import type { ParticipantLimits, ParticipantOptions, TlsOptions } from "./participant-options.ts";

const MEBIBYTE = 1024 * 1024;
const SHORTEST_TOKEN = 16;
/** Maximum duration in seconds. Node timers cannot be set much further ahead. */
const MAX_SECONDS = 2_000_000;

/** Validated options and environment. */
export interface ParticipantSettings {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of each token: hashes have equal length for comparison, and the tokens themselves are not stored. */
  readonly tokenHashes: readonly Buffer[];
  readonly insecure: boolean;
  readonly datasets: DatasetRegistry;
  readonly limits: ParticipantLimits;
  readonly slots: SlotCounts;
  readonly maxQueue: number;
  readonly maxSeconds: Readonly<Record<Operation, number>>;
  readonly graceSeconds: number;
  readonly drainSeconds: number;
  readonly retentionSeconds: number;
  readonly forceExit: boolean;
  readonly exposeErrors: boolean;
  readonly tls?: TlsOptions;
  readonly servesCall: boolean;
  readonly logger: Logger;
  /** Module whose functions run in worker threads. */
  readonly workerModule?: URL;
  readonly spoolFolder: string;
}

/** Reads and validates options and environment. Errors name the setting, but never a secret value. */
export function readSettings(options: ParticipantOptions, env: NodeJS.ProcessEnv): ParticipantSettings {
  return {
    host: options.host ?? (env.HOST || "127.0.0.1"),
    port: readPort(options.port, env.PORT),
    tokenHashes: readTokens(options.token ?? env.PARTICIPANT_TOKEN),
    insecure: options.insecure ?? false,
    datasets: new DatasetRegistry(options.dataset ?? (env.DATASET_PATH || undefined), options.datasets ?? {}),
    limits: {
      maxJsonBytes: integer("limits.maxJsonBytes", options.limits?.maxJsonBytes, 256 * MEBIBYTE, 1),
      maxFrameBytes: integer("limits.maxFrameBytes", options.limits?.maxFrameBytes, 8192 * MEBIBYTE, 1),
      maxEntries: integer("limits.maxEntries", options.limits?.maxEntries, 1000, 1),
      memoryBytes: integer("limits.memoryBytes", options.limits?.memoryBytes, 64 * MEBIBYTE, 0),
      maxStoredBytes: integer("limits.maxStoredBytes", options.limits?.maxStoredBytes, 16_384 * MEBIBYTE, 0),
    },
    slots: {
      train: integer("slots.train", options.slots?.train, 1, 1),
      evaluate: integer("slots.evaluate", options.slots?.evaluate, 1, 1),
      aggregate: integer("slots.aggregate", options.slots?.aggregate, 1, 1),
      shared: options.slots?.shared ?? true,
    },
    maxQueue: integer("maxQueue", options.maxQueue, 0, 0),
    maxSeconds: readMaxSeconds(options.maxSeconds),
    graceSeconds: seconds("graceSeconds", options.graceSeconds, 10),
    drainSeconds: seconds("drainSeconds", options.drainSeconds, 30),
    retentionSeconds: seconds("retentionSeconds", options.retentionSeconds, 3600),
    forceExit: options.forceExit ?? false,
    exposeErrors: options.exposeErrors ?? false,
    tls: options.tls,
    servesCall: options.compat?.call ?? false,
    logger: options.logger ?? consoleLogger,
    workerModule: readWorkerModule(options),
    spoolFolder: options.spoolFolder ?? tmpdir(),
  };
}

/** Throws if the participant would be open to the network without a token. */
export function checkExposure(settings: ParticipantSettings): void {
  if (settings.tokenHashes.length > 0 || settings.insecure || isLoopback(settings.host)) return;
  throw new Error(
    `refusing to listen on ${settings.host} without a token: set PARTICIPANT_TOKEN (at least ${SHORTEST_TOKEN} ` +
      "characters), listen on 127.0.0.1, or set insecure: true",
  );
}

function readPort(option: number | undefined, variable: string | undefined): number {
  const port = option ?? (variable === undefined || variable === "" ? 5000 : Number(variable));
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new RangeError("port (PORT) must be 0 to 65535");
  return port;
}

function readTokens(given: string | readonly string[] | undefined): Buffer[] {
  const tokens = (typeof given === "string" ? given.split(",") : (given ?? []))
    .map((token) => token.trim())
    .filter((token) => token !== "");
  if (tokens.some((token) => token.length < SHORTEST_TOKEN)) {
    throw new RangeError(`each token (PARTICIPANT_TOKEN) must have at least ${SHORTEST_TOKEN} characters`);
  }
  if (!tokens.every((token) => /^[\x21-\x7e]+$/.test(token))) {
    throw new RangeError("each token (PARTICIPANT_TOKEN) must be printable ASCII without spaces");
  }
  return tokens.map((token) => createHash("sha256").update(token).digest());
}

function readMaxSeconds(given: ParticipantOptions["maxSeconds"]): Record<Operation, number> {
  const defaults = { train: 86_400, evaluate: 3600, aggregate: 3600 };
  const chosen = typeof given === "number" ? { train: given, evaluate: given, aggregate: given } : given;
  for (const operation of OPERATIONS) {
    defaults[operation] = seconds(`maxSeconds.${operation}`, chosen?.[operation], defaults[operation]);
  }
  return defaults;
}

function readWorkerModule({ workers = false, module }: ParticipantOptions): URL | undefined {
  if (!workers && module !== undefined)
    throw new TypeError("module requires workers: true; otherwise register functions");
  if (workers && module === undefined)
    throw new TypeError("workers: true requires module: new URL(…, import.meta.url)");
  return module === undefined ? undefined : new URL(module);
}

function integer(name: string, value: number | undefined, otherwise: number, lowest: number): number {
  const chosen = value ?? otherwise;
  if (!Number.isSafeInteger(chosen) || chosen < lowest) {
    throw new RangeError(`${name} must be an integer of at least ${lowest}`);
  }
  return chosen;
}

function seconds(name: string, value: number | undefined, otherwise: number): number {
  const chosen = value ?? otherwise;
  if (!(chosen >= 0 && chosen <= MAX_SECONDS)) throw new RangeError(`${name} must be 0 to ${MAX_SECONDS} seconds`);
  return chosen;
}
