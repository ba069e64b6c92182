import { connect, type Database } from "../../../packages/db/src/connect.ts";
import { postSystemCredit } from "../../../packages/db/src/credits/post-system-credit.ts";
import { insertKey } from "../../../packages/db/src/keys/insert-key.ts";
import { runAsAdministrator } from "../../../packages/db/src/tenancy.ts";
import { hashApiKey, makeApiKey } from "../../../packages/domain/src/api-keys.ts";
import { makePrefixedId } from "../../../packages/domain/src/ids.ts";
import { insertOrganization } from "../../../packages/testkit/src/insert-organization.ts";

const CREDIT = 1_000_000_000_000_000n;
/** Limits that are never reached. They make the gateways count every call, both in memory and in Redis. */
const LIMITS = { rpm: 1_000_000, tpm: 1_000_000_000, maxParallel: 100_000 };

/**
 * Adds a user with credit and a key. Uses only columns that the previous release's schema also has. Returns the key.
 */
export async function addCustomer(connectionString: string): Promise<string> {
  const platform = connect({
    connectionString,
    role: "tollgate_platform",
    poolSize: 1,
    applicationName: "tests",
  });
  try {
    return await insertAll(platform);
  } finally {
    await platform.destroy();
  }
}

async function insertAll(platform: Database): Promise<string> {
  const apiKey = makeApiKey();
  const [organizationId, teamId, id] = (["org", "team", "key"] as const).map((kind) =>
    makePrefixedId(kind, Date.now()),
  ) as [string, string, string];
  await runAsAdministrator(platform, async (transaction) => {
    await insertOrganization(transaction, { id: organizationId, name: "Acme" });
    await transaction
      .insertInto("teams")
      .values({ id: teamId, organization_id: organizationId, name: "Research" })
      .execute();
    const shown = { prefix: apiKey.slice(0, 8), lastFour: apiKey.slice(-4) };
    const tokenHash = hashApiKey(apiKey);
    await insertKey(transaction, { id, organizationId, teamId, name: "ci", tokenHash, limits: LIMITS, ...shown });
    const idempotencyKey = `grant:${organizationId}`;
    const credit = { organizationId, amount: CREDIT, idempotencyKey };
    await postSystemCredit(transaction, { kind: "grant", ...credit, reason: "Test credit" });
  });
  return apiKey;
}
