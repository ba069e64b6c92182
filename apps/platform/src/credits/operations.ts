import type { ManagementOperation } from "../operation.ts";
import { buyCredits } from "./buy-credits.ts";
import { listCreditTransactions } from "./list-transactions.ts";
import { receiveStripeWebhook } from "./receive-webhook.ts";
import { showBalance, showQuota } from "./show-credit.ts";
import { listOwnPurchases, showPurchase } from "./show-purchases.ts";
import { simulatePayment } from "./simulate-payment.ts";

export const creditOperations: readonly ManagementOperation[] = [
  showBalance,
  showQuota,
  buyCredits,
  listOwnPurchases,
  showPurchase,
  simulatePayment,
  listCreditTransactions,
  receiveStripeWebhook,
];
