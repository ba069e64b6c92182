import { setTimeout as pause } from "node:timers/promises";
import { findBrokenInvariants } from "../../packages/db/src/ledger/verify/find-broken-invariants.ts";
import { querySql } from "../../packages/testkit/src/database.ts";
import type { CallResult } from "./load.ts";
import type { Stage } from "./stage/stage.ts";

/** Result of comparing the clients' results with the ledger. */
export interface Verdict {
  readonly calls: number;
  readonly streams: number;
  readonly failed: number;
  readonly cut_streams: number;
  /** Number of successful calls that the ledger does not contain exactly once with the exact cost. */
  readonly miscounted: number;
  readonly parked: number;
  readonly verify_differences: number;
  /** Examples of the problems, for display. */
  readonly problems: readonly string[];
}

const SETTLE_LIMIT_MS = 60_000;
const SHOWN = 5;

/** Stops the stage's gateways gracefully, waits for the ledger, and compares it with the clients' results. */
export async function judge(stage: Stage, results: readonly CallResult[]): Promise<Verdict> {
  for (const gateway of [...stage.gateways, stage.spare]) if (gateway.isRunning) await gateway.stop();
  const good = results.filter(({ failure }) => failure === null);
  const charged = await awaitCharges(stage, good);
  if (stage.worker.isRunning) await stage.worker.stop();
  const miscounted = good.flatMap((result) => miscount(result, charged.get(result.label) ?? []));
  const failed = results.filter(({ failure }) => failure !== null);
  const parked = await querySql<{ id: string; reason: string }>(
    stage.database.connectionString,
    "select id, reason from parked_events",
  );
  const report = await findBrokenInvariants(stage.database.connect("tollgate_worker"), {
    isAtRest: true,
    isDrained: true,
  });
  const broken = report.checks.filter(({ ok }) => !ok);
  return {
    calls: results.length,
    streams: results.filter(({ kind }) => kind === "stream").length,
    failed: failed.length,
    cut_streams: failed.filter(({ isCut }) => isCut).length,
    miscounted: miscounted.length,
    parked: parked.length,
    verify_differences: broken.reduce((sum, { differing }) => sum + differing, 0),
    problems: [
      ...failed.slice(0, SHOWN).map(({ label, kind, failure }) => `${kind} ${label}: ${failure}`),
      ...miscounted.slice(0, SHOWN),
      ...parked.slice(0, SHOWN).map(({ id, reason }) => `parked ${id}: ${reason}`),
      ...broken.map(({ id, title, differences }) => `${id} ${title}: ${JSON.stringify(differences[0], printBigint)}`),
    ],
  };
}

/** Reports whether there are no problems. */
export function isGood(verdict: Verdict): boolean {
  const { failed, cut_streams, miscounted, parked, verify_differences, calls } = verdict;
  return calls > 0 && failed + cut_streams + miscounted + parked + verify_differences === 0;
}

/** Returns the costs of the calls, by label. Waits up to a minute until every successful call has a cost. */
async function awaitCharges(stage: Stage, good: readonly CallResult[]): Promise<Map<string, bigint[]>> {
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const rows = await querySql<{ label: string; cost: string }>(
      stage.database.connectionString,
      "select request_id as label, cost::text as cost from usage_events where status = 'success'",
    );
    const charged = new Map<string, bigint[]>();
    for (const { label, cost } of rows) charged.set(label, [...(charged.get(label) ?? []), BigInt(cost)]);
    if (good.every(({ label }) => charged.has(label)) || performance.now() > deadline) return charged;
    await pause(200);
  }
}

function miscount({ label, kind, cost }: CallResult, charges: readonly bigint[]): string[] {
  if (charges.length === 1 && charges[0] === cost) return [];
  return [
    `${kind} ${label} should cost ${cost} and was charged ${charges.length === 0 ? "nothing" : charges.join(", ")}`,
  ];
}

const printBigint = (_key: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value);
