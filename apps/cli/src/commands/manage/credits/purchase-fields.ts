import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import type { RowOf } from "@tollgate/sdk/platform/platform-client.ts";
import type { Styles } from "../../../output/styles.ts";

export type Purchase = RowOf<"listPurchases">;

export const purchaseFields = [
  "id",
  "organizationId",
  "amount",
  "fee",
  "tax",
  "currency",
  "provider",
  "status",
  "providerSessionId",
  "providerPaymentId",
  "receiptUrl",
  "invoiceUrl",
  "createdBy",
  "createdAt",
  "paidAt",
  "refunded",
  "shortfall",
  "timeline",
  "transactionId",
  "unblockedTeams",
  "usd",
] as const;

export const purchaseStates = [
  "pending",
  "processing",
  "paid",
  "failed",
  "expired",
  "refunded",
  "disputed",
  "review",
] as const;

/** Colors a state: green if paid, yellow if in progress, otherwise red. */
export function paintState(state: string, { green, yellow, red }: Styles): string {
  if (state === "paid") return green(state);
  return state === "pending" || state === "processing" ? yellow(state) : red(state);
}

/** Formats the refunded amount. Returns null if there was no refund. */
export function formatRefund({ refunded }: Purchase): string | null {
  return refunded === 0n ? null : formatExactMoney(refunded);
}
