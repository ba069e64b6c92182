import { cloneDatabase, querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect, onTestFinished } from "vitest";
import { expireGrants } from "../expire-grants.ts";
import { postEntry } from "../post-entry.ts";
import { settleUsage } from "../settle-usage.ts";
import { findBrokenInvariants } from "./find-broken-invariants.ts";

const DAY_MS = 86_400_000;

test("the remainders of lots follow from grants, usage, and expiries in the order of the chain", async () => {
  const database = await cloneDatabase();
  onTestFinished(() => database.drop());
  const { worker, tenant } = await addPayingTenant(database, 20n);
  const { organizationId } = tenant;
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS);
  let posted = 0;
  const grant = (amount: bigint, days: number) => {
    posted += 1;
    const idempotencyKey = `grant ${posted}`;
    return postEntry(worker, {
      organizationId,
      actor: "system",
      kind: "grant",
      amount,
      idempotencyKey,
      expiresAt: inDays(days),
    });
  };
  const spend = (...costs: bigint[]) =>
    settleUsage(
      worker,
      costs.map((cost) => makeUsageEvent(tenant, cost)),
    );
  const differences = async () => {
    const { checks } = await findBrokenInvariants(worker, { isAtRest: true });
    return checks.find(({ id }) => id === "R11")?.differences;
  };

  await spend(30n);
  // Pays off a debt of 10.
  await grant(50n, 9);
  await spend(3n, 4n);
  await grant(40n, 3);
  await spend(5n);
  await grant(30n, 6);
  await spend(50n, 6n);
  await spend(1n);
  expect(await differences()).toEqual([]);
  // Of the lots that expire on the third and sixth day, usage left a part of the second.
  expect(await expireGrants(worker, inDays(7))).toBe(1);
  await spend(2n);
  await grant(15n, 1);
  await spend(100n);
  await grant(200n, 2);
  await spend(1n);
  expect(await expireGrants(worker, inDays(1.5))).toBe(0);
  await grant(8n, 30);
  await grant(9n, 30);
  expect(await differences()).toEqual([]);
  const remaining = async () => {
    const rows = await querySql<{ remaining: string }>(
      database.connectionString,
      "select remaining from grant_lots order by expires_at, id",
    );
    return rows.map((row) => Number(row.remaining));
  };
  expect((await remaining()).filter((amount) => amount > 0)).toHaveLength(3);

  const tamper = async (statement: string) => {
    await querySql(database.connectionString, statement);
    return (await differences())?.length;
  };
  expect(await tamper("update grant_lots set remaining = remaining - 2 where remaining = 9")).toBe(1);
  // Lots from before the chains are only compared with their grants.
  await querySql(
    database.connectionString,
    `alter table ledger_chain disable trigger user;
     update ledger_chain c set created_at = created_at + interval '1 hour' from grant_lots l where l.id = c.transaction_id;
     alter table ledger_chain enable trigger user`,
  );
  expect(await differences()).toEqual([]);
  expect(await tamper("update grant_lots set expires_at = expires_at + interval '1 second' where remaining = 8")).toBe(
    1,
  );
});
