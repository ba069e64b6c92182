import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@tollgate/db/connect.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { createPasswordHasher } from "@tollgate/platform/adapters/argon2-hasher.ts";
import { chooseBilling } from "@tollgate/platform/adapters/choose-billing.ts";
import { loadServeSettings } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { devSettings } from "../dev/dev-settings.ts";
import { readLocalCredentials } from "../dev/local-credentials.ts";
import { seedAccount } from "../dev/seed-account.ts";
import { knownProviders } from "../known-providers.ts";
import { readDemoFolder } from "./demo-folder.ts";
import { writeDemo } from "./write-demo.ts";

const DAY_MS = 86_400_000;
const REQUESTS = 700;
const nowMs = Date.now();

const test = base.extend("history", { scope: "file" }, async ({ database }) => {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-demo-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { connectionString } = database;
  const credentials = readLocalCredentials(dataDir);
  const { masterKey } = credentials;
  const settings = loadServeSettings(
    [devSettings([], { masterKey, demoUrl: "http://127.0.0.1:9/v1" })],
    {},
    knownProviders,
  );
  const passwords = createPasswordHasher();
  await writeDemo({
    connectionString,
    dataDir,
    nowMs,
    requests: REQUESTS,
    settings,
    billing: await chooseBilling(settings.platform),
    passwords,
    seedAccount: () => seedAccount(connectionString, credentials, passwords),
  });
  expect(readDemoFolder(dataDir)).toBe("demo");
  expect(existsSync(join(dataDir, "journal-demo"))).toBe(false);
  return { connectionString, query: <Row>(text: string) => querySql<Row>(connectionString, text) };
});

test("the demo's month passes the verification of the ledger", async ({ history: { connectionString } }) => {
  const worker = connect({ connectionString, role: "tollgate_worker", poolSize: 1, applicationName: "tests" });
  const report = await findBrokenInvariants(worker).finally(() => worker.destroy());
  expect(report.checks.flatMap(({ differences }) => differences)).toEqual([]);
  expect(report.totals).toMatchObject({ organizations: 1n, teams: 7n, purchases: 3n });
});

test("every request of the demo is a row, and each of its days has a partition", async ({ history: { query } }) => {
  const [counted] = await query<{ requests: number; others: number }>(
    `select (select count(*) from usage_events) + (select count(*) from refused_calls) as requests,
       (select count(*) from usage_events_other) as others`,
  );
  expect(counted).toEqual({ requests: String(REQUESTS), others: "0" });
  const days = await query<{ day: string }>("select distinct day from usage_events");
  expect(days.length).toBeGreaterThan(25);
});

test("agents of the demo name sessions, whose requests follow each other", async ({ history: { query } }) => {
  const sessions = await query<{ calls: number; minutes: number; keys: number }>(
    `select count(*)::int as calls, count(distinct key_id)::int as keys,
       extract(epoch from max(ended_at) - min(ended_at))::float8 / 60 as minutes
       from usage_events where session is not null group by session`,
  );
  expect(sessions.length).toBeGreaterThan(5);
  expect(sessions.every(({ calls, keys }) => calls <= 14 && keys === 1)).toBe(true);
  expect(Math.max(...sessions.map(({ calls }) => calls))).toBeGreaterThanOrEqual(3);
  expect(Math.max(...sessions.map(({ minutes }) => minutes))).toBeLessThan(30);
});

test("ledger entries, audit entries, and accounts have the times of the history, in order", async ({
  history: { query },
}) => {
  const entries = await query<{ at: Date; kind: string }>(
    "select created_at as at, kind from ledger_transactions order by created_at, id",
  );
  expect(entries[0]?.at.getTime()).toBeLessThan(nowMs - 29 * DAY_MS);
  expect(entries.at(-1)?.kind).toBe("usage");
  const balances = await query<{ wrong: string }>(
    `select count(*) as wrong from (
       select balance_after, lag(balance_after) over entry + amount as expected from (
         select created_at, id, balance_after, sum(case when destination like 'org:%' then amount else -amount end) as amount
           from ledger_transactions join ledger_postings on transaction_id = id group by id
       ) as entries window entry as (order by created_at, id)
     ) as chained where balance_after <> expected`,
  );
  expect(balances).toEqual([{ wrong: "0" }]);
  const audited = await query<{ at: Date }>("select at from audit_log where organization_id is not null order by seq");
  const times = audited.map(({ at }) => at.getTime());
  expect(times).toEqual(times.toSorted((left, right) => left - right));
  expect(times.at(-1)).toBeLessThan(nowMs - 3 * DAY_MS);
  const [oldest] = await query<{ age: number }>(
    "select extract(days from now() - min(created_at))::integer as age from organizations",
  );
  expect(oldest?.age).toBe(30);
});
