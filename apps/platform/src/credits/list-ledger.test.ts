import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startShop } from "./purchases.fixture.ts";

const AS_ADMINISTRATOR = "select set_config('tollgate.administrator', 'on', false);";

interface Line {
  readonly id: string;
  readonly kind: string;
  readonly entries: number;
  readonly amount: number;
  readonly balanceAfter: number;
}

/** Writes ledger entries, oldest first, each with its posting and the resulting balance. */
async function keepBooks(
  connectionString: string,
  organizationId: string,
  entries: readonly [string, string, number][],
) {
  const account = `org:${organizationId}:credits`;
  let balance = 0;
  const statements = entries.map(([kind, at, amount], index) => {
    balance += amount;
    const id = `txn_${organizationId.slice(4, 26)}${String(index).padStart(4, "0")}`;
    const [source, destination] = amount < 0 ? [account, "sys:revenue"] : ["ext:promo", account];
    return `insert into ledger_transactions (id, kind, organization_id, idempotency_key, actor, balance_after, created_at)
        values ('${id}', '${kind}', '${organizationId}', '${id}', 'system', ${balance}, '${at}');
      insert into ledger_postings (transaction_id, seq, source, destination, amount)
        values ('${id}', 1, '${source}', '${destination}', ${Math.abs(amount)});`;
  });
  await querySql(connectionString, AS_ADMINISTRATOR + statements.join(""));
}

const entries: readonly [string, string, number][] = [
  ["grant", "2026-11-10T00:00:00Z", 30],
  ["usage", "2026-11-11T11:00:00Z", -8],
  ["grant", "2026-11-11T12:00:00Z", 50],
  ["usage", "2026-11-11T22:00:00Z", -3],
  ["usage", "2026-11-11T23:30:00Z", -4],
  ["usage", "2026-11-12T01:00:00Z", -5],
];

test("one day's usage is one line, split at any other entry that changes the balance, and all balances add up", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const other = await shop.addUser();
  await keepBooks(database.connectionString, owner.organizationId, entries);
  await keepBooks(database.connectionString, other.organizationId, [["grant", "2026-11-11T00:00:00Z", 99]]);
  const ask = async (query = "", token = owner.token) =>
    (await shop.api("GET", `/api/credits/ledger${query}`, { token })).body as { lines: Line[]; next: string | null };
  const { lines, next } = await ask();
  expect(lines.map(({ kind, entries: count, amount }) => [kind, count, amount])).toEqual([
    ["usage", 1, -5],
    ["usage", 2, -7],
    ["grant", 1, 50],
    ["usage", 1, -8],
    ["grant", 1, 30],
  ]);
  expect(next).toBeNull();
  expect(lines[1]).toMatchObject({
    firstAt: "2026-11-11T22:00:00.000Z",
    lastAt: "2026-11-11T23:30:00.000Z",
    usd: { amount: "-0.000000007", balanceAfter: "0.000000065" },
  });
  for (const [index, line] of lines.entries()) {
    expect(line.balanceAfter).toBe((lines[index + 1]?.balanceAfter ?? 0) + line.amount);
  }
  expect((await ask("?kind=grant")).lines.map(({ amount }) => amount)).toEqual([50, 30]);
  expect((await ask("", other.token)).lines).toHaveLength(1);
});

test("the next page continues after the last line, and days use the organization's time zone", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  await keepBooks(database.connectionString, owner.organizationId, entries);
  const settings = { timezone: "Europe/Berlin" };
  await shop.api("PUT", "/api/gw/organizations", {
    token: owner.token,
    body: { organizationId: owner.organizationId, settings },
  });
  const found: Line[] = [];
  let before: string | null = null;
  do {
    const path: string = `/api/credits/ledger?limit=2${before === null ? "" : `&before=${before}`}`;
    const { body } = await shop.api("GET", path, { token: owner.token });
    found.push(...body.lines);
    before = body.next;
  } while (before !== null);
  // In Berlin, the 12th starts at 23:00 UTC.
  expect(found.map(({ kind, amount }) => [kind, amount])).toEqual([
    ["usage", -9],
    ["usage", -3],
    ["grant", 50],
    ["usage", -8],
    ["grant", 30],
  ]);
  const stranger = await shop.addUser();
  const foreign = await shop.api("GET", `/api/credits/ledger?before=${found[0]?.id}`, { token: stranger.token });
  expect(foreign.body).toEqual({ lines: [], next: null });
});
