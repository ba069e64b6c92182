import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { findKeyById } from "@tollgate/db/keys/find-key-by-hash.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";
import { addKey, listAuditActions, listLiveKeys } from "./records.fixture.ts";

const test = base.extend("platform", { scope: "file" }, async ({ database }, { onCleanup }) => {
  const platform = await startTestPlatform(database);
  onCleanup(() => platform.close());
  return platform;
});

const exportOf = (platform: TestPlatform, who: TestUser, id = who.organizationId) =>
  platform.api("GET", `/api/gw/organizations/${id}/export`, { token: who.token });
const close = (platform: TestPlatform, who: TestUser, confirm: string, id = who.organizationId) =>
  platform.api("POST", `/api/gw/organizations/${id}/close`, { token: who.token, body: { confirm } });

async function grant(platform: TestPlatform, organizationId: string, amount: bigint): Promise<void> {
  await runAsAdministrator(platform.services.db, (transaction) =>
    postSystemCredit(transaction, {
      kind: "grant",
      organizationId,
      amount,
      idempotencyKey: `grant:${organizationId}:${amount}`,
      reason: "Welcome",
    }),
  );
}

test("an export contains every record of the organization with exact amounts, and no secrets or other organizations' IDs", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const bob = await platform.addUser();
  const member = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "member" });
  for (const who of [ada, bob]) {
    await grant(platform, who.organizationId, 9_007_199_254_740_993n);
    await platform.api("PUT", `/api/gw/teams/${who.teamId}`, { token: who.token, body: { budget: { limit: 7 } } });
  }
  const keys = [await addKey(platform, ada), await addKey(platform, member)];
  await addKey(platform, bob);
  for (const [organizationId, teamId] of [
    [ada.organizationId, ada.teamId],
    [bob.organizationId, bob.teamId],
  ]) {
    await querySql(
      database.connectionString,
      `insert into usage_rollups select '${organizationId}', at, '${teamId}', 'key_x', 'fast', '', 2, 1, 10, 0, 0, 5, 0, 300, 1
       from unnest(array['2026-01-31 23:45Z', '2026-01-31 22:00Z', '2026-02-01 00:00Z', '2026-09-09 09:00Z']::timestamptz[]) at;
       insert into refused_rollups select '${organizationId}', at, '${teamId}', 'key_x', 'fast', 3
       from unnest(array['2026-02-01 00:00Z', '2026-04-01 00:00Z']::timestamptz[]) at`,
    );
  }
  const answer = await exportOf(platform, ada);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-disposition")).toContain(`${ada.organizationId}.json`);
  expect(answer.body).toMatchObject({
    organization: { id: ada.organizationId, role: "owner" },
    members: [{ userId: ada.userId }, { userId: member.userId, role: "member" }],
    teams: [{ id: ada.teamId, name: "Default" }],
    teamMembers: [{ userId: ada.userId }, { userId: member.userId }],
    keys: keys.toSorted().map((id) => ({ id, token: expect.stringMatching(/^sk-.{5}….{4}$/) })),
    budgets: [{ scope: "team", scopeId: ada.teamId, limit: 7, usd: { limit: "0.000000007" } }],
    purchases: [],
    transactions: [{ kind: "grant", description: "Welcome", usd: { amount: "9007199.254740993" } }],
    usage: [
      {
        day: "2026-01-31",
        teamId: ada.teamId,
        model: "fast",
        requests: 4,
        succeeded: 2,
        failed: 2,
        inputTokens: 20,
        cost: 600,
      },
      { day: "2026-02-01", requests: 5, succeeded: 1, failed: 1, refused: 3, cost: 300 },
      { day: "2026-04-01", requests: 3, succeeded: 0, refused: 3, cost: 0 },
      { day: "2026-09-09", requests: 2, cost: 300 },
    ],
  });
  expect(answer.text).toContain('"amount":9007199254740993');
  for (const foreign of [bob.organizationId, bob.teamId, bob.email]) expect(answer.text).not.toContain(foreign);
  expect(answer.text).not.toMatch(/hash|digest/i);
  expect(await listAuditActions(platform, ada.organizationId)).toContain("org.exported");
});

test("an export longer than one page contains every row once", async ({ platform, database }) => {
  const ada = await platform.addUser();
  await querySql(
    database.connectionString,
    `select set_config('tollgate.administrator', 'on', false);
     insert into teams (id, organization_id, name)
     select 'team_' || lpad(n::text, 26, '0'), '${ada.organizationId}', 'Team ' || n from generate_series(1, 2005) n`,
  );
  const { body } = await exportOf(platform, ada);
  expect(new Set(body.teams.map(({ id }: { id: string }) => id)).size).toBe(2006);
  expect(body.teams).toHaveLength(2006);
});

test("only an owner with a recent password entry can export or close an organization, and users of other organizations get 404", async ({
  platform,
}) => {
  const ada = await platform.addUser();
  const admin = await platform.addMember(ada.organizationId, "admin");
  const stranger = await platform.addUser();
  expect((await exportOf(platform, admin)).status).toBe(403);
  expect((await close(platform, admin, "Test organization")).status).toBe(403);
  expect((await exportOf(platform, stranger, ada.organizationId)).status).toBe(404);
  expect((await close(platform, stranger, "Test organization", ada.organizationId)).status).toBe(404);
  platform.advance(11 * 60_000);
  onTestFinished(() => platform.advance(-11 * 60_000));
  const stale = { status: 403, body: { details: { reason: "REAUTHENTICATION_REQUIRED" } } };
  expect(await exportOf(platform, ada)).toMatchObject(stale);
  expect(await close(platform, ada, "Test organization")).toMatchObject(stale);
});

test("closing an organization revokes keys and invitations, hides the organization from its members, and keeps the ledger", async ({
  platform,
  database,
}) => {
  const ada = await platform.addUser();
  const member = await platform.addMember(ada.organizationId, "member", { [ada.teamId]: "member" });
  const invited = await platform.addUser();
  await grant(platform, ada.organizationId, 500n);
  const keyId = await addKey(platform, ada);
  await addKey(platform, member);
  const invitation = await platform.api("POST", "/api/gw/teams/invite-member", {
    token: ada.token,
    body: { teamId: ada.teamId, email: invited.email, role: "member" },
  });
  const second = await platform.api("POST", "/api/gw/organizations", { token: ada.token, body: { name: "Second" } });
  expect((await close(platform, ada, "test organization")).status).toBe(400);
  expect(await close(platform, ada, "Test organization")).toMatchObject({
    status: 200,
    body: { closed: true, revokedKeys: 2 },
  });
  expect((await close(platform, ada, "Test organization")).status).toBe(404);
  expect(await listLiveKeys(platform, ada.organizationId)).toEqual([]);
  expect(await findKeyById(database.connect("tollgate_gateway"), keyId)).toMatchObject({
    organization: { status: "closed" },
  });
  const accept = { token: invited.token, body: { invitationId: invitation.body.invitation.id } };
  expect((await platform.api("POST", "/api/invitations/accept", accept)).status).toBe(404);
  // The owner is switched to another organization that they own, but the member has no other organization.
  const list = await platform.api("GET", "/api/gw/organizations/list", { token: ada.token });
  expect(list.body.data).toMatchObject([{ id: second.body.organization.id, active: true }]);
  expect((await platform.api("GET", "/api/gw/teams", { token: member.token })).status).toBe(403);
  expect((await platform.api("GET", `/api/gw/teams/${ada.teamId}`, { token: ada.token })).status).toBe(404);
  const [quota] = await querySql<{ balance: string }>(
    database.connectionString,
    `select balance from organization_quota where organization_id = '${ada.organizationId}'`,
  );
  expect(quota?.balance).toBe("500");
  expect(
    await findBrokenInvariants(database.connect("tollgate_worker"), { organizationId: ada.organizationId }),
  ).toMatchObject({ ok: true });
  expect((await listAuditActions(platform, ada.organizationId)).at(-1)).toBe("org.closed");
});
