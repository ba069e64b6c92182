import { adoptOrganization } from "@tollgate/db/accounts/adopt-organization.ts";
import { findOwnedTeam } from "@tollgate/db/accounts/find-owned-team.ts";
import { makeAdministrator } from "@tollgate/db/accounts/make-administrator.ts";
import { connect, type Database } from "@tollgate/db/connect.ts";
import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { findKeyByHash, type KeyRecord } from "@tollgate/db/keys/find-key-by-hash.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { updateOrganization } from "@tollgate/db/organizations/update-organization.ts";
import {
  enterOrganization,
  runAsAdministrator,
  runUnauthenticated,
  type TenantTransaction,
} from "@tollgate/db/tenancy.ts";
import { hashApiKey } from "@tollgate/domain/api-keys.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NANO_PER_USD, type NanoUsd } from "@tollgate/domain/money.ts";
import type { PasswordHasher } from "@tollgate/platform/identity/password-hasher.ts";
import { createKey } from "@tollgate/platform/keys/create-key.ts";
import { storedSecret } from "@tollgate/platform/keys/make-secret.ts";
import type { LocalCredentials } from "./local-credentials.ts";

export const LOCAL_ORGANIZATION = "Local";
/** Demo credit of 5 USD, so that the first calls visibly reduce a real balance. */
export const DEMO_CREDIT = 5n * NANO_PER_USD;

/** Time limit for the database. No request waits for it, and a new database on a busy computer can be slow. */
const BUSY_LIMIT_MS = 30_000;

/** The account of a development instance. */
export interface LocalAccount {
  readonly isNew: boolean;
  readonly organizationId: string;
  /** User ID of the administrator; null if that account is disabled. */
  readonly userId: number | null;
  readonly balance: NanoUsd;
}

/** Ensures that the local administrator, organization, team, and key exist. Returns the remaining credit. */
export async function seedAccount(
  connectionString: string,
  credentials: LocalCredentials,
  passwords: Pick<PasswordHasher, "hash">,
): Promise<LocalAccount> {
  const db = connect({
    connectionString,
    role: "tollgate_platform",
    poolSize: 1,
    applicationName: "tollgate dev",
    statementLimitMs: BUSY_LIMIT_MS,
    acquireLimitMs: BUSY_LIMIT_MS,
  });
  try {
    const known = await runAsAdministrator(db, (transaction) =>
      findKeyByHash(transaction, hashApiKey(credentials.apiKey)),
    );
    const passwordHash = await passwords.hash(credentials.admin.password);
    const isNew = known === null;
    const { organizationId, userId } = isNew
      ? await makeAccount(db, credentials, passwordHash)
      : await keepAccount(db, credentials, passwordHash, known);
    const quota = await runAsAdministrator(db, (transaction) => readQuota(transaction, organizationId));
    return { isNew, organizationId, userId, balance: quota?.balance ?? 0n };
  } finally {
    await db.destroy();
  }
}

interface Seeded {
  readonly organizationId: string;
  readonly userId: number | null;
}

/** Creates the account in a new data directory. If the credentials were lost, resets the password and adds a key. */
async function makeAccount(db: Database, { apiKey, admin }: LocalCredentials, passwordHash: string): Promise<Seeded> {
  return runUnauthenticated(db, async (transaction) => {
    const now = new Date();
    const made = await makeAdministrator(transaction, {
      email: admin.email,
      name: "Developer",
      passwordHash,
      replacesPassword: true,
      organizationName: LOCAL_ORGANIZATION,
      now,
    });
    if (made.kind === "disabled") throw new Error(`account ${admin.email} in this data folder is disabled`);
    const owned = made.kind === "created" ? made : await findOwnedTeam(transaction, made.userId);
    if (owned === null) throw new Error(`account ${admin.email} in this data folder owns no team`);
    const { organizationId, teamId } = owned;
    await enterOrganization(transaction, organizationId);
    await createKey(
      transaction,
      {
        id: makePrefixedId("key", now.getTime()),
        organizationId,
        teamId,
        userId: made.userId,
        name: "dev",
        ...storedSecret(apiKey),
        models: null,
      },
      { kind: "operator" },
      now,
    );
    await keepPrompts(transaction, organizationId, now);
    // Grant the credit once per organization, even if the organization's keys are lost.
    await postSystemCredit(transaction, {
      kind: "grant",
      organizationId,
      amount: DEMO_CREDIT,
      idempotencyKey: `grant:demo:${organizationId}`,
      reason: "Demo credit",
    });
    return { organizationId, userId: made.userId };
  });
}

/** Adds missing records to an existing account. In data from earlier versions, the organization has no members. */
async function keepAccount(
  db: Database,
  { admin }: LocalCredentials,
  passwordHash: string,
  { organization }: KeyRecord,
): Promise<Seeded> {
  const userId = await runUnauthenticated(db, async (transaction) => {
    const now = new Date();
    const made = await makeAdministrator(transaction, {
      email: admin.email,
      name: "Developer",
      passwordHash,
      // Keep the password if the user has changed it.
      replacesPassword: false,
      organizationName: null,
      now,
    });
    if (made.kind === "disabled") return null;
    if (made.kind !== "created") return made.userId;
    await adoptOrganization(transaction, organization.id, made.userId, now);
    await keepPrompts(transaction, organization.id, now);
    return made.userId;
  });
  return { organizationId: organization.id, userId };
}

/** Enables prompt logging, because on a local machine the user who reads the logs also wrote the prompts. */
async function keepPrompts(transaction: TenantTransaction, organizationId: string, now: Date): Promise<void> {
  await enterOrganization(transaction, organizationId);
  await updateOrganization(transaction, organizationId, { logPrompts: true }, now);
}
