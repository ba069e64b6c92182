import { defineCommand } from "../../../command.ts";
import { formatUsd } from "../../../format-values.ts";

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
    const unlessZero = (amount: bigint) => (amount === 0n ? null : formatUsd(amount));
    const { lowBalanceThreshold: threshold } = sums;
    context.output.pairs(sums, [
      ["balance", formatUsd(sums.balance)],
      ["available", formatUsd(sums.available)],
      ["held", formatUsd(sums.held)],
      ["purchased", formatUsd(sums.totalPurchased)],
      ["granted", unlessZero(sums.totalGranted)],
      ["adjusted", unlessZero(sums.totalAdjusted)],
      ["used", formatUsd(sums.totalUsed)],
      ["refunded", unlessZero(sums.totalRefunded)],
      ["expired", unlessZero(sums.totalExpired)],
      ["low balance", threshold === null ? null : formatUsd(threshold)],
      ["status", sums.status],
      ["teams", `${sums.teams}${sums.blockedTeams === 0 ? "" : `, ${sums.blockedTeams} blocked`}`],
    ]);
    if (sums.blockedTeams > 0) context.output.next("tollgate credits buy 20");
  },
});
