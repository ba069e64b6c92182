import { Burn } from "@tollgate/contracts/management/credit.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { readBurn } from "@tollgate/db/credits/read-burn.ts";
import { projectBurn } from "@tollgate/domain/figures/project-burn.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { readOwnCredit, spendable } from "./read-credit.ts";

/** Returns all data for the credit meter, which appears on every page, in one response. */
export const getBurnRate = operation({
  ...read,
  id: "getBurnRate",
  summary: "Get the burn rate and runway of your credit",
  tag: "credits",
  path: "/api/credits/burn",
  auth: "user",
  scope: "organization",
  answers: {
    200: {
      description: "Burn rate and runway, based on the mean of the last seven days, the current one in part",
      schema: Type.Object({ burn: Burn }),
    },
  },
  handle: async ({ caller }, transaction, services) => {
    const { id } = caller.organization;
    const now = services.now();
    const credit = await readOwnCredit(transaction, id);
    const facts = await readBurn(transaction, id, now);
    const amounts = spendable(credit);
    const projection = projectBurn(facts, amounts.available, now);
    const { perDay } = projection;
    const burn = {
      ...projection,
      ...amounts,
      timezone: facts.timezone,
      blockedSince: facts.blockedSince,
      blockedTeams: credit.blockedTeams,
      days: facts.days.map(({ day, cost }) => ({ day, cost, usd: usdOf({ cost }) })),
      pendingPurchases: facts.pendingPurchases.map((purchase) => ({
        ...purchase,
        usd: usdOf({ amount: purchase.amount }),
      })),
      usd: usdOf({ perDay, ...amounts }),
    };
    return { status: 200, body: { burn } };
  },
});
