import { randomUUID } from "node:crypto";
import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { usageError } from "../../cli-error.ts";
import { defineCommand } from "../../command.ts";
import { parseTime, readUsd } from "../../format-values.ts";
import { withRecentPassword } from "../../recent-password.ts";
import { findOrganization } from "./find-organization.ts";

/** The `tollgate admin credits grant` command. */
export const creditsGrant = defineCommand({
  kind: "change",
  examples: [
    'tollgate admin credits grant Acme 25 --reason "pilot"',
    'tollgate admin credits grant Acme 100 --reason "incident 12" --expires 90d',
  ],
  arguments: [
    { name: "organization", description: "Organization name or ID" },
    { name: "usd", description: "Amount in dollars, such as 25" },
  ],
  flags: {
    reason: { type: "string", value: "TEXT", description: "Reason, recorded in the ledger and the audit log" },
    expires: { type: "string", value: "TIME", description: "Expiration, such as 90d; defaults to never" },
  },
  fields: ["transaction", "quota"],
  operations: ["createCreditTransaction"],
  async run(context, flags, { organization: wanted, usd }) {
    const { reason } = flags;
    if (reason === undefined || reason.trim() === "")
      throw usageError("A reason is required to grant credit.", "Add --reason TEXT.");
    const amount = readUsd(usd);
    const { id, name } = await findOrganization(context, wanted);
    const body = {
      amount,
      reason,
      ...(flags.expires !== undefined && { expiresAt: parseTime(flags.expires, "future") }),
    };
    // Format the amount as a string of digits, as in the ledger, because a dry run prints the request as JSON.
    const request = { ...body, amount: amount.toString() };
    if (!(await context.confirms({ summary: `Grant ${formatExactMoney(amount)} to ${name} (${id})`, request }))) return;
    const idempotencyKey = randomUUID();
    const answer = await withRecentPassword(context, () =>
      context.platform.call("createCreditTransaction", { params: { id }, body, idempotencyKey }),
    );
    const { output } = context;
    output.done(
      `Granted ${formatExactMoney(amount)} to ${name}: balance ${formatExactMoney(answer.transaction.balanceAfter)}`,
    );
    output.record(answer, () => `${answer.transaction.id}\n`);
  },
});
