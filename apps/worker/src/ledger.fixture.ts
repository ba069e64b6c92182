import { randomBytes } from "node:crypto";
import { connect, type Database } from "@tollgate/db/connect.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { OMITTED_FIELDS } from "@tollgate/domain/credit/usage-event.ts";
import { makePrefixedId, makeUuidV7 } from "@tollgate/domain/ids.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
import { encodeIdentity, encodeTarget } from "@tollgate/journal/record-blocks.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";

const MODEL = "openai/gpt-test";
const PRICE = tokenPrice(150_000n, 600_000n);
const USAGE: Usage = { ...NO_USAGE, inputTokens: 12, outputTokens: 3 };

/** Cost of each call in these tests. */
export const COST = priceCall(USAGE, PRICE);

/** A ledger with funded organizations and with calls that are not settled yet. */
export interface CostBySource {
  readonly nodeId: string;
  makeCall(): JournaledCall;
  closing(): ClosingFacts;
  /** Returns how often each call ID occurs in the ledger. IDs that don't occur are omitted. */
  count(): Promise<ReadonlyMap<string, number>>;
  /** Returns the total that all organizations have paid. */
  totalUsed(): Promise<bigint>;
  parked(): Promise<{ id: string; reason: string }[]>;
}

/** Opens a ledger with this many organizations. */
export async function openBooks(database: TestDatabase, organizations = 1): Promise<CostBySource> {
  const platform = database.connect("tollgate_platform");
  await ensurePriceVersions(platform, [{ id: priceVersionId(MODEL, PRICE), model: MODEL, price: PRICE }]);
  const identities: Buffer[] = [];
  for (let index = 0; index < organizations; index += 1) {
    const { organizationId, teamId, keyId } = await addTenant(platform, { credit: 1_000_000_000_000n });
    identities.push(encodeIdentity({ organizationId, teamId, keyId, userId: null }));
  }
  const target = encodeTarget({
    endpoint: "/v1/chat/completions",
    modelGroup: "gpt-test",
    deploymentId: "openai-1",
    provider: "openai",
    priceVersionId: priceVersionId(MODEL, PRICE),
  });
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  let calls = 0;
  return {
    nodeId: makePrefixedId("node", Date.now()),
    makeCall: () => {
      const id = makeUuidV7(Date.now(), randomBytes(10));
      const identity = identities[calls++ % identities.length] as Buffer;
      return {
        id,
        identity,
        target,
        requestId: id,
        isStream: false,
        hold: COST,
        isBilled: true,
        epoch: 1,
        budgets: [],
        lostAttempts: [],
      };
    },
    closing: () => ({
      status: "success",
      httpStatus: 200,
      errorCode: null,
      usage: USAGE,
      cost: COST,
      fromLease: COST,
      budgetShares: [],
      endedAtMs: Date.now(),
      latencyMs: 5,
      firstTokenMs: null,
      ...OMITTED_FIELDS,
    }),
    count: async () => {
      const rows = await ask<{ id: string; count: string }>("select id, count(*) from usage_events group by id");
      return new Map(rows.map(({ id, count }) => [id, Number(count)]));
    },
    totalUsed: async () => {
      const rows = await ask<{ sum: string | null }>("select sum(total_used) from organization_quota");
      return BigInt(rows[0]?.sum ?? 0);
    },
    parked: () => ask("select id, reason from parked_events order by parked_at"),
  };
}

/** Opens a small pool with the worker's role. */
export function connectWorker(database: TestDatabase): Database {
  return connect({
    connectionString: database.connectionString,
    role: "tollgate_worker",
    poolSize: 2,
    applicationName: "tests",
  });
}
