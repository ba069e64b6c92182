import { Balance, Quota } from "@tollgate/contracts/management/credit.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { type Credit, readCredit } from "@tollgate/db/credits/read-credit.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";

const unit = { unit: "nano-USD", currency: "USD" } as const;

/** Returns the spendable balance. */
export const getBalance = operation({
  ...read,
  id: "getBalance",
  summary: "Get the organization's balance",
  tag: "credits",
  path: "/api/balance",
  auth: "user",
  scope: "organization",
  answers: { 200: { description: "The balance", schema: Balance } },
  handle: async ({ caller }, transaction) => {
    const credit = await readOwnCredit(transaction, caller.organization.id);
    const { organizationId, updatedAt } = credit;
    const amounts = spendable(credit);
    const status = statusOf(credit);
    return { status: 200, body: { ...amounts, ...unit, organizationId, status, updatedAt, usd: usdOf(amounts) } };
  },
});

/** Returns the balance with its components, and the blocked teams. */
export const getQuota = operation({
  ...read,
  id: "getQuota",
  summary: "Get the organization's quota: the balance and its components",
  tag: "credits",
  path: "/api/quota",
  auth: "user",
  scope: "organization",
  answers: { 200: { description: "The quota", schema: Type.Object({ quota: Quota }) } },
  handle: async ({ caller }, transaction) => ({
    status: 200,
    body: { quota: toQuota(await readOwnCredit(transaction, caller.organization.id)) },
  }),
});

/** Converts a quota to its API format. */
export function toQuota(credit: Credit) {
  const amounts = {
    ...spendable(credit),
    totalPurchased: credit.totalPurchased,
    totalGranted: credit.totalGranted,
    totalUsed: credit.totalUsed,
    totalRefunded: credit.totalRefunded,
    totalExpired: credit.totalExpired,
    totalAdjusted: credit.totalAdjusted,
    lowBalanceThreshold: credit.lowBalanceThreshold,
    leased: credit.leased,
  };
  const { organizationId, teams, blockedTeams, activeHolds, version, updatedAt } = credit;
  const facts = { organizationId, teams, blockedTeams, activeHolds, version, updatedAt, status: statusOf(credit) };
  return { ...amounts, ...facts, ...unit, usd: usdOf(amounts) };
}

/** Returns the balance, the amount held for running calls, and the available amount. */
export function spendable({ balance, held }: Credit) {
  return { balance, held, available: balance - held };
}

function statusOf({ balance, held }: Credit): "ok" | "exhausted" | "negative" {
  if (balance < 0n) return "negative";
  return balance - held > 0n ? "ok" : "exhausted";
}

/** Reads the credit of the transaction's organization. */
export async function readOwnCredit(transaction: TenantTransaction, organizationId: string): Promise<Credit> {
  const credit = await readCredit(transaction, organizationId);
  if (credit === null) throw new Error(`organization ${organizationId} has no quota row`);
  return credit;
}
