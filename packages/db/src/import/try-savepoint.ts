import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Tries a part of a transaction, which keeps what came of it if that is wanted. What fails, fails without the rest. */
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
