import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { formatAge } from "../../../format-values.ts";
import { countOf } from "../count-of.ts";

/** `tollgate balance`: shows the balance and how long it will last. */
export const balance = defineCommand({
  examples: ["tollgate balance", "tollgate credits --jq .usd.available"],
  fields: ["balance", "held", "available", "unit", "currency", "organizationId", "status", "updatedAt", "usd", "burn"],
  operations: ["getBalance", "getBurnRate"],
  async run(context) {
    const { platform, output } = context;
    const [credit, { burn }] = await Promise.all([platform.call("getBalance"), platform.call("getBurnRate")]);
    const { emptyAt, daysLeft, blockedTeams, pendingPurchases } = burn;
    output.pairs({ ...credit, burn }, [
      ["balance", formatMoney(credit.balance)],
      ["available", formatMoney(credit.available)],
      ["held", credit.held === 0n ? null : `${formatMoney(credit.held)} for requests in flight`],
      ["status", credit.status],
      ["daily spend", burn.perDay === 0n ? null : formatMoney(burn.perDay)],
      [
        "lasts",
        burn.runway === "over_a_year"
          ? "more than a year"
          : emptyAt === null || daysLeft === null
            ? null
            : `${daysLeft.toFixed(1)} days (runs out ${formatAge(emptyAt)})`,
      ],
      [
        "blocked",
        blockedTeams === 0 ? null : `${countOf(blockedTeams, "team")}, since ${formatAge(burn.blockedSince)}`,
      ],
      ...pendingPurchases.map(({ id, amount, status }): [string, string] => [
        "pending order",
        `${formatMoney(amount)}, order ${id} (${status})`,
      ]),
    ]);
    if (credit.status !== "ok") output.next("tollgate credits buy 20");
  },
});
