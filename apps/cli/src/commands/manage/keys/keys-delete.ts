import { defineCommand } from "../../../command.ts";
import { formatAge } from "../../../format-values.ts";
import { changeEach, eachFields } from "../change-each.ts";
import { countOf } from "../count-of.ts";
import { resolveKeys } from "./switch-keys.ts";

/** `tollgate keys delete`: permanently deletes keys. */
export const keysDelete = defineCommand({
  kind: "change",
  examples: ["tollgate keys delete ci-bot", "tollgate keys delete old-1 old-2 --yes"],
  arguments: [{ name: "keys", description: "Key names or IDs", many: true, completes: "keys" }],
  fields: eachFields,
  operations: ["removeApiKey"],
  exitCodes: { 8: "Some keys were not deleted" },
  async run(context, _, args) {
    const keys = await resolveKeys(context, args.keys);
    const [first] = keys;
    const agreed = await context.confirms({
      summary: `Permanently delete ${countOf(keys.length, "key")}`,
      lines: keys.map(({ name, id, lastUsedAt }) => `${name} (${id}), last used ${formatAge(lastUsedAt)}`),
      confirm: keys.length === 1 && first !== undefined ? first.name : String(keys.length),
      request: { keys: keys.map(({ id }) => id) },
    });
    if (!agreed) return;
    return changeEach(context, keys, "Deleted", ({ id }) =>
      context.platform.call("removeApiKey", { body: { apiKey: id } }),
    );
  },
});
