import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { managementOperations } from "@tollgate/platform/operations.ts";
import { startTestPlatform, type TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";
import { Random } from "../../random.ts";
import { sketchRequest } from "../sketch-request.ts";
import { type FurnishedTenant, furnish } from "./furnish.ts";

const CALLS_PER_OPERATION = 10;
const MARK = "spiked-value";

/** Columns that no request body may set, by table: columns for the owner, permissions, amounts, and identity. */
const PROTECTED: Readonly<Record<string, readonly string[]>> = {
  users: ["id", "role", "status", "email", "email_verified_at", "created_at"],
  organizations: ["id", "owner_id", "status", "is_personal", "created_at"],
  organization_members: ["organization_id", "user_id"],
  organization_quota: ["balance", "leased", "total_purchased", "total_granted", "total_used"],
  teams: ["id", "organization_id", "status", "blocked_reason", "created_at"],
  api_keys: ["id", "organization_id", "team_id", "user_id", "token_hash", "created_at"],
  purchases: ["id", "organization_id", "status", "provider"],
};

test("no request body sets a column that its operation does not accept", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const tenant = await furnish(platform, database, "QUINCE");
  const other = await furnish(platform, database, "MEDLAR");
  const columns = await listColumns(platform);
  const before = await readProtected(platform);
  const random = new Random(25);
  const callers = [tenant.owner, tenant.admin, tenant.member];
  for (const operation of managementOperations()) {
    if (operation.body === undefined || operation.auth !== "user") continue;
    if (["DELETE"].includes(operation.method) || MAY_END_THINGS.test(operation.id)) continue;
    for (let call = 0; call < CALLS_PER_OPERATION; call += 1) {
      const { method, path, body, headers } = sketchRequest(operation, tenant.ids, random);
      const spiked = { ...spikes(columns, tenant, other, random), ...body };
      const answer = await platform.api(method, path, { token: random.pick(callers).token, headers, body: spiked });
      expect(answer.status, `${operation.id} ${answer.text}`).toBeLessThan(500);
      expect(answer.text).not.toContain(MARK);
    }
  }
  const after = await readProtected(platform);
  // The request may add rows, but existing rows must be unchanged, and no row may contain an injected value.
  for (const [row, value] of before) expect(after.get(row), row).toBe(value);
  expect(await findMark(platform)).toEqual([]);
});

/** These operations change a status by design, or forward their body to a gateway, which this test does not run. */
const MAY_END_THINGS =
  /remove|revoke|rotate|close|logout|password|accept|decline|transfer|updateOrganizationMember|leave|simulate|totp|createMessage/i;

function spikes(columns: readonly string[], tenant: FurnishedTenant, other: FurnishedTenant, random: Random) {
  const values = [
    "admin",
    "owner",
    other.organizationId,
    other.teamId,
    9_007_199_254_740_991,
    true,
    null,
    MARK,
    tenant.organizationId,
  ];
  const names = columns.flatMap((column) => [
    column,
    column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ]);
  return Object.fromEntries(names.map((name) => [name, random.pick(values)]));
}

async function listColumns(platform: TestPlatform): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct column_name as name from information_schema.columns where table_schema = current_schema()`.execute(
    platform.services.db,
  );
  return rows.map(({ name }) => name);
}

async function readProtected(platform: TestPlatform): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  await runAsAdministrator(platform.services.db, async (transaction) => {
    for (const [table, names] of Object.entries(PROTECTED)) {
      const key = names.includes("id") ? "id" : names.slice(0, 2).join(" || ':' || ");
      const id = table === "organization_quota" ? "organization_id" : key;
      const { rows } = await sql<{ id: string; value: string }>`
        select (${sql.raw(id)})::text as id, concat_ws('|', ${sql.raw(names.join(", "))}) as value from ${sql.table(table)}`.execute(
        transaction,
      );
      for (const row of rows) found.set(`${table}:${row.id}`, row.value);
    }
  });
  return found;
}

/** Returns the tables that contain the mark. */
async function findMark(platform: TestPlatform): Promise<readonly string[]> {
  return runAsAdministrator(platform.services.db, async (transaction) => {
    const hits: string[] = [];
    for (const table of Object.keys(PROTECTED)) {
      const { rows } = await sql<{ hits: bigint }>`
        select count(*) as hits from ${sql.table(table)} t where to_jsonb(t)::text like ${`%${MARK}%`}`.execute(
        transaction,
      );
      if ((rows[0]?.hits ?? 0n) > 0n) hits.push(table);
    }
    return hits;
  });
}
