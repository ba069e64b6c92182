import { randomUUID } from "node:crypto";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { formatAge, parseTime } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { keyFields } from "./key-fields.ts";
import { printSecret } from "./print-secret.ts";

/**
 * `tollgate keys rotate`: replaces a secret. Without a grace period the old secret stops working immediately, so the
 * command asks for confirmation.
 */
export const keysRotate = defineCommand({
  kind: "change",
  examples: ["tollgate keys rotate ci-bot --grace 1h", "export TOLLGATE_API_KEY=$(tollgate keys rotate ci-bot -y -q)"],
  arguments: [{ name: "key", description: "Key name or ID", completes: "keys" }],
  flags: {
    grace: {
      type: "string",
      value: "TIME",
      description: "Time until the old secret stops working, such as 30m or 1h; at most 7d",
    },
  },
  fields: keyFields,
  operations: ["rotateApiKey"],
  async run(context, { grace }, args) {
    const graceSeconds = grace === undefined ? 0 : readGrace(grace);
    const key = await resolveListed(context, "listApiKeys", args.key);
    const end = graceSeconds === 0 ? "immediately" : `in ${grace}`;
    const agreed = await context.confirms({
      summary: `Rotate key ${key.name} (${key.id}), last used ${formatAge(key.lastUsedAt)}: the old secret expires ${end}`,
      ...(graceSeconds === 0 && { confirm: key.name }),
      request: { apiKey: key.id, graceSeconds },
    });
    if (!agreed) return;
    const body = { apiKey: key.id, graceSeconds };
    const { apiKey } = await context.platform.call("rotateApiKey", { body, idempotencyKey: randomUUID() });
    const { output } = context;
    if (output.isJson) return output.record(apiKey, () => "");
    output.done(`Rotated key ${apiKey.name}; the old secret expires ${end}`);
    printSecret(context, apiKey.token as string, "key");
  },
});

function readGrace(text: string): number {
  const now = Date.now();
  const seconds = Math.round((Date.parse(parseTime(text, "future", now)) - now) / 1000);
  if (seconds <= 0 || seconds > MAX_SECONDS) throw usageError(`--grace must be at most 7d, not '${text}'.`);
  return seconds;
}

const MAX_SECONDS = 7 * 86_400;
