import { sql, type Transaction } from "kysely";
import type { Database } from "./connect.ts";
import type { Tables } from "./tables.generated.ts";

/** A transaction that may see and change the rows of one organization, or of all for an administrator. */
export type TenantTransaction = Transaction<Tables>;

/** Runs the work in one transaction that sees that organization's rows and no others; a person's own too when it names one. */
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

/** The same for work that only reads: all of its statements see the organization as it was at one moment. */
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

/** Runs the work in one transaction that sees what belongs to that person: their account, sessions and memberships. */
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

/** Runs the work in one transaction that finds out who someone is: it sees accounts and their credentials, no tenant's rows. */
export function runUnauthenticated<T>(db: Database, work: (transaction: TenantTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('tollgate.door', 'on', true)`.execute(transaction);
    return work(transaction);
  });
}

/** Runs the work in one transaction that sees every organization. For the operator's own commands, never for a caller's. */
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

/** For whom a gateway reads and writes assistants and what belongs to them. */
export interface OwnerIdentity {
  readonly owner: string;
  readonly isAdministrator: boolean;
}

/** Runs the work in one transaction that sees that owner's assistants, threads and runs, or everyone's for an administrator. */
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

/** Goes on inside an organization, for work that began at the door or for a person alone. */
export async function enterOrganization(transaction: TenantTransaction, organizationId: string): Promise<void> {
  await sql`select set_config('tollgate.organization_id', ${organizationId}, true)`.execute(transaction);
}

/** Goes on seeing every organization, once it is known that whoever it acts for administers the installation. */
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
