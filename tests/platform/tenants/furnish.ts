import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { hashApiKey } from "@tollgate/domain/api-keys.ts";
import type { TestUser } from "@tollgate/platform/people.fixture.ts";
import type { TestPlatform } from "@tollgate/platform/platform.fixture.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { addTestPrice, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { sql } from "kysely";

/** An organization with at least one record of every kind. All records contain the organization's mark. */
export interface FurnishedTenant {
  readonly owner: TestUser;
  readonly admin: TestUser;
  readonly member: TestUser;
  readonly organizationId: string;
  readonly teamId: string;
  /** IDs and strings that no other tenant may see. */
  readonly secrets: readonly string[];
  /** IDs that another tenant's requests try to use. */
  readonly ids: readonly string[];
  /** ID of one object of each kind. */
  readonly objects: TenantObjects;
}

export interface TenantObjects {
  readonly organization: string;
  readonly team: string;
  readonly key: string;
  readonly invitation: string;
  readonly purchase: string;
  readonly webhook: string;
  readonly member: string;
  readonly session: string;
  readonly call: string;
}

/** Creates a tenant whose names all contain the mark. */
export async function furnish(platform: TestPlatform, database: TestDatabase, mark: string): Promise<FurnishedTenant> {
  const owner = await platform.addUser({ name: `${mark} owner`, email: `owner@${mark.toLowerCase()}.example` });
  const { organizationId, teamId } = owner;
  const admin = await platform.addMember(organizationId, "admin");
  const member = await platform.addMember(organizationId, "member", { [teamId]: "member" });
  const as = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await platform.api(method, path, { token: owner.token, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  };
  await as("PUT", "/api/gw/organizations", {
    name: `${mark} organization`,
    billingEmail: `bills@${mark.toLowerCase()}.example`,
  });
  await as("PUT", `/api/gw/teams/${teamId}`, {
    name: `${mark} team`,
    budget: { limit: 1_000_000_000_000, period: "monthly" },
  });
  const { apiKey } = await as("POST", "/api/gw/api-keys", { name: `${mark} key`, team_id: teamId });
  const { invitation } = await as("POST", "/api/gw/teams/invite-member", {
    teamId,
    teamName: "x",
    email: `guest@${mark.toLowerCase()}.example`,
    role: "member",
  });
  const { purchase } = await as(
    "POST",
    "/api/credits/purchases",
    { amount: 5_000_000_000 },
    { "idempotency-key": mark },
  );
  const { webhook } = await as("POST", "/api/webhooks", { url: "https://93.184.215.14/hook", events: ["balance.low"] });
  await runAsAdministrator(platform.services.db, (transaction) =>
    postEntry(transaction, {
      kind: "grant",
      organizationId,
      amount: 10_000_000_000n,
      idempotencyKey: `grant:${mark}`,
      description: `${mark} grant`,
      actor: "test",
    }),
  );
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  const caller = {
    organizationId,
    teamId,
    keyId: apiKey.id,
    apiKey: apiKey.token,
    tokenHash: hashApiKey(apiKey.token),
  };
  const event = makeUsageEvent(caller, 1_000n, { requestId: `${mark}-request`, session: `${mark}-session` });
  await settleUsage(worker, [event]);
  const { rows } = await runAsAdministrator(platform.services.db, (transaction) =>
    sql<{ id: string }>`
      select id from ledger_transactions where organization_id = ${organizationId}
      union all select id from audit_log where organization_id = ${organizationId}`.execute(transaction),
  );
  const ids = [
    organizationId,
    teamId,
    apiKey.id,
    invitation.id,
    purchase.id,
    webhook.id,
    ...[owner, admin, member].map(({ sessionId }) => sessionId),
    ...rows.map(({ id }) => id),
  ];
  const objects: TenantObjects = {
    organization: organizationId,
    team: teamId,
    key: apiKey.id,
    invitation: invitation.id,
    purchase: purchase.id,
    webhook: webhook.id,
    member: String(member.userId),
    session: member.sessionId,
    call: event.id,
  };
  return {
    objects,
    owner,
    admin,
    member,
    organizationId,
    teamId,
    ids: [...ids, String(owner.userId), String(member.userId), apiKey.token, event.id],
    secrets: [...ids, mark, mark.toLowerCase(), apiKey.token, admin.email, member.email, event.id],
  };
}
