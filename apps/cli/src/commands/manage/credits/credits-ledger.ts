import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { fetchList, printMoreHint } from "../../../fetch-list.ts";
import { formatTime, parseTime } from "../../../format-values.ts";

const kinds = [
  "purchase",
  "grant",
  "usage",
  "usage_reversal",
  "refund",
  "dispute",
  "dispute_won",
  "expiry",
  "adjustment",
] as const;

/** `tollgate credits ledger`: lists ledger entries, each with the resulting balance. */
export const creditsLedger = defineCommand({
  kind: "list",
  examples: [
    "tollgate credits ledger",
    "tollgate credits ledger --kind purchase --kind refund --since 90d",
    "tollgate credits ledger --all --csv",
  ],
  flags: {
    kind: { type: "string", multiple: true, value: "KIND", choices: kinds, description: "Filter by entry kind" },
    since: { type: "string", value: "TIME", description: "Start time, such as 30d or 2026-11-01" },
    until: { type: "string", value: "TIME", description: "End time" },
  },
  fields: ["id", "kind", "amount", "balanceAfter", "reference", "description", "createdAt", "usd"],
  operations: ["listCreditTransactions"],
  async run(context, { kind, since, until }) {
    const query = {
      ...(kind.length > 0 && { kind: kind as readonly (typeof kinds)[number][] }),
      ...(since !== undefined && { startDate: parseTime(since, "past") }),
      ...(until !== undefined && { endDate: parseTime(until, "past") }),
    };
    const list = await fetchList(context, "listCreditTransactions", { query });
    context.output.list({
      ...list,
      columns: [
        { header: "TIME", value: ({ createdAt }) => formatTime(createdAt) },
        { header: "KIND", value: (movement) => movement.kind, priority: 1 },
        {
          header: "AMOUNT",
          value: ({ amount }) => `${amount > 0n ? "+" : ""}${formatExactMoney(amount)}`,
          align: "right",
          priority: 1,
          paint: (text, { green }) => (text.startsWith("+") ? green(text) : text),
        },
        { header: "BALANCE", value: ({ balanceAfter }) => formatExactMoney(balanceAfter), align: "right" },
        { header: "ID", value: ({ id }) => id, priority: 5 },
        { header: "DESCRIPTION", value: ({ description, reference }) => description ?? reference ?? "", priority: 4 },
      ],
      empty: "No ledger entries yet. To buy credits: tollgate credits buy 20",
    });
    printMoreHint(context, list, "entries", "tollgate credits ledger");
  },
});
