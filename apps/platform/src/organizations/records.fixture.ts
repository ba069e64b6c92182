import { insertKey } from "@tollgate/db/keys/insert-key.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { TestPlatform } from "../platform.fixture.ts";

/** Adds a key to a team, with the given user as its creator, and returns the key's ID. */
export async function addKey(
  platform: TestPlatform,
  owner: { readonly organizationId: string; readonly teamId: string; readonly userId: number },
): Promise<string> {
  const secret = makeApiKey();
  const id = makePrefixedId("key", Date.now());
  const shown = { tokenHash: hashApiKey(secret), prefix: secret.slice(0, 8), lastFour: secret.slice(-4) };
  await runAsAdministrator(platform.services.db, (transaction) =>
    insertKey(transaction, { id, name: "ci", ...owner, ...shown }),
  );
  return id;
}

/** Lists an organization's keys that are not revoked. */
export async function listLiveKeys(platform: TestPlatform, organizationId: string): Promise<readonly string[]> {
  const rows = await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .selectFrom("api_keys")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("revoked_at", "is", null)
      .orderBy("id")
      .execute(),
  );
  return rows.map(({ id }) => id);
}

/** Lists an organization's audit actions, oldest first, except those of members that the test added. */
export async function listAuditActions(platform: TestPlatform, organizationId: string): Promise<readonly string[]> {
  const rows = await runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .selectFrom("audit_log")
      .select("action")
      .where("organization_id", "=", organizationId)
      .where((where) => where.or([where("action", "<>", "member.added"), where("request_id", "is not", null)]))
      .orderBy("seq")
      .execute(),
  );
  return rows.map(({ action }) => action);
}

/** Lists an organization's outbox events, oldest first. */
export async function listEvents(
  platform: TestPlatform,
  organizationId: string,
): Promise<readonly { readonly type: string; readonly data: unknown }[]> {
  return runAsAdministrator(platform.services.db, (transaction) =>
    transaction
      .selectFrom("outbox")
      .select(["type", "data"])
      .where("organization_id", "=", organizationId)
      .orderBy("id")
      .execute(),
  );
}
