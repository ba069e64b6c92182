import type { Database } from "@tollgate/db/connect.ts";
import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { insertKey, type NewKey } from "@tollgate/db/keys/insert-key.ts";
import { insertTeam, type NewTeam } from "@tollgate/db/teams/insert-team.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { insertOrganization, type NewOrganization } from "./insert-organization.ts";

/** An organization with one team and one key, all active by default. */
export interface Tenant {
  readonly organizationId: string;
  readonly teamId: string;
  readonly keyId: string;
  /** The secret, as sent by a caller. */
  readonly apiKey: string;
  readonly tokenHash: Buffer;
}

export interface TenantOptions {
  readonly apiKey?: string;
  readonly organization?: Partial<NewOrganization>;
  readonly team?: Partial<NewTeam>;
  readonly key?: Partial<NewKey>;
  /** Credit granted to the organization, in nano-USD; no credit by default. */
  readonly credit?: bigint;
}

/** Adds a tenant. Needs the platform's pool, because no other role has sufficient privileges. */
export async function addTenant(platform: Database, options: TenantOptions = {}): Promise<Tenant> {
  const apiKey = options.apiKey ?? makeApiKey();
  const tenant: Tenant = {
    organizationId: options.organization?.id ?? makePrefixedId("org", Date.now()),
    teamId: options.team?.id ?? makePrefixedId("team", Date.now()),
    keyId: options.key?.id ?? makePrefixedId("key", Date.now()),
    apiKey,
    tokenHash: options.key?.tokenHash ?? hashApiKey(apiKey),
  };
  const { organizationId, teamId, keyId, tokenHash } = tenant;
  await runAsAdministrator(platform, async (transaction) => {
    await insertOrganization(transaction, { name: "Acme", ...options.organization, id: organizationId });
    await insertTeam(transaction, { name: "Research", ...options.team, id: teamId, organizationId });
    const shown = { prefix: apiKey.slice(0, 8), lastFour: apiKey.slice(-4) };
    await insertKey(transaction, {
      name: "ci",
      ...shown,
      ...options.key,
      id: keyId,
      organizationId,
      teamId,
      tokenHash,
    });
    const amount = options.credit ?? 0n;
    const idempotencyKey = `grant:${organizationId}`;
    if (amount > 0n) {
      const credit = { organizationId, amount, idempotencyKey };
      await postSystemCredit(transaction, { kind: "grant", ...credit, reason: "Test credit" });
    }
  });
  return tenant;
}
