import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";
import type { UserRecord } from "./list-users.ts";

/** A person held for a change, and whether another administrator would be left. */
export interface HeldUser {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly role: "user" | "admin";
  readonly status: UserRecord["status"];
  readonly hasOtherAdministrator: boolean;
}

/**
 * Holds a person. All administrators are held first, in the order of their ids, so that two of them who take the role
 * from each other at once leave one. Null when nobody has the id, or has it no more.
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

export interface UserChange {
  readonly role?: "user" | "admin";
  readonly status?: "active" | "disabled";
  readonly name?: string;
}

/** Changes a person that the caller holds. */
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
