import { defineCommand } from "../../../command.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { keyFields } from "./key-fields.ts";

/** The `tollgate keys rename` command. */
export const keysRename = defineCommand({
  kind: "change",
  examples: ["tollgate keys rename ci-bot ci-linux", "tollgate keys rename key_01J… ci-linux --dry-run"],
  arguments: [
    { name: "key", description: "Key name or ID", completes: "keys" },
    { name: "name", description: "New name" },
  ],
  fields: keyFields,
  operations: ["updateApiKey"],
  async run(context, _, { key: wanted, name }) {
    const key = await resolveListed(context, "listApiKeys", wanted);
    const request = { token: key.id, name };
    if (!(await context.confirms({ summary: `Rename key ${key.name} (${key.id}) to ${name}`, request }))) return;
    const { apiKey } = await context.platform.call("updateApiKey", { body: request });
    context.output.record(apiKey, () => "");
    context.output.done(`Renamed key ${key.name} to ${apiKey.name}`);
  },
});
