import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { findUserId } from "../find-user.ts";

/** The `tollgate admin users show` command. */
export const usersShow = defineCommand({
  examples: ["tollgate admin users show ann@example.org", "tollgate admin users show 12 --json"],
  arguments: [{ name: "user", description: "Email address or user ID" }],
  fields: ["user", "organizations", "keyCount", "lastLoginAt"],
  operations: ["getUser"],
  async run(context, _flags, { user: wanted }) {
    const record = await context.platform.call("getUser", { params: { id: await findUserId(context, wanted) } });
    const { user, organizations } = record;
    context.output.pairs(record, [
      ["id", String(user.id)],
      ["email", `${user.email}${user.emailVerified ? "" : " (not verified)"}`],
      ["name", user.name],
      ["role", user.role],
      ["status", user.status],
      ["keys", String(record.keyCount)],
      ["created", formatTime(user.createdAt)],
      ["last login", formatTime(user.lastLoginAt)],
      ...organizations.map(
        ({ name, role, balance }) => ["organization", `${name} (${role}), ${formatMoney(balance)}`] as const,
      ),
    ]);
  },
});
