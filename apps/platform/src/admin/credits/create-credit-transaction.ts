import { Failure } from "@tollgate/contracts/failures.ts";
import { CreditTransaction, ManualCreditBody, Quota } from "@tollgate/contracts/management/credit.ts";
import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { toUsdText } from "@tollgate/contracts/management/money.ts";
import { readTime } from "@tollgate/contracts/management/read-time.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { type CreditRefusal, grantCredit } from "@tollgate/db/credits/grant-credit.ts";
import { type Credit, readCredit } from "@tollgate/db/credits/read-credit.ts";
import { findTransaction, type CreditTransaction as Transaction } from "@tollgate/db/credits/transactions.ts";
import Type, { type Static } from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { toTransaction } from "../../credits/list-transactions.ts";
import { toQuota } from "../../credits/read-credit.ts";
import { operation, write } from "../../operation.ts";

/** Adjusts credit without a payment: positive amounts add credit, and negative amounts deduct credit. */
export const createCreditTransaction = operation({
  ...write,
  id: "createCreditTransaction",
  summary: "Add or deduct organization credit",
  tag: "admin",
  path: "/api/admin/organizations/{id}/credits",
  auth: "administrator",
  scope: "administrator",
  idempotency: "required",
  recentAuthentication: true,
  params: Type.Object({ id: PathId }),
  body: ManualCreditBody,
  answers: {
    201: { description: "The ledger entry", schema: Type.Object({ transaction: CreditTransaction, quota: Quota }) },
  },
  handle: async (input, transaction, services) => {
    const { caller, params, body, headers } = input;
    const now = services.now();
    const expiresAt = readExpiry(body, now);
    const outcome = await grantCredit(transaction, {
      organizationId: params.id,
      administratorId: caller.userId,
      amount: body.amount,
      reason: body.reason,
      expiresAt,
      idempotencyKey: String(headers["idempotency-key"]),
      dailyLimit: services.settings().limits.creditsPerDayPerAdministratorNanoUsd,
      now,
    });
    if (!("transactionId" in outcome)) throw refuse(outcome);
    const entry = (await findTransaction(transaction, params.id, outcome.transactionId)) as Transaction;
    const quota = (await readCredit(transaction, params.id)) as Credit;
    if (outcome.kind === "posted") {
      await writeAudit(transaction, {
        organizationId: params.id,
        actor: administratorOf(input),
        action: body.amount > 0n ? "credits.granted" : "credits.adjusted",
        target: { type: "organization", id: params.id },
        after: { amount: body.amount, reason: body.reason, transactionId: entry.id, expiresAt },
      });
    }
    return {
      status: 201,
      ...(outcome.kind === "replayed" && { headers: { "idempotent-replayed": "true" } }),
      body: { transaction: toTransaction(entry), quota: toQuota(quota) },
    };
  },
});

function readExpiry({ amount, expiresAt }: Static<typeof ManualCreditBody>, now: Date): Date | null {
  if (amount === 0n) throw invalidField("amount", "must not be 0");
  if (expiresAt === undefined || expiresAt === null) return null;
  if (amount < 0n) throw invalidField("expiresAt", "cannot be set when amount is negative");
  const end = readTime("expiresAt", expiresAt);
  if (end <= now) throw invalidField("expiresAt", "must be in the future");
  return end;
}

function refuse(outcome: CreditRefusal): Failure {
  if (outcome.kind === "unknown_organization") return unknownObject("organization");
  if (outcome.kind === "key_reused") {
    return new Failure("IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was already used for a different entry.");
  }
  if (outcome.kind !== "over_limit") return invalidField("amount", "would put the balance out of range");
  return new Failure(
    "LIMIT_REACHED",
    `This exceeds your 24-hour credit limit (limits.creditsPerDay). You have ${toUsdText(outcome.left)} USD left.`,
  );
}
