import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { formatRefund, purchaseFields } from "./purchase-fields.ts";

/** `tollgate credits orders show`: shows an order with its steps. */
export const creditsOrdersShow = defineCommand({
  examples: ["tollgate credits orders show pur_01J…", "tollgate credits orders show pur_01J… --jq .status"],
  arguments: [{ name: "order", description: "Order ID" }],
  fields: purchaseFields,
  operations: ["getPurchase"],
  async run(context, _, { order }) {
    const { purchase } = await context.platform.call("getPurchase", { params: { id: order } });
    const unlessZero = (amount: bigint) => (amount === 0n ? null : formatExactMoney(amount));
    context.output.pairs(purchase, [
      ["order", purchase.id],
      ["amount", formatExactMoney(purchase.amount)],
      ["tax", unlessZero(purchase.tax)],
      ["fee", unlessZero(purchase.fee)],
      ["status", purchase.status],
      ["refunded", formatRefund(purchase)],
      ["created by", purchase.createdBy.name],
      ...purchase.timeline
        .filter(({ at }) => at !== null)
        .map(({ state, at, reference }): [string, string] => [
          state.replaceAll("_", " "),
          `${formatTime(at)}${reference === null ? "" : ` (${reference})`}`,
        ]),
      ["invoice", purchase.invoiceUrl],
      ["receipt", purchase.receiptUrl],
    ]);
    const isOpen = purchase.status === "pending" || purchase.status === "processing";
    if (isOpen) context.output.next(`tollgate credits buy --order ${purchase.id}`);
  },
});
