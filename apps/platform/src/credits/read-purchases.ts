import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { PurchaseQuery, Purchase as PurchaseSchema } from "@tollgate/contracts/management/purchase.ts";
import { readTimeRange } from "@tollgate/contracts/management/read-time.ts";
import { findPurchase, listPurchases, type Purchase } from "@tollgate/db/credits/purchases.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { timelineOf } from "./purchase-timeline.ts";

/** Lists all purchases with their invoices and receipts. */
export const listPurchasesOperation = operation({
  ...read,
  id: "listPurchases",
  summary: "List the organization's purchases and invoices",
  tag: "credits",
  path: "/api/credits/purchases",
  auth: "user",
  scope: "organization",
  query: PurchaseQuery,
  answers: { 200: { description: "Purchases, newest first", schema: listOf(PurchaseSchema) } },
  handle: async ({ caller, query }, transaction) => {
    const { page, pageSize } = query;
    const filter = { statuses: query.status ?? [], ...readTimeRange(query), page, pageSize };
    const { purchases, total } = await listPurchases(transaction, caller.organization.id, filter);
    return { status: 200, body: toList(purchases.map(toPurchase), query, total) };
  },
});

export const getPurchase = operation({
  ...read,
  id: "getPurchase",
  summary: "Get a purchase",
  tag: "credits",
  path: "/api/credits/purchases/{id}",
  auth: "user",
  scope: "organization",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The purchase", schema: Type.Object({ purchase: PurchaseSchema }) } },
  handle: async ({ caller, params }, transaction) => {
    const purchase = await findPurchase(transaction, caller.organization.id, params.id);
    if (purchase === null) throw unknownObject("purchase");
    return { status: 200, body: { purchase: toPurchase(purchase) } };
  },
});

/** Converts a purchase to its API format. */
export function toPurchase(purchase: Purchase) {
  const { amount, fee, tax, refunded, shortfall } = purchase;
  return { ...purchase, timeline: timelineOf(purchase), usd: usdOf({ amount, fee, tax, refunded, shortfall }) };
}
