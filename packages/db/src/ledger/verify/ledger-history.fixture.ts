import { createHash } from "node:crypto";
import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import type { BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import { type LostAttempt, OMITTED_FIELDS, type UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { makePrefixedId, makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NANO_PER_CENT } from "@tollgate/domain/money.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { makeAdministrator } from "../../accounts/make-administrator.ts";
import { writeAudit } from "../../audit/write-audit.ts";
import type { Database } from "../../connect.ts";
import { applyPaymentEvent } from "../../credits/apply-payment-event.ts";
import { grantCredit } from "../../credits/grant-credit.ts";
import { openPurchase, storeCheckout } from "../../credits/purchases.ts";
import { leaseCredit } from "../../leases/lease-credit.ts";
import { registerNode } from "../../leases/register-node.ts";
import { runAsAdministrator, runInOrganization, runUnauthenticated } from "../../tenancy.ts";
import { ensurePriceVersions } from "../price-versions.ts";
import { settleUsage } from "../settle-usage.ts";
import { closeDay, ensureUsagePartitions } from "../usage-partitions.ts";

export const MODEL = "simulated/model";
const UNIT_MODEL = "simulated/units";
/** A model whose price is not in the ledger yet. */
export const UNPRICED_MODEL = "simulated/unpriced";
/** Prices for every unit, chosen so that amounts must be rounded. */
const UNIT_PRICE = tokenPrice(2_500_001n, 10_000_333n, {
  audioInput: 40_000_007n,
  audioOutput: 80_000_009n,
  perCharacter: 15_000_001n,
  perSecond: 100_000_003n,
  perImage: 40_000_000_013n,
  perSearch: 2_000_000_001n,
  tier: { aboveInputTokens: 200_000, input: 5_000_003n, output: null, cacheRead: 600_001n, cacheWrite: null },
});
export const PRICE = tokenPrice(2_500_000n, 10_000_333n, { cacheRead: 1_250_000n });
const DAY_MS = 86_400_000;
const USD = 1_000_000_000n;

/**
 * Two organizations with every kind of entry, calls from yesterday (a closed day) and today, leases, budgets, and a
 * parked event.
 */
export interface LedgerHistory {
  readonly payer: Tenant;
  /** A tenant with a negative balance, so its team is blocked. */
  readonly debtor: Tenant;
  /** The payer's purchase, which is partially refunded. */
  readonly purchaseId: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly priceVersionId: string;
  readonly events: readonly UsageEvent[];
  readonly parkedId: string;
}

export async function writeHistory(
  database: Pick<TestDatabase, "connect" | "connectionString">,
): Promise<LedgerHistory> {
  const platform = database.connect("tollgate_platform");
  const worker = database.connect("tollgate_worker");
  const gateway = database.connect("tollgate_gateway");
  const nowMs = Date.now();
  const yesterdayMs = nowMs - (nowMs % DAY_MS) - DAY_MS / 2;
  const [payer, debtor] = [await addTenant(platform), await addTenant(platform)];
  const version = { id: priceVersionId(MODEL, PRICE), model: MODEL, price: PRICE };
  const unitVersion = { id: priceVersionId(UNIT_MODEL, UNIT_PRICE), model: UNIT_MODEL, price: UNIT_PRICE };
  await ensurePriceVersions(worker, [version, unitVersion]);
  const unitsOf = (units: Partial<Usage>): Partial<EventOptions> => {
    const usage = { ...NO_USAGE, ...units };
    const cost = priceCall(usage, UNIT_PRICE);
    return { usage, cost, hold: cost, fromLease: 0n, priceVersionId: unitVersion.id };
  };
  const yesterday = new Date(yesterdayMs).toISOString().slice(0, 10);
  await ensureUsagePartitions(worker, yesterday, new Date(nowMs).toISOString().slice(0, 10));

  const expiresAt = new Date(nowMs + DAY_MS);
  const administratorId = await addAdministrator(platform);
  const purchaseId = await buyCredit(platform, payer, administratorId, 100n * USD);
  await giveCredit(platform, payer, administratorId, { amount: 3n * USD, expiresAt });
  await giveCredit(platform, payer, administratorId, { amount: 2n * USD });
  await giveCredit(platform, payer, administratorId, { amount: -USD });
  await buyCredit(platform, debtor, administratorId, USD);

  const nodeId = makePrefixedId("node", nowMs);
  const { epoch } = await registerNode(gateway, { nodeId, knownEpoch: 0, host: "test" });
  // The node sends no heartbeats, and on a busy machine the tests outlast the thirty seconds of its registration.
  await querySql(database.connectionString, "update gateway_nodes set alive_until = now() + interval '1 day'");
  const window = { scope: "key", scopeId: payer.keyId, startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY } as const;
  await lease(gateway, { nodeId, epoch, tenant: payer, window });
  await lease(gateway, { nodeId, epoch, tenant: debtor, window: { ...window, scopeId: debtor.keyId } });

  const call = (tenant: Tenant, atMs: number, outputTokens: number, changes: Partial<EventOptions> = {}): UsageEvent =>
    makeEvent({
      tenant,
      nodeId,
      epoch,
      priceVersionId: version.id,
      atMs,
      outputTokens,
      budgets: [{ ...window, scopeId: tenant.keyId }],
      ...changes,
    });
  const lostAttempt = (units: Partial<Usage>, reason: LostAttempt["reason"]): LostAttempt => {
    const usage = { ...NO_USAGE, ...units };
    const lost = { reason, deploymentId: "simulated-2", provider: "simulated", priceVersionId: unitVersion.id };
    return { ...lost, usage, cost: priceCall(usage, UNIT_PRICE) };
  };
  const lostAttempts = [
    lostAttempt({ inputTokens: 900, outputTokens: 70, reasoningTokens: 50 }, "retry"),
    lostAttempt(
      { inputTokens: 900, audioInputTokens: 5, characters: 7, audioMs: 900, images: 1, searches: 2 },
      "timeout",
    ),
  ];
  /** Makes the operator pay a third of the price. */
  const withLoss = (event: UsageEvent): UsageEvent => {
    const cost = event.cost - event.cost / 3n;
    const budgets = event.budgets.map((share) => ({ ...share, fromLease: cost }));
    return { ...event, cost, loss: event.cost / 3n, hold: cost, fromLease: cost, budgets };
  };
  const events = [
    ...[1, 2, 3].map((n) => call(payer, yesterdayMs + n * 1_000_000, 100 * n)),
    withLoss(call(payer, yesterdayMs + 4_000_000, 400, { lostAttempts })),
    withLoss(call(payer, nowMs, 300)),
    call(payer, nowMs, 60, { lostAttempts: lostAttempts.slice(0, 1) }),
    call(payer, nowMs, 60, { isBilled: false, hold: 0n, fromLease: 0n, lostAttempts }),
    ...[5, 6, 7].map((n) => call(payer, nowMs, 100 * n, { isStream: true })),
    call(payer, nowMs, 50, { status: "failure", httpStatus: 503, errorCode: "upstream_unreachable" }),
    call(payer, nowMs, 70, { isBilled: false, hold: 0n, fromLease: 0n }),
    call(
      payer,
      nowMs,
      80,
      unitsOf({ inputTokens: 900, audioInputTokens: 700, outputTokens: 600, audioOutputTokens: 500 }),
    ),
    call(payer, nowMs, 80, unitsOf({ characters: 333, audioMs: 12_345, images: 2, searches: 3 })),
    call(payer, nowMs, 80, unitsOf({ inputTokens: 150_000, cacheReadTokens: 50_001, outputTokens: 3 })),
    // A call that costs more than its hold and more than the balance.
    call(debtor, nowMs, 200_000, { hold: USD / 2n, fromLease: USD / 2n }),
  ];
  await settleUsage(worker, events.slice(0, 3));
  await settleUsage(worker, events.slice(3));
  const unpriced = call(payer, nowMs, 10, { priceVersionId: priceVersionId(UNPRICED_MODEL, PRICE) });
  await settleUsage(worker, [unpriced]);
  await refundCredit(platform, purchaseId, USD);
  await closeDay(worker, yesterday);
  return { payer, debtor, purchaseId, nodeId, epoch, priceVersionId: version.id, events, parkedId: unpriced.id };
}

/** Adds an administrator with an organization, the way an operator does. Returns the user's ID. */
function addAdministrator(platform: Database): Promise<number> {
  return runUnauthenticated(platform, async (transaction) => {
    const made = await makeAdministrator(transaction, {
      email: "operator@example.org",
      name: "Operator",
      passwordHash: "none",
      replacesPassword: false,
      organizationName: null,
      now: new Date(),
    });
    if (made.kind !== "created") throw new Error(`the administrator was not created: ${made.kind}`);
    return made.userId;
  });
}

/** Buys credit through the simulated payment provider. Returns the purchase's ID. */
async function buyCredit(
  platform: Database,
  { organizationId }: Pick<Tenant, "organizationId">,
  userId: number,
  amount: bigint,
): Promise<string> {
  const id = makePrefixedId("pur", Date.now());
  await runInOrganization(
    platform,
    organizationId,
    async (transaction) => {
      await openPurchase(transaction, {
        id,
        organizationId,
        userId,
        idempotencyKey: id,
        bodyDigest: createHash("sha256").update(id).digest(),
        provider: "fake",
        amount,
        now: new Date(),
      });
      await storeCheckout(transaction, organizationId, id, { sessionId: `session_${id}`, url: "http://127.0.0.1" });
      await writeAudit(transaction, {
        organizationId,
        actor: { type: "user", id: userId },
        action: "purchase.created",
        target: { type: "purchase", id },
        after: { amount, provider: "fake" },
      });
    },
    userId,
  );
  const payment = { purchaseId: id, organizationId, sessionId: `session_${id}`, paymentId: `payment_${id}` };
  const paid = { ...payment, amountMinor: amount / NANO_PER_CENT, taxMinor: 0n, currency: "usd" };
  const event = { kind: "paid", id: `paid_${id}`, at: new Date(), ...paid } as const;
  await applyPaymentEvent(platform, event, { provider: "fake" });
  return id;
}

/** Refunds credit until the total of the purchase's refunds is this amount. */
async function refundCredit(platform: Database, purchaseId: string, total: bigint): Promise<void> {
  const refundId = `refund_${purchaseId}_${total}`;
  const paymentId = `payment_${purchaseId}`;
  const refund = { purchaseId, paymentId, refundedMinor: total / NANO_PER_CENT, currency: "usd", refundId };
  const event = { kind: "refunded", id: refundId, at: new Date(), ...refund } as const;
  await applyPaymentEvent(platform, event, { provider: "fake" });
}

/** Grants credit as an administrator, or deducts it if the amount is negative. */
async function giveCredit(
  platform: Database,
  { organizationId }: Pick<Tenant, "organizationId">,
  administratorId: number,
  { amount, expiresAt = null }: { readonly amount: bigint; readonly expiresAt?: Date | null },
): Promise<void> {
  const reason = "Good will";
  await runAsAdministrator(
    platform,
    async (transaction) => {
      const given = await grantCredit(transaction, {
        organizationId,
        administratorId,
        amount,
        reason,
        expiresAt,
        idempotencyKey: `${amount}`,
        dailyLimit: 1_000n * USD,
        now: new Date(),
      });
      if (given.kind !== "posted") throw new Error(`the credit was not posted: ${given.kind}`);
      await writeAudit(transaction, {
        organizationId,
        actor: { type: "admin", id: administratorId },
        action: amount > 0n ? "credits.granted" : "credits.adjusted",
        target: { type: "organization", id: organizationId },
        after: { amount, reason, transactionId: given.transactionId, expiresAt },
      });
    },
    administratorId,
  );
}

interface EventOptions extends Partial<Omit<UsageEvent, "budgets">> {
  /** Budget windows whose leases cover the same amount as the credit lease. */
  readonly budgets?: readonly BudgetWindow[];
  readonly tenant: Pick<Tenant, "organizationId" | "teamId" | "keyId">;
  readonly atMs: number;
  readonly outputTokens: number;
}

/** Builds a call with this usage, at the price above and with a hold of twice its cost. */
export function makeEvent({ tenant, atMs, outputTokens, ...changes }: EventOptions): UsageEvent {
  const id = makeUuidV7(atMs);
  const usage = {
    ...NO_USAGE,
    inputTokens: 1_000,
    cacheReadTokens: 37,
    cacheWriteTokens: 5,
    outputTokens,
    reasoningTokens: Math.floor(outputTokens / 3),
  };
  const cost = priceCall(usage, PRICE);
  const fromLease = changes.fromLease ?? cost;
  return {
    id,
    organizationId: tenant.organizationId,
    teamId: tenant.teamId,
    keyId: tenant.keyId,
    userId: null,
    requestId: id,
    endpoint: "chat.completions",
    modelGroup: "model",
    deploymentId: "simulated",
    provider: "simulated",
    isStream: false,
    status: "success",
    httpStatus: 200,
    errorCode: null,
    usage,
    priceVersionId: null,
    cost,
    lostAttempts: [],
    isBilled: true,
    hold: 2n * cost,
    nodeId: "node_00000000000000000000000000",
    epoch: 1,
    endedAtMs: atMs + 400,
    latencyMs: 400,
    firstTokenMs: 90,
    ...OMITTED_FIELDS,
    ...changes,
    fromLease,
    budgets: (changes.budgets ?? []).map((share) => ({ ...share, fromLease })),
  };
}

async function lease(
  gateway: Database,
  { nodeId, epoch, tenant, window }: { nodeId: string; epoch: number; tenant: Tenant; window: BudgetWindow },
): Promise<void> {
  const asked = { returned: 0n, slice: 0n, largestHold: USD, recallSeen: 0 };
  const [answer] = await leaseCredit(gateway, {
    nodeId,
    epoch,
    admission: STRICT_ADMISSION,
    requests: [
      {
        organizationId: tenant.organizationId,
        seq: 1,
        allowances: [
          { allowance: { kind: "credit" }, ...asked },
          { allowance: { kind: "budget", window, limit: 50n * USD }, ...asked },
        ],
        holds: [{ amount: USD, allowances: [0, 1] }],
        afterRecall: 0,
      },
    ],
  });
  if (answer?.allowances[0]?.granted !== USD) throw new Error("the lease for this history was not granted");
}
