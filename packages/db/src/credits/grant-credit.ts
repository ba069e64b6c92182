import { createHash } from "node:crypto";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import { postEntry } from "../ledger/post-entry.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Credit that an administrator grants, or deducts if the amount is negative. */
interface ManualCredit {
  readonly organizationId: string;
  readonly administratorId: number;
  readonly amount: NanoUsd;
  readonly reason: string;
  readonly expiresAt: Date | null;
  readonly idempotencyKey: string;
  /** Maximum total, granted plus deducted, per administrator per day. */
  readonly dailyLimit: NanoUsd;
  readonly now: Date;
}

type ManualCreditOutcome = { readonly kind: "posted" | "replayed"; readonly transactionId: string } | CreditRefusal;

export type CreditRefusal =
  | { readonly kind: "key_reused" | "unknown_organization" | "out_of_range" }
  | { readonly kind: "over_limit"; readonly left: NanoUsd };

const DAY_MS = 86_400_000;
const OUT_OF_RANGE = "22003";

/**
 * Posts the credit exactly once per administrator, organization, and key, and never beyond the administrator's daily
 * limit.
 */
export async function grantCredit(transaction: TenantTransaction, credit: ManualCredit): Promise<ManualCreditOutcome> {
  const { organizationId, administratorId, amount } = credit;
  const organization = await transaction
    .selectFrom("organizations")
    .select("id")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  if (organization === undefined) return { kind: "unknown_organization" };
  const actor = `admin:${administratorId}`;
  // Serialize per administrator, so that two requests can't both pass the limit check.
  await sql`select pg_advisory_xact_lock(hashtextextended(${`tollgate:credits:${actor}`}, 0))`.execute(transaction);
  const keys = makeKeys(credit);
  const known = await transaction
    .selectFrom("ledger_transactions")
    .select("idempotency_key as key")
    .where("idempotency_key", "in", [keys.grant, keys.adjustment])
    .executeTakeFirst();
  const key = amount > 0n ? keys.grant : keys.adjustment;
  if (known !== undefined && known.key !== key) return { kind: "key_reused" };
  if (known === undefined) {
    const moved = await sumMoved(transaction, actor, new Date(credit.now.getTime() - DAY_MS));
    const size = amount < 0n ? -amount : amount;
    if (moved + size > credit.dailyLimit) return { kind: "over_limit", left: max(0n, credit.dailyLimit - moved) };
  }
  try {
    const posted = await postEntry(transaction, {
      kind: amount > 0n ? "grant" : "adjustment",
      organizationId,
      amount,
      idempotencyKey: key,
      description: credit.reason,
      actor,
      ...(credit.expiresAt !== null && { expiresAt: credit.expiresAt }),
    });
    if (posted.kind === "key_reused") return { kind: "key_reused" };
    return { kind: posted.kind, transactionId: posted.transactionId };
  } catch (error) {
    if ((error as { code?: string }).code === OUT_OF_RANGE) return { kind: "out_of_range" };
    throw error;
  }
}

/** Returns ledger idempotency keys that never collide between administrators or organizations. */
function makeKeys({ administratorId, organizationId, idempotencyKey }: ManualCredit) {
  const digest = createHash("sha256").update(`${organizationId}\n${idempotencyKey}`).digest("hex");
  return { grant: `grant:${administratorId}:${digest}`, adjustment: `adjust:${administratorId}:${digest}` };
}

async function sumMoved(transaction: TenantTransaction, actor: string, since: Date): Promise<NanoUsd> {
  const { rows } = await sql<{ moved: string }>`
    select coalesce(sum(posting.amount), 0)::text as moved
      from ledger_transactions entry join ledger_postings posting on posting.transaction_id = entry.id
     where entry.kind in ('grant', 'adjustment') and entry.actor = ${actor} and entry.created_at > ${since}`.execute(
    transaction,
  );
  return BigInt(rows[0]?.moved ?? "0");
}

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
