import { defineCommand } from "../../../command.ts";
import { eachFields } from "../change-each.ts";
import { switchKeys } from "./switch-keys.ts";

/** The `tollgate keys enable` command. */
export const keysEnable = defineCommand({
  kind: "change",
  examples: ["tollgate keys enable ci-bot", "tollgate keys enable ci-bot web-prod"],
  arguments: [{ name: "keys", description: "Key names or IDs", many: true, completes: "keys" }],
  fields: eachFields,
  operations: ["updateApiKey"],
  exitCodes: { 8: "Some keys were not enabled" },
  run: (context, _, { keys }) => switchKeys(context, keys, false),
});
