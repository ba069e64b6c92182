import { randomUUID } from "node:crypto";
import type { Database } from "@tollgate/db/connect.ts";
import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { DEFAULT_TOKENS } from "../load/plan-calls.ts";
import { PRICES, REPORTED_INPUT_TOKENS } from "../models.ts";

/** An organization of the stage. */
export interface Tenant {
  readonly organizationId: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly apiKey: string;
  /** A rich one is never refused for want of credit; a poor one is nearly out. */
  readonly isPoor: boolean;
}

const ORGANIZATIONS = 50;
const POOR = 3;
const PLENTY = 100_000_000_000_000n;
/** Never reached, not even by half of them in a process of its own; but every call is counted, in Redis too. */
const HIGH_LIMITS = { rpm: 1_000_000, tpm: 1_000_000_000, maxParallel: 100_000 };
const CALLS_TO_EMPTY = 10n;

/** What a usual call costs. */
const DEFAULT_COST = priceCall(
  { ...NO_USAGE, inputTokens: REPORTED_INPUT_TOKENS, outputTokens: DEFAULT_TOKENS },
  PRICES.told,
);

/** The organizations of the standard load. The poor ones come last and have nothing yet. */
export async function addTenants(platform: Database, count = ORGANIZATIONS): Promise<readonly Tenant[]> {
  const add = async (index: number): Promise<Tenant> => {
    const isPoor = index >= count - POOR;
    const key = { limits: HIGH_LIMITS };
    return { ...(await addTenant(platform, isPoor ? { key } : { key, credit: PLENTY })), isPoor };
  };
  const tenants: Tenant[] = [];
  // Two at a time, as many as the pool has connections.
  while (tenants.length < count) {
    const next = [tenants.length, tenants.length + 1].filter((index) => index < count);
    tenants.push(...(await Promise.all(next.map(add))));
  }
  return tenants;
}

/** Gives each poor organization enough for about ten more calls. */
export async function feedThePoor(platform: Database, tenants: readonly Tenant[]): Promise<void> {
  for (const { organizationId, isPoor } of tenants) {
    if (isPoor) await grant(platform, organizationId, DEFAULT_COST * CALLS_TO_EMPTY);
  }
}

/** Gives an organization credit. */
export async function grant(platform: Database, organizationId: string, amount: bigint): Promise<void> {
  const idempotencyKey = `grant:${randomUUID()}`;
  await runAsAdministrator(platform, (transaction) =>
    postEntry(transaction, { kind: "grant", organizationId, amount, idempotencyKey, actor: "system" }),
  );
}
