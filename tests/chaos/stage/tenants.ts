import { randomUUID } from "node:crypto";
import type { Database } from "@tollgate/db/connect.ts";
import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { DEFAULT_TOKENS } from "../load/plan-calls.ts";
import { PRICES, REPORTED_INPUT_TOKENS } from "../models.ts";

/** An organization on the stage. */
export interface Tenant {
  readonly organizationId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly apiKey: string;
  /** A rich organization's calls are never refused for lack of credit. A poor organization is nearly out of credit. */
  readonly isPoor: boolean;
}

const ORGANIZATIONS = 50;
const POOR = 3;
const PLENTY = 100_000_000_000_000n;
/**
 * Limits that are never reached, even when they are split between two processes. They make the gateways count every
 * call, both in memory and in Redis.
 */
const HIGH_LIMITS = { rpm: 1_000_000, tpm: 1_000_000_000, maxParallel: 100_000 };
const CALLS_TO_EMPTY = 10n;

/** Cost of a default call. */
const DEFAULT_COST = priceCall(
  { ...NO_USAGE, inputTokens: REPORTED_INPUT_TOKENS, outputTokens: DEFAULT_TOKENS },
  PRICES.reporting,
);

/** Adds the organizations of the standard load. The poor organizations come last and have no credit yet. */
export async function addTenants(platform: Database, count = ORGANIZATIONS): Promise<readonly Tenant[]> {
  const add = async (index: number): Promise<Tenant> => {
    const isPoor = index >= count - POOR;
    const key = { limits: HIGH_LIMITS };
    return { ...(await addTenant(platform, isPoor ? { key } : { key, credit: PLENTY })), isPoor };
  };
  const tenants: Tenant[] = [];
  // Add two organizations at a time, because the pool has two connections.
  while (tenants.length < count) {
    const next = [tenants.length, tenants.length + 1].filter((index) => index < count);
    tenants.push(...(await Promise.all(next.map(add))));
  }
  return tenants;
}

/** Grants each poor organization enough credit for about ten more calls. */
export async function feedThePoor(platform: Database, tenants: readonly Tenant[]): Promise<void> {
  for (const { organizationId, isPoor } of tenants) {
    if (isPoor) await grant(platform, organizationId, DEFAULT_COST * CALLS_TO_EMPTY);
  }
}

/** Grants credit to an organization. */
export async function grant(platform: Database, organizationId: string, amount: bigint): Promise<void> {
  const idempotencyKey = `grant:${randomUUID()}`;
  await runAsAdministrator(platform, (transaction) =>
    postSystemCredit(transaction, { kind: "grant", organizationId, amount, idempotencyKey, reason: "Test credit" }),
  );
}
