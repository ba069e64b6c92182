import type { Database } from "@tollgate/db/connect.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { type LostAttempt, OMITTED_FIELDS, type UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { type PriceVersion, priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { querySql, type TestDatabase } from "./database.ts";
import { addTenant, type Tenant } from "./tenants.ts";

const model = "openai/fast";
const price = tokenPrice(1_000n, 1_000n);

/** Node ID in generated events, which belong to the node's first epoch. */
export const TEST_NODE = "node_00000000000000000000000000";

/** One nano-USD per token, so that an event's cost equals its token count. */
export const TEST_PRICE: PriceVersion = { id: priceVersionId(model, price), model, price };

/** Records the price version that `makeUsageEvent` uses. */
export function addTestPrice(db: Database): Promise<void> {
  return ensurePriceVersions(db, [TEST_PRICE]);
}

/** Adds a tenant with credit and a price version, and returns a pool that can settle its calls. */
export async function addPayingTenant(
  database: TestDatabase,
  credit: bigint,
): Promise<{ readonly worker: Database; readonly tenant: Tenant }> {
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  return { worker, tenant: await addTenant(database.connect("tollgate_platform"), { credit }) };
}

/** Leases the tenant's credit to `TEST_NODE`, as a lease request would. */
export async function lendCredit(
  database: TestDatabase,
  { organizationId }: Tenant,
  amount: bigint,
  state: "active" | "closing" | "reclaimed" = "active",
): Promise<void> {
  await querySql(
    database.connectionString,
    `insert into credit_leases (organization_id, node_id, epoch, granted, state)
     values ('${organizationId}', '${TEST_NODE}', 1, ${amount}, '${state}');
     update organization_quota set leased = ${amount} where organization_id = '${organizationId}'`,
  );
}

/** Builds an event for a tenant's billed call that has this cost. By default, the event has no lease. */
export function makeUsageEvent(tenant: Tenant, cost: bigint, changes: Partial<UsageEvent> = {}): UsageEvent {
  const id = changes.id ?? makeUuidV7(Date.now());
  return {
    id,
    organizationId: tenant.organizationId,
    teamId: tenant.teamId,
    keyId: tenant.keyId,
    userId: null,
    requestId: id,
    endpoint: "chat.completions",
    modelGroup: "fast",
    deploymentId: "fast-1",
    provider: "openai",
    isStream: false,
    status: "success",
    httpStatus: 200,
    errorCode: null,
    usage: { ...NO_USAGE, inputTokens: Number(cost) },
    priceVersionId: TEST_PRICE.id,
    cost,
    lostAttempts: [],
    isBilled: true,
    hold: cost,
    fromLease: 0n,
    budgets: [],
    nodeId: TEST_NODE,
    epoch: 1,
    endedAtMs: Date.now(),
    latencyMs: 120,
    firstTokenMs: 40,
    ...OMITTED_FIELDS,
    ...changes,
  };
}

/** Builds an attempt with this cost that the operator pays for. */
export function makeLostAttempt(cost: bigint, changes: Partial<LostAttempt> = {}): LostAttempt {
  return {
    reason: "retry",
    deploymentId: "fast-2",
    provider: "openai",
    priceVersionId: TEST_PRICE.id,
    usage: { ...NO_USAGE, inputTokens: Number(cost) },
    cost,
    ...changes,
  };
}
