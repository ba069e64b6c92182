import { setTimeout as pause } from "node:timers/promises";
import { setBudget } from "@tollgate/db/leases/budgets.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import type { CallLog, CallPlan } from "../load/call-log.ts";
import { makeCall } from "../load/make-call.ts";
import { PRICES } from "../models.ts";
import type { Stage } from "../stage/stage.ts";
import type { Tenant } from "../stage/tenants.ts";

/**
 * Many concurrent calls that compete for an allowance that covers only a few of them. Each call costs exactly its hold.
 */
export interface Contest {
  readonly admission: "strict" | "positive";
  readonly allowance: "credit" | "key" | "team";
  readonly calls: number;
  /** Number of calls that must be served. */
  readonly winners: number;
  readonly nonce: string;
}

export interface ContestOutcome {
  readonly logs: readonly CallLog[];
  readonly served: number;
  /** Number of retries after a 503. */
  readonly retries: number;
  readonly overspendNano: bigint;
  readonly problems: readonly string[];
}

const TOKENS = 100;
/** Cost and hold of each call in a contest. */
export const HOLD = priceCall({ ...NO_USAGE, outputTokens: TOKENS }, PRICES.exact);
const PLENTY = 1_000_000_000_000n;
const ANSWER_MS = 200;
const MAX_TRIES = 15;
const SETTLE_LIMIT_MS = 20_000;

/** Runs one contest with a new organization, until no response asks a client to retry. */
export async function runContest(stage: Stage, contest: Contest): Promise<ContestOutcome> {
  const tenant = await addContestant(stage, contest);
  const logs: CallLog[] = [];
  let retries = 0;
  let pending = contest.calls;
  for (let attempt = 0; pending > 0 && attempt < MAX_TRIES; attempt += 1) {
    const plans = Array.from({ length: pending }, (_, index) =>
      planContestCall(tenant, `${contest.nonce}${attempt}-${index}`),
    );
    const round = await Promise.all(plans.map((plan) => makeCall(stage.tollgate.url, plan)));
    logs.push(...round);
    pending = round.filter(({ status }) => status === 503).length;
    retries += pending;
    if (pending > 0) await pause(1_000);
  }
  const served = logs.filter(({ isComplete }) => isComplete).length;
  const problems = served === contest.winners ? [] : [describe(contest, served, pending)];
  const beyond = served - contest.winners;
  const overspendNano = beyond > 0 ? BigInt(beyond) * HOLD : 0n;
  return {
    logs,
    served,
    retries,
    overspendNano,
    problems: [...problems, ...(await checkBalance(stage, contest, tenant))],
  };
}

async function addContestant(stage: Stage, { admission, allowance, winners }: Contest): Promise<Tenant> {
  // If the rule allows the last call to overdraw, credit for half of its cost is enough.
  const amount = BigInt(winners) * HOLD - (admission === "positive" ? HOLD / 2n : 0n);
  const added = await addTenant(stage.platform, { credit: allowance === "credit" ? amount : PLENTY });
  if (allowance !== "credit") {
    const { organizationId, keyId, teamId } = added;
    const scopeId = allowance === "key" ? keyId : teamId;
    await runAsAdministrator(stage.platform, (transaction) =>
      setBudget(transaction, { organizationId, scope: allowance, scopeId, amount, period: "none" }),
    );
  }
  return { ...added, isPoor: true };
}

/** Plans a call that costs exactly its hold. */
export function planContestCall(tenant: Tenant, nonce: string, delayMs = ANSWER_MS): CallPlan {
  const shape = { chunks: 1, gapMs: 0, tokensPerChunk: TOKENS, delayMs, maxTokens: TOKENS };
  return { nonce, tenant, model: "exact", isStream: false, hangUp: null, ...shape };
}

/** Checks that the settled balance is not below the minimum that the admission rule allows. */
async function checkBalance(
  stage: Stage,
  { admission, allowance, winners }: Contest,
  tenant: Tenant,
): Promise<string[]> {
  if (allowance !== "credit") return [];
  const expected = admission === "strict" ? 0n : -(HOLD / 2n);
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const quota = await readQuota(stage.ledger, tenant.organizationId);
    if (quota?.balance === expected) return [];
    if (performance.now() > deadline) {
      return [`the balance for ${winners} calls is ${quota?.balance} at the end, expected ${expected}`];
    }
    await pause(200);
  }
}

function describe({ admission, allowance, winners, calls }: Contest, served: number, pending: number): string {
  const open = pending > 0 ? `, ${pending} still got a 503 after the last retry` : "";
  return `${admission} ${allowance}: ${served} of ${calls} served instead of ${winners}${open}`;
}
