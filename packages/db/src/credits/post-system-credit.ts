import type { NanoUsd } from "@tollgate/domain/money.ts";
import { writeAudit } from "../audit/write-audit.ts";
import { type EntryOutcome, postEntry } from "../ledger/post-entry.ts";
import type { TenantTransaction } from "../tenancy.ts";

/** Credit that Tollgate itself gives or takes, without an administrator or a payment. */
interface SystemCredit {
  readonly kind: "grant" | "adjustment";
  readonly organizationId: string;
  /** Positive for a grant. An adjustment has the sign of the change. */
  readonly amount: NanoUsd;
  readonly idempotencyKey: string;
  readonly reason: string;
}

/** Posts the credit once per idempotency key, with the audit entry that `ledger verify` requires. */
export async function postSystemCredit(transaction: TenantTransaction, credit: SystemCredit): Promise<EntryOutcome> {
  const { kind, organizationId, amount, idempotencyKey, reason } = credit;
  const posted = await postEntry(transaction, {
    kind,
    organizationId,
    amount,
    idempotencyKey,
    description: reason,
    actor: "system",
  });
  if (posted.kind !== "posted") return posted;
  await writeAudit(transaction, {
    organizationId,
    actor: { type: "system", id: null },
    action: kind === "grant" ? "credits.granted" : "credits.adjusted",
    target: { type: "organization", id: organizationId },
    after: { amount, reason, transactionId: posted.transactionId },
  });
  return posted;
}
