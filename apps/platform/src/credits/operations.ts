import type { ManagementOperation } from "../operation.ts";
import { checkPurchase } from "./check-purchase.ts";
import { createPurchase } from "./create-purchase.ts";
import { getBurnRate } from "./get-burn-rate.ts";
import { listLedger } from "./list-ledger.ts";
import { listCreditTransactions } from "./list-transactions.ts";
import { getBalance, getQuota } from "./read-credit.ts";
import { getPurchase, listPurchasesOperation } from "./read-purchases.ts";
import { receiveStripeWebhook } from "./receive-webhook.ts";
import { simulatePayment } from "./simulate-payment.ts";

export const creditOperations: readonly ManagementOperation[] = [
  getBalance,
  getQuota,
  createPurchase,
  listPurchasesOperation,
  getPurchase,
  checkPurchase,
  simulatePayment,
  getBurnRate,
  listCreditTransactions,
  listLedger,
  receiveStripeWebhook,
];
