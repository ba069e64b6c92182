import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";

/** `tollgate quota`: shows credit totals. */
export const quota = defineCommand({
  examples: ["tollgate quota", "tollgate quota --jq .blockedTeams"],
  fields: [
    "organizationId",
    "balance",
    "held",
    "available",
    "totalPurchased",
    "totalGranted",
    "totalUsed",
    "totalRefunded",
    "totalExpired",
    "totalAdjusted",
    "lowBalanceThreshold",
    "status",
    "teams",
    "blockedTeams",
    "activeHolds",
    "leased",
    "unit",
    "currency",
    "version",
    "updatedAt",
    "usd",
  ],
  operations: ["getQuota"],
  async run(context) {
    const { quota: sums } = await context.platform.call("getQuota");
    const unlessZero = (amount: bigint) => (amount === 0n ? null : formatMoney(amount));
    const { lowBalanceThreshold: threshold } = sums;
    context.output.pairs(sums, [
      ["balance", formatMoney(sums.balance)],
      ["available", formatMoney(sums.available)],
      ["held", formatMoney(sums.held)],
      ["purchased", formatMoney(sums.totalPurchased)],
      ["granted", unlessZero(sums.totalGranted)],
      ["adjusted", unlessZero(sums.totalAdjusted)],
      ["used", formatMoney(sums.totalUsed)],
      ["refunded", unlessZero(sums.totalRefunded)],
      ["expired", unlessZero(sums.totalExpired)],
      ["low balance", threshold === null ? null : formatMoney(threshold)],
      ["status", sums.status],
      ["teams", `${sums.teams}${sums.blockedTeams === 0 ? "" : `, ${sums.blockedTeams} blocked`}`],
    ]);
    if (sums.blockedTeams > 0) context.output.next("tollgate credits buy 20");
  },
});
