import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, lendCredit, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { findMissingEvents } from "./find-missing-events.ts";
import { readQuota } from "./read-quota.ts";
import { redriveEvent, settleUsage } from "./settle-usage.ts";

test.for([
  ["an unknown organization", { organizationId: "org_0000000000000000000000000X" }, "unknown organization"],
  ["an unknown price version", { priceVersionId: "price_00000000000000000000000000000000" }, "unknown price version"],
  ["a cost without a price", { priceVersionId: null }, "unknown price version"],
  ["a cost that its price does not give", { cost: 101n }, "cost is not what its price version gives"],
  ["a negative cost", { cost: -100n }, "a number is out of bounds"],
  ["a cost of a billion dollars", { cost: 10n ** 18n }, "a number is out of bounds"],
  ["an id without a time", { id: "6f9619ff-8b86-4011-b42d-00cf4fc964ff" }, "id is not a version 7 UUID"],
  ["a day that is no longer kept", { id: makeUuidV7(Date.UTC(2020, 1, 1)) }, "its day is closed"],
  ["a status that does not exist", { status: "odd" as "success" }, "usage_events_status_check"],
  ["a number that is none", { cost: "many" as unknown as bigint }, "invalid input syntax"],
  ["no key", { keyId: null as unknown as string }, "null value in column"],
  ["a group too long for an index", { modelGroup: noise(20_000) }, "index row"],
] as const)(
  "parks an event with %s, returns its share, and settles the others",
  async ([, changes, reason], { database }) => {
    const { worker, tenant } = await addPayingTenant(database, 1_000n);
    await lendCredit(database, tenant, 500n);
    const bad = makeUsageEvent(tenant, 100n, { fromLease: 100n, ...changes });
    const good = [makeUsageEvent(tenant, 30n, { fromLease: 30n }), makeUsageEvent(tenant, 20n)];
    const batch = [good[0], bad, good[1]] as const;
    const answer = await settleUsage(worker, batch as never);
    expect(batch.map((event) => answer.get(event?.id as string))).toEqual(["settled", "parked", "settled"]);
    expect((await settleUsage(worker, [bad])).get(bad.id)).toBe("known");
    expect(await findMissingEvents(worker, bad.id)).toEqual([]);

    const { rows } = await sql<{ reason: string }>`select reason from parked_events where id = ${bad.id}`.execute(
      worker,
    );
    expect(rows[0]?.reason).toContain(reason);
    const isTenants = bad.organizationId === tenant.organizationId;
    expect(await readQuota(worker, tenant.organizationId)).toMatchObject({
      balance: 950n,
      leased: isTenants ? 370n : 470n,
    });
    const lease = sql`select outstanding from credit_leases where organization_id = ${tenant.organizationId}`;
    expect((await lease.execute(worker)).rows).toEqual([{ outstanding: isTenants ? 370n : 470n }]);
  },
);

test("settles all events except the one invalid event in every hundred", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  const events = Array.from({ length: 500 }, (_, index) =>
    makeUsageEvent(tenant, 10n, index % 100 === 50 ? { latencyMs: 1.5 } : {}),
  );
  const answer = await settleUsage(worker, events);
  expect(events.filter((event) => answer.get(event.id) === "parked").map((event) => event.latencyMs)).toEqual(
    Array(5).fill(1.5),
  );
  expect(events.filter((event) => answer.get(event.id) === "settled")).toHaveLength(495);
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ totalUsed: 4_950n });
});

test("settles a parked event after the cause is fixed, without taking its share from a lease again", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000n);
  await lendCredit(database, tenant, 100n);
  const event = makeUsageEvent(tenant, 100n, { cost: 99n, fromLease: 60n });
  await settleUsage(worker, [event]);
  expect(await redriveEvent(worker, event.id)).toBe("parked");
  await querySql(
    database.connectionString,
    `update parked_events set event = event || '{"cost": "100"}' where id = '${event.id}'`,
  );
  expect(await redriveEvent(worker, event.id)).toBe("settled");
  expect(await redriveEvent(worker, event.id)).toBeNull();
  expect(await readQuota(worker, tenant.organizationId)).toMatchObject({ balance: 900n, leased: 40n });
});

/** Returns text that doesn't compress. */
function noise(length: number): string {
  return Array.from({ length: length / 36 }, () => crypto.randomUUID()).join("");
}
