import { sql, type Transaction } from "kysely";
import type { Database } from "./connect.ts";
import type { Tables } from "./tables.generated.ts";

/**
 * A transaction that can read and change the rows of one organization, or of all organizations for an administrator.
 */
export type TenantTransaction = Transaction<Tables>;

/** Runs work in a transaction that sees only the organization's rows, and the user's own rows if `userId` is given. */
export function runInOrganization<T>(
  db: Database,
  organizationId: string,
  work: (transaction: TenantTransaction) => Promise<T>,
  userId?: number,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await say(transaction, { organizationId, userId });
    return work(transaction);
  });
}

/** Like `runInOrganization`, for reads: all statements see the same snapshot. */
export function readInOrganization<T>(
  db: Database,
  organizationId: string,
  work: (transaction: TenantTransaction) => Promise<T>,
  userId: number,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => {
      await say(transaction, { organizationId, userId });
      return work(transaction);
    });
}

/** Runs work in a transaction that sees only the user's data: account, sessions, and memberships. */
export function runAsUser<T>(
  db: Database,
  userId: number,
  work: (transaction: TenantTransaction) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await say(transaction, { userId });
    return work(transaction);
  });
}

/** Runs work in a transaction for authentication, which sees accounts and their credentials but no tenant's rows. */
export function runUnauthenticated<T>(db: Database, work: (transaction: TenantTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('tollgate.door', 'on', true)`.execute(transaction);
    return work(transaction);
  });
}

/** Runs work in a transaction that sees every organization. For operator commands only, never on behalf of a caller. */
export function runAsAdministrator<T>(
  db: Database,
  work: (transaction: TenantTransaction) => Promise<T>,
  userId?: number,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('tollgate.administrator', 'on', true),
      set_config('tollgate.user_id', ${userId === undefined ? "" : String(userId)}, true)`.execute(transaction);
    return work(transaction);
  });
}

/** The owner on whose behalf a gateway accesses assistants and their records. */
interface OwnerIdentity {
  readonly owner: string;
  readonly isAdministrator: boolean;
}

/**
 * Runs work in a transaction that sees the owner's assistants, threads, and runs, or those of all owners for an
 * administrator.
 */
export function runForOwner<T>(
  db: Database,
  { owner, isAdministrator }: OwnerIdentity,
  work: (transaction: TenantTransaction) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('tollgate.owner', ${owner}, true),
      set_config('tollgate.administrator', ${isAdministrator ? "on" : ""}, true)`.execute(transaction);
    return work(transaction);
  });
}

/** Scopes an unauthenticated or user transaction to an organization. */
export async function enterOrganization(transaction: TenantTransaction, organizationId: string): Promise<void> {
  await sql`select set_config('tollgate.organization_id', ${organizationId}, true)`.execute(transaction);
}

/** Extends the transaction to every organization, after the user is known to be an administrator of the instance. */
export async function becomeAdministrator(transaction: TenantTransaction): Promise<void> {
  await sql`select set_config('tollgate.administrator', 'on', true)`.execute(transaction);
}

async function say(
  transaction: TenantTransaction,
  { organizationId, userId }: { organizationId?: string; userId?: number | undefined },
): Promise<void> {
  await sql`select set_config('tollgate.organization_id', ${organizationId ?? ""}, true),
    set_config('tollgate.user_id', ${userId === undefined ? "" : String(userId)}, true)`.execute(transaction);
}
