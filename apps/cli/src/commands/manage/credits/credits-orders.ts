import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatTime, parseTime } from "../../../format-values.ts";
import { paintState, purchaseFields, purchaseStates } from "./purchase-fields.ts";

/** `tollgate credits orders`: lists orders with their status. */
export const creditsOrders = defineCommand({
  kind: "list",
  examples: [
    "tollgate credits orders",
    "tollgate credits orders --status pending",
    "tollgate credits orders --all --csv",
  ],
  flags: {
    status: {
      type: "string",
      multiple: true,
      value: "STATUS",
      choices: purchaseStates,
      description: "Filter by status",
    },
    since: { type: "string", value: "TIME", description: "Start time, such as 30d or 2026-11-01" },
    until: { type: "string", value: "TIME", description: "End time" },
  },
  fields: purchaseFields,
  operations: ["listPurchases"],
  async run(context, { status, since, until }) {
    const query = {
      ...(status.length > 0 && { status: status as readonly (typeof purchaseStates)[number][] }),
      ...(since !== undefined && { startDate: parseTime(since, "past") }),
      ...(until !== undefined && { endDate: parseTime(until, "past") }),
    };
    const list = await fetchList(context, "listPurchases", { query });
    context.output.list({
      ...list,
      columns: [
        { header: "CREATED", value: ({ createdAt }) => formatTime(createdAt) },
        { header: "AMOUNT", value: ({ amount }) => formatExactMoney(amount), align: "right", priority: 1 },
        { header: "STATUS", value: (order) => order.status, priority: 1, paint: paintState },
        { header: "BY", value: ({ createdBy }) => createdBy.name ?? "", priority: 4 },
        { header: "ORDER", value: ({ id }) => id, priority: 1 },
      ],
      empty: "No orders yet. To buy credits: tollgate credits buy 20",
    });
    printMoreHint(context, list, "orders", "tollgate credits orders");
  },
});
