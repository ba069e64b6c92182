import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { buy, moveCredit, startShop, USD } from "./purchases.fixture.ts";

const DAY_MS = 86_400_000;
const AS_ADMINISTRATOR = "select set_config('tollgate.administrator', 'on', false);";

const dayOf = (at: Date, timezone: string) => new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(at);

/** Returns SQL that adds a cost to a quarter-hour rollup. */
const spent = (organizationId: string, at: Date, cost: bigint) => {
  const quarter = new Date(Math.floor(at.getTime() / 900_000) * 900_000).toISOString();
  return `insert into usage_rollups (organization_id, bucket_at, team_id, key_id, model_group, provider, requests, errors,
      input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency_ms_sum)
    values ('${organizationId}', '${quarter}', '', 'key', 'model', '', 1, 0, 0, 0, 0, 0, 0, ${cost}, 0);`;
};

test("returns the balance, the cost per day, and the projected date when credit runs out, based on the mean of the last seven days", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const other = await shop.addUser();
  await moveCredit(shop, owner, 28n * USD);
  const now = Date.now();
  const days = [1, 2, 3, 4, 5, 6, 7].map((ago) => spent(owner.organizationId, new Date(now - ago * DAY_MS), 2n * USD));
  await querySql(
    database.connectionString,
    `${AS_ADMINISTRATOR} update organizations set created_at = now() - interval '30 days' where id = '${owner.organizationId}';` +
      days.join("") +
      spent(owner.organizationId, new Date(now), 5n) +
      spent(owner.organizationId, new Date(now - 9 * DAY_MS), 99n * USD) +
      spent(other.organizationId, new Date(now - DAY_MS), 99n * USD),
  );
  const { purchase } = (await buy(shop, owner, 20n * USD)).body;
  const { burn } = (await shop.api("GET", "/api/credits/burn", { token: owner.token })).body;
  expect(burn).toMatchObject({
    timezone: "UTC",
    balance: 28_000_000_000,
    held: 0,
    available: 28_000_000_000,
    runway: "days",
    blockedSince: null,
    blockedTeams: 0,
    pendingPurchases: [{ id: purchase.id, amount: 20_000_000_000, status: "pending" }],
    usd: { available: "28.000000000" },
  });
  expect(burn.days).toHaveLength(7);
  expect(burn.days.at(-1)).toMatchObject({ day: dayOf(new Date(), "UTC"), cost: 5 });
  expect(Date.parse(burn.emptyAt) - Date.parse(burn.lowAt)).toBe(7 * DAY_MS);
  // Six whole days cost 12 USD, and the current day counts as far as it is over.
  const countedDays = 6 + (now % DAY_MS) / DAY_MS;
  expect(burn.perDay / (12_000_000_005 / countedDays)).toBeCloseTo(1, 2);
  expect(burn.daysLeft / ((28 / 12) * countedDays)).toBeCloseTo(1, 2);
  expect(Math.abs(Date.parse(burn.emptyAt) - now - burn.daysLeft * DAY_MS)).toBeLessThan(60_000);
});

test("days use the organization's time zone", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const timezone = "Pacific/Kiritimati";
  const at = new Date(Date.now() - 2 * DAY_MS);
  await querySql(
    database.connectionString,
    `${AS_ADMINISTRATOR} update organizations set timezone = '${timezone}' where id = '${owner.organizationId}';` +
      spent(owner.organizationId, at, 7n),
  );
  const { burn } = (await shop.api("GET", "/api/credits/burn", { token: owner.token })).body;
  expect(burn.timezone).toBe(timezone);
  expect(burn.days.at(-1).day).toBe(dayOf(new Date(), timezone));
  const days: readonly { readonly day: string; readonly cost: number }[] = burn.days;
  expect(days.filter(({ cost }) => cost > 0)).toMatchObject([{ day: dayOf(at, timezone), cost: 7 }]);
});

test("while the balance is negative, the response contains the time since which teams have been blocked", async ({
  database,
}) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  const read = async () => (await shop.api("GET", "/api/credits/burn", { token: owner.token })).body.burn;
  await moveCredit(shop, owner, -1n);
  expect(await read()).toMatchObject({
    balance: -1,
    blockedTeams: 1,
    blockedSince: expect.any(String),
    runway: "no_spend",
    daysLeft: null,
  });
  await moveCredit(shop, owner, 1n);
  expect(await read()).toMatchObject({ balance: 0, blockedTeams: 0, blockedSince: null });
  expect((await shop.api("GET", "/api/credits/burn")).status).toBe(401);
});

test("the audit log attributes the block to the system", async ({ database }) => {
  const shop = await startShop(database);
  const owner = await shop.addUser();
  await moveCredit(shop, owner, -1n);
  const { data } = (await shop.api("GET", "/api/gw/audit-log?action=team.blocked", { token: owner.token })).body;
  expect(data).toMatchObject([{ action: "team.blocked", actor: { type: "system", id: null, email: null } }]);
});
