import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Reference to a key, by ID or by the SHA-256 of its secret. */
export type KeyReference =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "secret"; readonly hash: Buffer };

export interface CallableKey {
  readonly id: string;
  readonly isRevoked: boolean;
  /** Reason why the key's team is blocked; null if it isn't blocked. */
  readonly blockedReason: string | null;
}

/**
 * Finds one of the organization's keys if this user can make calls with it: one of their teams' keys, or any key if
 * `seesAll`.
 */
export async function findCallableKey(
  transaction: TenantTransaction,
  organizationId: string,
  reference: KeyReference,
  { userId, seesAll }: { readonly userId: number; readonly seesAll: boolean },
): Promise<CallableKey | null> {
  const row = await transaction
    .selectFrom("api_keys as key")
    .innerJoin("teams as team", "team.id", "key.team_id")
    .select(["key.id", "key.revoked_at as revokedAt", "team.blocked_reason as blockedReason"])
    .where("key.organization_id", "=", organizationId)
    .where("team.deleted_at", "is", null)
    .where((column) =>
      reference.kind === "id"
        ? column("key.id", "=", reference.id)
        : column.or([
            column("key.token_hash", "=", reference.hash),
            column.and([
              column("key.previous_token_hash", "=", reference.hash),
              column("key.previous_valid_until", ">", sql<Date>`now()`),
            ]),
          ]),
    )
    .where((column) =>
      column.or([
        sql<boolean>`${seesAll}`,
        column.exists(
          column
            .selectFrom("team_members as member")
            .select("member.user_id")
            .whereRef("member.team_id", "=", "key.team_id")
            .where("member.user_id", "=", userId),
        ),
      ]),
    )
    .executeTakeFirst();
  if (row === undefined) return null;
  return { id: row.id, isRevoked: row.revokedAt !== null, blockedReason: row.blockedReason };
}
