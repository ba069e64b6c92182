import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { parseTime } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { limitFlags, readLimits } from "../limits.ts";
import { keyFields } from "./key-fields.ts";

/** `tollgate keys update`: changes a key's models, limits, and expiry. */
export const keysUpdate = defineCommand({
  kind: "change",
  examples: [
    "tollgate keys update ci-bot --cap 50/month",
    "tollgate keys update ci-bot --models all --rpm 0",
    "tollgate keys update ci-bot --expires never",
  ],
  arguments: [{ name: "key", description: "Key name or ID", completes: "keys" }],
  flags: {
    ...limitFlags,
    expires: { type: "string", value: "TIME", description: "Expiration, such as 90d, 2027-01-01, or never" },
  },
  fields: keyFields,
  operations: ["updateApiKey"],
  async run(context, flags, args) {
    const { expires } = flags;
    const changes = {
      ...readLimits(flags),
      ...(expires !== undefined && { expiresAt: expires === "never" ? null : parseTime(expires, "future") }),
    };
    const names = Object.keys(changes);
    if (names.length === 0)
      throw usageError("No changes specified.", "Add at least one flag, such as --cap, --models, --rpm, or --expires.");
    const key = await resolveListed(context, "listApiKeys", args.key);
    const summary = `Update ${names.join(", ")} of key ${key.name}`;
    if (!(await context.confirms({ summary, request: changes }))) return;
    const { apiKey } = await context.platform.call("updateApiKey", { body: { token: key.id, ...changes } });
    context.output.record(apiKey, () => "");
    context.output.done(`Updated ${names.join(", ")} of key ${apiKey.name}`);
  },
});
