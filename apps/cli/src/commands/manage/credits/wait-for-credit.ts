import { setTimeout as pause } from "node:timers/promises";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { CliError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import { EXIT } from "../../../exit-codes.ts";
import type { Purchase } from "./purchase-fields.ts";

const POLL_MS = 1000;
/**
 * Number of polls between direct queries to the payment provider. Direct queries are needed because the provider's
 * webhook may be lost.
 */
const ASK_PROVIDER_EVERY = 10;

/**
 * Returns the order once it is credited. Throws if the order can no longer be credited (exit 5) or after a timeout
 * (exit 7). After a timeout, the order stays open, and the user can resume waiting with the order ID.
 */
export async function waitForCredit(context: CommandContext, id: string, seconds: number): Promise<Purchase> {
  const resume = `tollgate credits buy --order ${id}`;
  context.output.note(`  Waiting for the payment. To resume later: ${resume}`);
  return context.waiting("waiting for the payment…", wait());

  async function wait(): Promise<Purchase> {
    const until = Date.now() + seconds * 1000;
    let last: Purchase["status"] = "pending";
    for (let round = 0; ; round += 1) {
      const purchase = await look(context, id, round % ASK_PROVIDER_EVERY === 0);
      if (purchase?.status === "paid") return purchase;
      if (purchase !== null && failures[purchase.status] !== undefined) throw noCredit(purchase);
      if (purchase?.status === "processing" && last !== "processing") {
        context.output.note(
          `The payment of ${formatExactMoney(purchase.amount)} is processing. Some payment methods take days.`,
        );
      }
      last = purchase?.status ?? last;
      const leftMs = until - Date.now();
      if (leftMs <= 0) {
        const message = `No payment for order ${id} arrived within ${seconds} s. The order stays open.`;
        throw new CliError(EXIT.temporary, "PAYMENT_PENDING", message, resume);
      }
      await pause(Math.min(POLL_MS, leftMs));
    }
  }
}

/** Returns the current order; null after a temporary failure. */
async function look({ platform }: CommandContext, id: string, asksProvider: boolean): Promise<Purchase | null> {
  try {
    const input = { params: { id } };
    return (await platform.call(asksProvider ? "checkPurchase" : "getPurchase", input)).purchase;
  } catch (error) {
    if (error instanceof ApiError && error.retryable) return null;
    throw error;
  }
}

const failures: Readonly<Partial<Record<Purchase["status"], string>>> = {
  failed: "The payment failed. You were not charged.",
  expired: "The order expired unpaid. You were not charged.",
  refunded: "The payment was refunded.",
  disputed: "The payment is disputed.",
  review: "The amount paid doesn't match the order. The operator must review the payment.",
};

function noCredit({ id, status }: Purchase): CliError {
  const message = `${failures[status]} (order ${id})`;
  const fix = status === "failed" || status === "expired" ? "tollgate credits buy AMOUNT" : "Contact the operator.";
  return new CliError(EXIT.outOfCredit, `PAYMENT_${status.toUpperCase()}`, message, fix);
}
