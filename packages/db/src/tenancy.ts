import { sql, type Transaction } from "kysely";
import type { Database } from "./connect.ts";
import type { Tables } from "./tables.generated.ts";

/** A transaction that may see and change the rows of one organization, or of all for an administrator. */
export type TenantTransaction = Transaction<Tables>;

/** Runs the work in one transaction that sees that organization's rows and no others. */
export function actInOrganization<T>(
  db: Database,
  organizationId: string,
  work: (transaction: TenantTransaction) => Promise<T>,
): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('tollgate.organization_id', ${organizationId}, true)`.execute(transaction);
    return work(transaction);
  });
}

/** Runs the work in one transaction that sees every organization. For the operator's own commands, never for a caller's. */
export function actAsAdministrator<T>(db: Database, work: (transaction: TenantTransaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('tollgate.administrator', 'on', true)`.execute(transaction);
    return work(transaction);
  });
}
