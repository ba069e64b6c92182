import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { formatAge, formatTime } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { formatBudget } from "../budgets.ts";
import { formatRateLimit } from "../limits.ts";
import { keyFields } from "./key-fields.ts";

/** `tollgate keys show`: shows all details of a key except its secret. */
export const keysShow = defineCommand({
  examples: ["tollgate keys show ci-bot", "tollgate keys show ci-bot --jq .budget"],
  arguments: [{ name: "key", description: "Key name or ID", completes: "keys" }],
  fields: keyFields,
  operations: ["getApiKey"],
  async run(context, _, args) {
    const { id } = await resolveListed(context, "listApiKeys", args.key);
    const { apiKey } = await context.platform.call("getApiKey", { params: { id } });
    const { budget, usage } = apiKey;
    const left = budget === null ? "" : `, ${formatMoney(budget.remaining)} left`;
    const resets = budget === null || budget.resetsAt === null ? "" : ` until ${formatTime(budget.resetsAt)}`;
    context.output.pairs(apiKey, [
      ["name", apiKey.name],
      ["id", apiKey.id],
      ["key", apiKey.token],
      ["status", apiKey.state.replaceAll("_", " ")],
      ["team", apiKey.team_id],
      ["models", apiKey.models?.join(", ") ?? "all team models"],
      ["budget", `${formatBudget(budget)}${left}${resets}`],
      ["limits", formatRateLimit(apiKey.rateLimit)],
      [
        "spent",
        `${formatMoney(usage.total)}, ${formatMoney(usage.monthly)} this month, ${formatMoney(usage.daily)} today`,
      ],
      ["last used", formatAge(apiKey.lastUsedAt)],
      ["expires", formatTime(apiKey.expiresAt)],
      ["created", `${formatTime(apiKey.createdAt)}${apiKey.createdBy === null ? "" : ` by ${apiKey.createdBy.name}`}`],
      ["rotated", apiKey.rotatedAt === null ? null : formatTime(apiKey.rotatedAt)],
    ]);
  },
});
