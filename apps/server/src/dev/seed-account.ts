import { connect } from "@tollgate/db/connect.ts";
import { findKeyByHash, insertKey } from "@tollgate/db/keys.ts";
import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { insertOrganization } from "@tollgate/db/organizations.ts";
import { insertTeam } from "@tollgate/db/teams.ts";
import { actAsAdministrator } from "@tollgate/db/tenancy.ts";
import { hashApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NANO_PER_USD, type NanoUsd } from "@tollgate/domain/money.ts";

export const LOCAL_ORGANIZATION = "Local";
/** Five dollars, so that the first calls show a real balance going down. */
export const DEMO_CREDIT = 5n * NANO_PER_USD;

/** The account of a development instance. */
export interface LocalAccount {
  readonly isNew: boolean;
  readonly balance: NanoUsd;
}

/** Makes sure that the local organization, its team and its key exist. Tells what is left of its credit. */
export async function seedAccount(connectionString: string, apiKey: string): Promise<LocalAccount> {
  const db = connect({ connectionString, role: "tollgate_platform", poolSize: 1, applicationName: "tollgate dev" });
  try {
    return await actAsAdministrator(db, async (transaction) => {
      const tokenHash = hashApiKey(apiKey);
      const known = await findKeyByHash(transaction, tokenHash);
      if (known !== null) {
        const quota = await readQuota(transaction, known.organization.id);
        return { isNew: false, balance: quota?.balance ?? 0n };
      }
      const nowMs = Date.now();
      const organizationId = makePrefixedId("org", nowMs);
      const teamId = makePrefixedId("team", nowMs);
      await insertOrganization(transaction, { id: organizationId, name: LOCAL_ORGANIZATION });
      await insertTeam(transaction, { id: teamId, organizationId, name: "Default" });
      await insertKey(transaction, {
        id: makePrefixedId("key", nowMs),
        organizationId,
        teamId,
        name: "dev",
        tokenHash,
        prefix: apiKey.slice(0, 8),
        lastFour: apiKey.slice(-4),
      });
      await postEntry(transaction, {
        kind: "grant",
        organizationId,
        amount: DEMO_CREDIT,
        idempotencyKey: `grant:demo:${organizationId}`,
        description: "Demo credit",
        actor: "system",
      });
      return { isNew: true, balance: DEMO_CREDIT };
    });
  } finally {
    await db.destroy();
  }
}
