import { timingSafeEqual } from "node:crypto";
import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

/** Number of wrong secrets after which a pairing is locked. */
const MAX_WRONG_SECRETS = 10;

interface NewPairing {
  readonly id: string;
  readonly codeDigest: Buffer;
  readonly secretDigest: Buffer;
  readonly clientName: string;
  readonly ip: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Records a pairing request from a terminal. */
export async function addPairing(transaction: TenantTransaction, pairing: NewPairing): Promise<void> {
  await transaction
    .insertInto("pairings")
    .values({
      id: pairing.id,
      code_digest: pairing.codeDigest,
      secret_digest: pairing.secretDigest,
      client_name: pairing.clientName,
      ip: pairing.ip,
      created_at: pairing.now,
      expires_at: pairing.expiresAt,
    })
    .execute();
}

export interface PairingRecord {
  readonly id: string;
  readonly clientName: string;
  readonly ip: string;
  readonly status: "pending" | "approved" | "denied" | "claimed";
  /** User who decided; null while the request is pending. */
  readonly userId: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Finds the pairing with this code, even if it has expired. */
export async function findPairing(transaction: TenantTransaction, codeDigest: Buffer): Promise<PairingRecord | null> {
  const row = await transaction
    .selectFrom("pairings")
    .select([
      "id",
      "client_name as clientName",
      "ip",
      "status",
      "user_id as userId",
      "created_at as createdAt",
      "expires_at as expiresAt",
    ])
    .where("code_digest", "=", codeDigest)
    .executeTakeFirst();
  return row ?? null;
}

export type PairingDecision =
  | {
      readonly status: "approved";
      readonly userId: number;
      readonly organizationId: string | null;
      readonly sessionEndsAt: Date;
    }
  | { readonly status: "denied"; readonly userId: number };

/** Approves or denies a pending pairing. Returns false if the pairing was already decided or has expired. */
export async function decidePairing(
  transaction: TenantTransaction,
  id: string,
  decision: PairingDecision,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("pairings")
    .set({
      status: decision.status,
      user_id: decision.userId,
      decided_at: now,
      ...(decision.status === "approved" && {
        organization_id: decision.organizationId,
        session_ends_at: decision.sessionEndsAt,
      }),
    })
    .where("id", "=", id)
    .where("status", "=", "pending")
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export type PairingClaim =
  | {
      readonly kind: "claimed";
      readonly userId: number;
      readonly role: "user" | "admin";
      readonly email: string;
      readonly organizationId: string | null;
      readonly sessionEndsAt: Date;
    }
  /** `unknown` also covers wrong secrets and redeemed pairings, so that a caller can't probe which pairings exist. */
  | { readonly kind: "pending" | "denied" | "expired" | "unknown" };

/** Redeems an approved pairing once. If two requests race, only one succeeds. */
export async function redeemPairing(
  transaction: TenantTransaction,
  id: string,
  secretDigest: Buffer,
  now: Date,
): Promise<PairingClaim> {
  const { rows } = await sql<ClaimedRow>`
    select status, secret_digest as "secretDigest", wrong_secrets as "wrongSecrets", expires_at as "expiresAt",
      user_id as "userId", organization_id as "organizationId", session_ends_at as "sessionEndsAt"
    from pairings where id = ${id} for update`.execute(transaction);
  const [row] = rows;
  if (row === undefined || row.wrongSecrets >= MAX_WRONG_SECRETS) return { kind: "unknown" };
  if (!timingSafeEqual(row.secretDigest, secretDigest)) {
    await sql`update pairings set wrong_secrets = wrong_secrets + 1 where id = ${id}`.execute(transaction);
    return { kind: "unknown" };
  }
  if (row.status === "denied") return { kind: "denied" };
  if (row.status === "claimed") return { kind: "unknown" };
  if (row.expiresAt <= now) return { kind: "expired" };
  if (row.status === "pending") return { kind: "pending" };
  const { userId, organizationId, sessionEndsAt } = row;
  // Read the user after the lock. A join would still have the row of the time before the approval if the lock had to wait
  // for the approval, and that row has no user.
  const user = await transaction
    .selectFrom("users")
    .select(["role", "email"])
    .where("id", "=", userId)
    .where("status", "=", "active")
    .executeTakeFirst();
  if (user === undefined || (await isTakenBack(transaction, id))) return { kind: "denied" };
  await sql`update pairings set status = 'claimed' where id = ${id}`.execute(transaction);
  return { kind: "claimed", userId, ...user, organizationId, sessionEndsAt };
}

interface ClaimedRow {
  readonly status: PairingRecord["status"];
  readonly secretDigest: Buffer;
  readonly wrongSecrets: number;
  readonly expiresAt: Date;
  readonly userId: number;
  readonly organizationId: string | null;
  readonly sessionEndsAt: Date;
}

/**
 * Reports whether one of the user's sessions was revoked since the approval. That session may have approved the
 * pairing, so the pairing must not grant access.
 */
async function isTakenBack(transaction: TenantTransaction, id: string): Promise<boolean> {
  const { rows } = await sql`
    select from pairings p join sessions s on s.user_id = p.user_id and s.revoked_at >= p.decided_at
    where p.id = ${id} limit 1`.execute(transaction);
  return rows.length > 0;
}
