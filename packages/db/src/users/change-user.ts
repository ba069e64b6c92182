import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { UserRecord } from "./list-users.ts";

/** A user locked for a change, and whether another administrator would remain. */
export interface HeldUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: UserRecord["status"];
  readonly hasOtherAdministrator: boolean;
}

/**
 * Locks a user. Locks all administrators first, in ID order, so that one administrator remains if two administrators
 * demote each other concurrently. Returns null if the user doesn't exist or was deleted.
 */
export async function holdUser(transaction: TenantTransaction, userId: number): Promise<HeldUser | null> {
  const { rows: administrators } = await sql<{ id: number }>`
    select id from users where role = 'admin' and status = 'active' order by id for update`.execute(transaction);
  const { rows } = await sql<Omit<HeldUser, "hasOtherAdministrator">>`
    select id, email, name, role, status from users
    where id = ${userId} and status <> 'deleted' for update`.execute(transaction);
  const [user] = rows;
  if (user === undefined) return null;
  return { ...user, hasOtherAdministrator: administrators.some(({ id }) => id !== userId) };
}

interface UserChange {
  readonly role?: "user" | "admin";
  readonly status?: "active" | "disabled";
  readonly name?: string;
}

/** Changes a user that the caller has locked. */
export async function changeUser(
  transaction: TenantTransaction,
  userId: number,
  change: UserChange,
  now: Date,
): Promise<void> {
  await transaction
    .updateTable("users")
    .set({ ...change, updated_at: now })
    .where("id", "=", userId)
    .execute();
}
