import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { post } from "../stage/fill-instance.ts";
import { textOf } from "../stage/open-console.ts";
import { type Complaint, expect } from "./complaint.ts";

/** Complaints about sums, sorting, limits, and prices. */
export const moneyComplaints: readonly Complaint[] = [
  {
    id: "C1",
    promise: "every chart names its timezone, and the days of any zone add up to the range",
    run: async ({ instance, opened }) => {
      await opened.open("/usage");
      expect((await textOf(opened.page.locator("main"))).includes("UTC"), "the page names no timezone");
      const platform = await instance.signIn(instance.admin);
      for (const timezone of ["UTC", "Asia/Kolkata", "America/Los_Angeles"]) {
        const { data, totals } = await platform.call("getUsage", { query: { groupBy: ["day"], timezone } });
        const sum = data.reduce((before, { cost }) => before + cost, 0n);
        expect(sum === totals.cost, `in ${timezone} the days make ${sum}, the range ${totals.cost}`);
      }
    },
  },
  {
    id: "C3",
    promise: "an order that is not credited yet shows its status, and users can check the payment",
    run: async ({ opened, filled }) => {
      await opened.open(`/credits?order=${filled.pendingPurchaseId}`);
      const timeline = opened.page.getByRole("list", { name: "Order timeline" });
      await timeline.getByText("Awaiting payment", { exact: false }).first().waitFor();
      await opened.page.getByRole("button", { name: "Check payment now" }).first().click();
      await opened.settle();
      await opened.open(`/credits?order=${filled.purchaseId}`);
      await opened.page.getByText(/ledger entry txn_/).waitFor();
    },
  },
  {
    id: "C4",
    promise: "a refusal names the limit, its owner, the amount used, and the reset time",
    run: async ({ instance, opened, filled }) => {
      const platform = await instance.signIn(instance.admin);
      const { apiKey } = await platform.call("createApiKey", {
        body: { name: "Nearly nothing", team_id: filled.teamId, budget: { limit: 1n, period: "daily" } },
      });
      const body = { model: "support-chat", messages: [{ role: "user", content: "Hello" }] };
      // The call that reaches the limit still succeeds. The call after it is refused.
      const answer = await waitFor("a refusal", async () => {
        const each = await post(instance, String(apiKey.token), "/v1/chat/completions", body);
        return each.ok ? each.text().then(() => null) : each;
      });
      const { error } = (await answer.json()) as { error: { limit?: { owner?: unknown } } };
      expect(error.limit !== undefined, "the answer names no limit");
      const id = String(answer.headers.get("x-gw-call-id"));
      await opened.retry(`/logs/${id}`, () =>
        opened.page.getByRole("region", { name: "Why was this request refused?" }),
      );
      const card = await textOf(opened.page.getByRole("region", { name: "Why was this request refused?" }));
      expect(card.includes("Nearly nothing"), `the card does not say whose limit it is: ${card}`);
    },
  },
  {
    id: "C6",
    promise: "a model without a price is Unpriced, never free",
    run: async ({ opened }) => {
      await opened.open("/model_hub_table?search=unpriced-chat");
      const row = opened.page.getByRole("row", { name: /unpriced-chat/ });
      const text = await textOf(row);
      expect(text.includes("Unpriced") && !text.includes("$0"), `the row says ${text}`);
      await opened.open("/admin/deployments");
      await opened.page
        .getByText(/unpriced/i)
        .first()
        .waitFor();
    },
  },
];
