import { randomUUID } from "node:crypto";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { formatUsd, readUsd } from "../../../format-values.ts";
import { openBrowser } from "../../../open-browser.ts";
import { countOf } from "../count-of.ts";
import { type Purchase, purchaseFields } from "./purchase-fields.ts";
import { waitForCredit } from "./wait-for-credit.ts";

const DEFAULT_WAIT_SECONDS = 900;

/** `tollgate credits buy`: makes an order, shows where to pay it, and waits for the credit. */
export const creditsBuy = defineCommand({
  kind: "change",
  examples: [
    "tollgate credits buy 20",
    "tollgate credits buy 20 --no-wait",
    "tollgate credits buy --order pur_01J…     # go on waiting for an order",
  ],
  arguments: [{ name: "usd", description: "how much, in dollars", optional: true }],
  flags: {
    order: { type: "string", value: "ORDER", description: "wait for this order, in place of making another" },
    wait: { type: "number", value: "SECONDS", description: `how long to wait; ${DEFAULT_WAIT_SECONDS} unless told` },
    "no-wait": { type: "boolean", description: "show where to pay, and end" },
    open: { type: "boolean", description: "open the browser; on a terminal it opens anyway" },
  },
  fields: [...purchaseFields, "checkoutUrl"],
  operations: ["createPurchase", "getPurchase", "checkPurchase"],
  exitCodes: {
    5: "the payment failed, the order ran out, or the money was given back",
    7: "not paid in time; --order goes on waiting",
  },
  async run(context, flags, { usd }) {
    const seconds = flags.wait ?? DEFAULT_WAIT_SECONDS;
    if (flags.order !== undefined) {
      if (usd !== undefined) throw usageError("--order names an order that has its amount.", "leave the amount out");
      return tellOf(context, await waitForCredit(context, flags.order, seconds), null);
    }
    if (usd === undefined) throw usageError("How much?", "tollgate credits buy 20");
    const amount = readUsd(usd);
    if (!(await context.confirms({ summary: `Order credits for ${formatUsd(amount)}`, request: { amount } }))) return;
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

/** A person gets the page itself; a program its address on standard output. */
async function showWhereToPay(context: CommandContext, purchase: Purchase, url: string, opens: boolean): Promise<void> {
  const { output, io } = context;
  const isOpen = (output.isTerminal || opens) && (await openBrowser(url, io));
  output.done(`Made order ${purchase.id} for ${formatUsd(purchase.amount)}`);
  if (isOpen) output.note(`  Your browser shows ${url}`);
  else if (output.isJson) io.stderr.write(`Pay at ${url}\n`);
  else output.text(`${url}\n`);
}

async function tellOf(context: CommandContext, purchase: Purchase, checkoutUrl: string | null): Promise<void> {
  const { output, platform } = context;
  if (output.isJson) return output.record({ ...purchase, checkoutUrl }, () => "");
  const { balance } = await platform.call("getBalance");
  const { amount, unblockedTeams } = purchase;
  const unblocked = unblockedTeams === 0 ? "" : `, ${countOf(unblockedTeams, "team")} unblocked`;
  output.done(`${formatUsd(amount)} credited; the balance is ${formatUsd(balance)}${unblocked}`);
}
