import { sql } from "kysely";
import type { TenantTransaction } from "../tenancy.ts";

export interface IdempotentRequest {
  readonly userId: number;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly bodyDigest: Buffer;
  readonly now: Date;
}

/** How long a key replays its first response. */
const KEPT_MS = 24 * 3_600_000;

type Replay =
  | { readonly kind: "first" }
  | { readonly kind: "replay"; readonly status: number; readonly body: string }
  | { readonly kind: "other_body" | "in_progress" };

/**
 * Claims the key for this transaction and returns the stored response, if any. The claim ends with the transaction, so
 * a process that dies doesn't block later requests.
 */
export async function claimIdempotencyKey(transaction: TenantTransaction, request: IdempotentRequest): Promise<Replay> {
  const name = `tollgate:idempotency:${request.userId}:${request.method}:${request.path}:${request.key}`;
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as "isLocked"`.execute(transaction);
  if (rows[0]?.isLocked !== true) return { kind: "in_progress" };
  const known = await transaction
    .selectFrom("idempotency_keys")
    .select(["body_digest", "status", "body", "created_at"])
    .where("user_id", "=", request.userId)
    .where("method", "=", request.method)
    .where("path", "=", request.path)
    .where("key", "=", request.key)
    .executeTakeFirst();
  if (known === undefined) return { kind: "first" };
  if (request.now.getTime() - known.created_at.getTime() > KEPT_MS) {
    await forgetAnswer(transaction, request);
    return { kind: "first" };
  }
  if (!known.body_digest.equals(request.bodyDigest)) return { kind: "other_body" };
  return { kind: "replay", status: known.status, body: known.body };
}

/** Stores the response in the transaction that executed the request. */
export async function saveIdempotentResponse(
  transaction: TenantTransaction,
  request: IdempotentRequest,
  answer: { readonly status: number; readonly body: string },
): Promise<void> {
  await transaction
    .insertInto("idempotency_keys")
    .values({
      user_id: request.userId,
      method: request.method,
      path: request.path,
      key: request.key,
      body_digest: request.bodyDigest,
      status: answer.status,
      body: answer.body,
      created_at: request.now,
    })
    .execute();
}

async function forgetAnswer(transaction: TenantTransaction, request: IdempotentRequest): Promise<void> {
  await transaction
    .deleteFrom("idempotency_keys")
    .where("user_id", "=", request.userId)
    .where("method", "=", request.method)
    .where("path", "=", request.path)
    .where("key", "=", request.key)
    .execute();
}
