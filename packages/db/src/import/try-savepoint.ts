import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/**
 * Runs part of a transaction in a savepoint and keeps its changes only if `isKept` accepts the result. A failure rolls
 * back only this part.
 */
export async function trySavepoint<T>(
  transaction: TenantTransaction,
  work: (transaction: TenantTransaction) => Promise<T>,
  isKept: (result: T) => boolean,
): Promise<T> {
  await sql`savepoint one_record`.execute(transaction);
  let keeps = false;
  try {
    const result = await work(transaction);
    keeps = isKept(result);
    return result;
  } finally {
    if (!keeps) await sql`rollback to savepoint one_record`.execute(transaction);
    await sql`release savepoint one_record`.execute(transaction);
  }
}
