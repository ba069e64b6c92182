import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cloneDatabase, createEmptyDatabase, type TestDatabase } from "../../packages/testkit/src/database.ts";
import { removeAtExit } from "../../packages/testkit/src/processes/clean-up.ts";
import { addTenant } from "../../packages/testkit/src/tenants.ts";
import { checkCall } from "../chaos/ledger/check-call.ts";
import { readUsageRows } from "../chaos/ledger/usage-rows.ts";
import type { CallLog, CallPlan } from "../chaos/load/call-log.ts";
import { Load } from "../chaos/load/load.ts";
import type { Tenant } from "../chaos/stage/tenants.ts";
import { startUpstream } from "../chaos/upstream/start-upstream.ts";
import { describeInstallation, type Installation } from "./installation.ts";

/** Result of a rehearsal. */
export interface Rehearsal {
  readonly calls: number;
  /** Number of complete responses whose calls the backup does not contain. */
  readonly after_backup: number;
  /**
   * Number of calls that the lost database had settled and confirmed to the gateways, but that are missing from the
   * backup.
   */
  readonly settled_after_backup: number;
  /** Number of calls that are missing from the backup but present in the restored database at the end. */
  readonly replayed: number;
  readonly lost: number;
  readonly double_billed: number;
  /** Number of calls that failed while everything was running. */
  readonly failed: number;
  readonly verify_differences: number;
  readonly backup_seconds: number;
  readonly restore_seconds: number;
  /** Time from the start of the gateways until the ledger was complete. */
  readonly replay_seconds: number;
}

export interface RehearsalOptions {
  /** Calls per second. */
  readonly rate: number;
  /** Duration of the load before the backup, and of the load after it. */
  readonly seconds: number;
  /** True to lose the gateways' journals together with the database. */
  readonly losesJournals: boolean;
  readonly print: (line: string) => void;
}

const TENANTS = 4;
const CREDIT = 1_000_000_000_000n;
const PREFIX = "restore-";
const SETTLE_LIMIT_MS = 60_000;
/** Time to wait for rows that must not appear. */
const NOTHING_COMES_MS = 10_000;
/** Duration of the load whose calls the lost database never receives. */
const LAST_MOMENT_MS = 300;
const CHUNKS = 8;
const TOKENS_PER_CHUNK = 5;

/**
 * Loses a database under load and restores it. Takes a backup while calls are made, makes more calls, kills all
 * processes, and drops the database. Then restores the backup into an empty database, and starts the gateways on it
 * with their journals.
 */
export async function rehearse({ rate, seconds, losesJournals, print }: RehearsalOptions): Promise<Rehearsal> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-restore-"));
  removeAtExit(folder);
  const startedAtMs = Date.now();
  const [lost, upstream] = await Promise.all([cloneDatabase(), startUpstream(folder)]);
  const tenants = await addTenants(lost);
  const installation = await describeInstallation(folder, upstream.url);
  installation.use(lost.connectionString);
  await installation.program.start();
  print(`  gateways and a worker are up (${since(startedAtMs)})`);

  const first = new Load({ url: () => installation.url, rate, plan: (index) => planCall(tenants, `a${index}`) });
  await pause(seconds * 1_000);
  const file = join(folder, "backup.tar");
  const backup = await installation.ask<{ seconds: number; totals: { calls: string } }>("backup", "--out", file);
  print(`  backup under load: ${backup.totals.calls} calls in it, ${backup.seconds} s`);
  await pause(seconds * 1_000);
  await first.stop();
  const settled = await awaitRows(lost, first.logs, startedAtMs);
  const last = new Load({ url: () => installation.url, rate, plan: (index) => planCall(tenants, `b${index}`) });
  await pause(LAST_MOMENT_MS);
  const lostAtMs = Date.now();
  await installation.program.kill();
  await last.stop();
  await lost.drop();
  print(`  ${settled.size} calls were settled; then all processes were killed and the database dropped`);

  const restored = await createEmptyDatabase();
  try {
    installation.use(restored.connectionString);
    await installation.ask("restore", "--check", file);
    const restore = await installation.ask<{ seconds: number }>("restore", file);
    const kept = await readUsageRows(restored.connect("tollgate_worker"), PREFIX, startedAtMs);
    const logs = [...first.logs, ...last.logs];
    const after = logs.filter((log) => log.isComplete && !kept.has(log.plan.nonce));
    print(`  restored in ${restore.seconds} s: ${kept.size} calls; ${after.length} came later`);

    if (losesJournals) installation.loseJournals();
    const replayStartedMs = performance.now();
    await installation.program.start();
    print(`  gateways are up on it (${((performance.now() - replayStartedMs) / 1_000).toFixed(1)} s)`);
    const rows = await awaitRows(restored, logs, startedAtMs, losesJournals ? NOTHING_COMES_MS : SETTLE_LIMIT_MS);
    const replaySeconds = (performance.now() - replayStartedMs) / 1_000;
    await callOnce(installation, tenants);
    await installation.program.stop("SIGTERM", SETTLE_LIMIT_MS);
    const verify = await askVerify(installation);
    const records = upstream.readRecords(PREFIX);
    const verdicts = logs.map((log) =>
      checkCall(log, records.get(log.plan.nonce) ?? [], rows.get(log.plan.nonce) ?? []),
    );
    if (!losesJournals) {
      for (const verdict of verdicts) if ("why" in verdict) print(`  ✗ ${verdict.kind}: ${verdict.why}`);
    }
    const count = (kind: string) => verdicts.filter((verdict) => verdict.kind === kind).length;
    return {
      calls: logs.length,
      after_backup: after.length,
      settled_after_backup: after.filter(({ plan }) => settled.has(plan.nonce)).length,
      replayed: after.filter(({ plan }) => rows.has(plan.nonce)).length,
      lost: count("lost"),
      double_billed: count("doubled"),
      failed: logs.filter((log) => !log.isComplete && !log.isUnsent && log.endedAtMs < lostAtMs).length,
      verify_differences: verify,
      backup_seconds: backup.seconds,
      restore_seconds: restore.seconds,
      replay_seconds: Math.round(replaySeconds * 10) / 10,
    };
  } finally {
    await installation.program.stop();
    await restored.drop();
    await upstream.program.stop();
  }
}

/** Waits until every complete response has a row or the time limit has passed, and returns the rows. */
async function awaitRows(
  database: TestDatabase,
  logs: readonly CallLog[],
  startedAtMs: number,
  limitMs = SETTLE_LIMIT_MS,
) {
  const ledger = database.connect("tollgate_worker");
  const deadline = performance.now() + limitMs;
  for (;;) {
    const rows = await readUsageRows(ledger, PREFIX, startedAtMs);
    const isWhole = logs.every((log) => !log.isComplete || rows.has(log.plan.nonce));
    if (isWhole || performance.now() > deadline) return rows;
    await pause(100);
  }
}

/** Checks that the restored database also serves calls. */
async function callOnce({ url }: Installation, tenants: readonly Tenant[]): Promise<void> {
  const load = new Load({ url: () => url, rate: 50, plan: (index) => planCall(tenants, `c${index}`) });
  await pause(200);
  await load.stop();
  const failed = load.logs.find(({ isComplete, isUnsent }) => !isComplete && !isUnsent);
  if (failed !== undefined) throw new Error(`a call after the restore failed: ${failed.status} ${failed.code}`);
}

async function askVerify(installation: Installation): Promise<number> {
  try {
    const { differences } = await installation.ask<{ differences: number }>("ledger", "verify", "--quiescent");
    return differences;
  } catch (error) {
    // If there are differences, the command exits with code 1 but still prints its figures.
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return (JSON.parse(stdout) as { differences: number }).differences;
  }
}

async function addTenants(database: TestDatabase): Promise<Tenant[]> {
  const platform = database.connect("tollgate_platform");
  const tenants: Tenant[] = [];
  for (let index = 0; index < TENANTS; index += 1) {
    tenants.push({ ...(await addTenant(platform, { credit: CREDIT })), isPoor: false });
  }
  return tenants;
}

/** Rotates through the organizations, streaming and non-streaming calls, and reported and counted usage. */
function planCall(tenants: readonly Tenant[], name: string): CallPlan {
  const index = Number(name.slice(1));
  return {
    nonce: `${PREFIX}${name}`,
    tenant: tenants[index % tenants.length] as Tenant,
    model: index % 3 === 0 ? "silent" : "reporting",
    isStream: index % 2 === 0,
    chunks: CHUNKS,
    gapMs: 5,
    tokensPerChunk: TOKENS_PER_CHUNK,
    delayMs: 5,
    maxTokens: CHUNKS * TOKENS_PER_CHUNK + 10,
    hangUp: null,
  };
}

const since = (startedAtMs: number): string => `${((Date.now() - startedAtMs) / 1_000).toFixed(1)} s`;
