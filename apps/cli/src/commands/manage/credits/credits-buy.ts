import { randomUUID } from "node:crypto";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { readUsd } from "../../../format-values.ts";
import { openBrowser } from "../../../open-browser.ts";
import { countOf } from "../count-of.ts";
import { type Purchase, purchaseFields } from "./purchase-fields.ts";
import { waitForCredit } from "./wait-for-credit.ts";

const DEFAULT_WAIT_SECONDS = 900;

/** `tollgate credits buy`: creates an order, shows the checkout URL, and waits for the credit. */
export const creditsBuy = defineCommand({
  kind: "change",
  examples: [
    "tollgate credits buy 20",
    "tollgate credits buy 20 --no-wait",
    "tollgate credits buy --order pur_01J…     # resume waiting for an order",
  ],
  arguments: [{ name: "usd", description: "Amount in dollars", optional: true }],
  flags: {
    order: { type: "string", value: "ORDER", description: "Wait for this order instead of creating a new one" },
    wait: { type: "number", value: "SECONDS", description: `Maximum wait; defaults to ${DEFAULT_WAIT_SECONDS}` },
    "no-wait": { type: "boolean", description: "Print the payment URL and exit" },
    open: { type: "boolean", description: "Open the browser; the default in a terminal" },
  },
  fields: [...purchaseFields, "checkoutUrl"],
  operations: ["createPurchase", "getPurchase", "checkPurchase"],
  exitCodes: {
    5: "The payment failed, the order expired, or the payment was refunded",
    7: "Not paid in time; resume waiting with --order",
  },
  async run(context, flags, { usd }) {
    const seconds = flags.wait ?? DEFAULT_WAIT_SECONDS;
    if (flags.order !== undefined) {
      if (usd !== undefined) throw usageError("--order cannot be combined with an amount.", "Omit the amount.");
      return tellOf(context, await waitForCredit(context, flags.order, seconds), null);
    }
    if (usd === undefined) throw usageError("No amount specified.", "tollgate credits buy 20");
    const amount = readUsd(usd);
    if (!(await context.confirms({ summary: `Buy ${formatExactMoney(amount)} of credits`, request: { amount } })))
      return;
    const opened = await context.platform.call("createPurchase", { body: { amount }, idempotencyKey: randomUUID() });
    const { purchase, checkoutUrl } = opened;
    await showWhereToPay(context, purchase, checkoutUrl, flags.open);
    if (!flags["no-wait"]) {
      return tellOf(context, await waitForCredit(context, purchase.id, seconds), checkoutUrl);
    }
    if (context.output.isJson) context.output.record({ ...purchase, checkoutUrl }, () => "");
    else context.output.next(`tollgate credits buy --order ${purchase.id}`);
  },
});

/** Opens the checkout page in a browser, or prints its URL if no browser opens. */
async function showWhereToPay(context: CommandContext, purchase: Purchase, url: string, opens: boolean): Promise<void> {
  const { output, io } = context;
  const isOpen = (output.isTerminal || opens) && (await openBrowser(url, io));
  output.done(`Created order ${purchase.id} for ${formatExactMoney(purchase.amount)}`);
  if (isOpen) output.note(`  Opened in your browser: ${url}`);
  else if (output.isJson) io.stderr.write(`Pay at ${url}\n`);
  else output.text(`${url}\n`);
}

async function tellOf(context: CommandContext, purchase: Purchase, checkoutUrl: string | null): Promise<void> {
  const { output, platform } = context;
  if (output.isJson) return output.record({ ...purchase, checkoutUrl }, () => "");
  const { balance } = await platform.call("getBalance");
  const { amount, unblockedTeams } = purchase;
  const unblocked = unblockedTeams === 0 ? "" : `, ${countOf(unblockedTeams, "team")} unblocked`;
  output.done(`Credited ${formatExactMoney(amount)}; balance ${formatExactMoney(balance)}${unblocked}`);
}
