import type { NanoUsd } from "@tollgate/domain/money.ts";
import { sql } from "kysely";
import { writeAudit } from "../audit/write-audit.ts";
import type { Database } from "../connect.ts";
import type { TenantTransaction } from "../tenancy.ts";
import { postEntry } from "./post-entry.ts";

/** The difference of one organization's charges in a period, to be posted. */
interface ReRating {
  readonly organizationId: string;
  readonly from: Date;
  readonly to: Date;
  /** The prices that were compared, such as `2026-08.1 to 2026-11.1`. It is part of the idempotency key. */
  readonly prices: string;
  /** Additional charge; negative if credit is returned. */
  readonly difference: NanoUsd;
}

type ReRatingOutcome =
  | { readonly kind: "posted" | "replayed"; readonly transactionId: string; readonly balance: NanoUsd }
  /** The same period and prices were posted with another amount, because other calls were settled then. */
  | { readonly kind: "key_reused" }
  /** Part of the period was re-rated before, so its difference would be posted twice. */
  | { readonly kind: "overlaps"; readonly transactionId: string };

/** Posts a re-rating as one adjustment. The same period and prices are posted only once. */
export function postReRating(db: Database, reRating: ReRating): Promise<ReRatingOutcome> {
  return db.transaction().execute(async (transaction) => {
    // Two commands must not both find that no posting overlaps.
    await sql`select pg_advisory_xact_lock(hashtextextended('tollgate:re-rate', 0))`.execute(transaction);
    const { organizationId, from, to, prices, difference } = reRating;
    const idempotencyKey = `re-rate:${from.toISOString()}:${to.toISOString()}:${prices}:${organizationId}`;
    const overlapping = await findOverlap(transaction, reRating, idempotencyKey);
    if (overlapping !== null) return { kind: "overlaps", transactionId: overlapping };
    const outcome = await postEntry(transaction, {
      kind: "adjustment",
      organizationId,
      amount: -difference,
      idempotencyKey,
      description: `Corrected prices of requests from ${from.toISOString()} to ${to.toISOString()}`,
      actor: "operator",
      metadata: { reRatedFrom: from.toISOString(), reRatedTo: to.toISOString(), prices },
    });
    if (outcome.kind === "key_reused") return outcome;
    const { kind, transactionId, balance } = outcome;
    if (kind === "posted") {
      await writeAudit(transaction, {
        organizationId,
        actor: { type: "system", id: "operator" },
        action: "ledger.re_rated",
        target: { type: "transaction", id: transactionId },
        after: { from: from.toISOString(), to: to.toISOString(), prices, difference },
      });
    }
    return { kind, transactionId, balance };
  });
}

async function findOverlap(
  transaction: TenantTransaction,
  { organizationId, from, to }: ReRating,
  idempotencyKey: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select id from ledger_transactions
     where organization_id = ${organizationId} and kind = 'adjustment' and idempotency_key like 're-rate:%'
       and idempotency_key <> ${idempotencyKey}
       and (metadata ->> 'reRatedFrom')::timestamptz < ${to} and (metadata ->> 'reRatedTo')::timestamptz > ${from}
     limit 1`.execute(transaction);
  return rows[0]?.id ?? null;
}
