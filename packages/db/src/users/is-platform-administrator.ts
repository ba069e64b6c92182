import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Reports whether a user is currently an administrator of the platform. */
export async function isPlatformAdministrator(transaction: TenantTransaction, userId: number): Promise<boolean> {
  const { rows } = await sql<{ administers: boolean }>`
    select is_platform_administrator(${userId}) as administers`.execute(transaction);
  return rows[0]?.administers === true;
}
