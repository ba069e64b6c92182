import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { judge, type Verdict } from "../judge.ts";
import { type CallKind, Load } from "../load.ts";
import type { Release } from "../stage/release.ts";
import { type Stage, startStage } from "../stage/stage.ts";

export interface MixedOptions {
  readonly older: Release;
  readonly newer: Release;
  readonly tell: (line: string) => void;
}

export interface MixedVerdict extends Verdict {
  readonly gateway: string;
  readonly worker: string;
  readonly migrate_ms: number;
}

const TIMES = { probeMs: 200, spreadMs: 300 };
/** How long both releases run side by side. */
const BESIDE_MS = 8_000;
const MIGRATE_LIMIT_MS = 60_000;

/**
 * Migrates the schema while gateways and a worker from the older release are running, and then adds a gateway from the
 * newer release. The older worker settles the new gateway's usage, or the gateway does so itself if the worker can't
 * read it.
 */
export async function joinNewerGateway({ older, newer, tell }: MixedOptions): Promise<MixedVerdict> {
  const stage = await startOlder(older);
  try {
    const load = await startLoad(stage, ["stream", "plain"]);
    const migrateMs = await migrateUnder(stage, newer, tell);
    stage.spare.release = newer;
    await stage.spare.start();
    await stage.balancer.awaitReady(stage.spare.port);
    tell(`a gateway of ${newer.version} beside one of ${older.version}, with a worker of ${older.version}`);
    // Only the newer release supports these calls, so they are sent only to its gateway.
    const newest = new Load({
      url: `http://127.0.0.1:${stage.spare.port}`,
      apiKey: stage.apiKey,
      clients: 3,
      kinds: ["rerank", "stream"],
    });
    await pause(BESIDE_MS);
    await Promise.all([load.stop(), newest.stop()]);
    const verdict = await judge(stage, [...load.results, ...newest.results]);
    return { gateway: newer.version, worker: older.version, migrate_ms: migrateMs, ...verdict };
  } finally {
    await stage.close();
  }
}

/** Replaces the worker first, so that the new worker settles usage from gateways that run the older release. */
export async function joinNewerWorker({ older, newer, tell }: MixedOptions): Promise<MixedVerdict> {
  const stage = await startOlder(older);
  try {
    const load = await startLoad(stage, ["stream", "plain"]);
    const migrateMs = await migrateUnder(stage, newer, tell);
    await stage.worker.stop();
    stage.worker.release = newer;
    await stage.worker.start();
    tell(`a gateway of ${older.version} with a worker of ${newer.version}`);
    await pause(BESIDE_MS);
    await load.stop();
    const verdict = await judge(stage, load.results);
    return { gateway: older.version, worker: newer.version, migrate_ms: migrateMs, ...verdict };
  } finally {
    await stage.close();
  }
}

function startOlder(older: Release): Promise<Stage> {
  const options = { graceSeconds: 1, drainSeconds: 20, times: TIMES, startsEmpty: true };
  return startStage({ ...options, gateways: [older], worker: older });
}

/** Starts calls before anything changes. */
export async function startLoad({ url, apiKey }: Stage, kinds: readonly CallKind[]): Promise<Load> {
  const load = new Load({ url, apiKey, clients: 6, kinds });
  while (load.results.length < 20) await pause(50);
  return load;
}

/** Migrates the schema to the newer release while everything is running. Returns the duration. */
export async function migrateUnder(stage: Stage, release: Release, tell: (line: string) => void): Promise<number> {
  const startedAtMs = performance.now();
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: stage.database.connectionString };
  const limits = { env, timeout: MIGRATE_LIMIT_MS };
  const { stdout } = await promisify(execFile)(release.program, ["migrate", "up", "--json"], limits);
  tell(`the schema of ${release.version}: ${stdout.trim()}`);
  return Math.round(performance.now() - startedAtMs);
}
