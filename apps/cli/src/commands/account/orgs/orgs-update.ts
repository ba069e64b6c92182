import { formatExactMoney } from "@tollgate/domain/figures/money-text.ts";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { readUsd } from "../../../format-values.ts";
import { withRecentPassword } from "../../../recent-password.ts";

/** `tollgate orgs update`: updates the active organization. */
export const orgsUpdate = defineCommand({
  kind: "change",
  examples: [
    'tollgate orgs update --name "Acme Research"',
    "tollgate orgs update --low-balance 20 --timezone Europe/Berlin",
  ],
  flags: {
    name: { type: "string", value: "NAME", description: "New name" },
    "billing-email": { type: "string", value: "EMAIL", description: "Billing email address" },
    "low-balance": { type: "string", value: "USD", description: "Warn when the balance falls below this amount" },
    timezone: { type: "string", value: "ZONE", description: "Reporting time zone, such as Europe/Berlin" },
    "log-prompts": {
      type: "string",
      value: "ON",
      choices: ["on", "off"],
      description: "Store prompts and responses in the logs",
    },
    "retention-days": { type: "number", value: "DAYS", description: "Log retention" },
  },
  fields: ["id", "name", "role", "billingEmail", "settings", "updatedAt"],
  operations: ["updateOrganization"],
  async run(context, flags) {
    const settings = {
      ...(flags["low-balance"] !== undefined && { lowBalanceThreshold: readUsd(flags["low-balance"]) }),
      ...(flags.timezone !== undefined && { timezone: flags.timezone }),
      ...(flags["log-prompts"] !== undefined && { logPrompts: flags["log-prompts"] === "on" }),
      ...(flags["retention-days"] !== undefined && { logRetentionDays: flags["retention-days"] }),
    };
    const body = {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags["billing-email"] !== undefined && { billingEmail: flags["billing-email"] }),
      ...(Object.keys(settings).length > 0 && { settings }),
    };
    const names = [...Object.keys(body).filter((name) => name !== "settings"), ...Object.keys(settings)];
    if (names.length === 0) throw usageError("No changes specified.", "tollgate orgs update --help");
    if (!(await context.confirms({ summary: `Update ${names.join(", ")} of the organization`, request: body }))) return;
    const { organization } = await withRecentPassword(context, () =>
      context.platform.call("updateOrganization", { body }),
    );
    const { lowBalanceThreshold, timezone, logPrompts, logRetentionDays } = organization.settings;
    context.output.pairs(organization, [
      ["name", organization.name],
      ["billing email", organization.billingEmail],
      ["low balance", lowBalanceThreshold === null ? null : formatExactMoney(lowBalanceThreshold)],
      ["timezone", timezone],
      ["store prompts", `${logPrompts ? "yes" : "no"}; log retention ${logRetentionDays} days`],
    ]);
    context.output.done(`Updated ${names.join(", ")}`);
  },
});
