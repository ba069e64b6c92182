import { defineCommand } from "../../../command.ts";
import { eachFields } from "../change-each.ts";
import { switchKeys } from "./switch-keys.ts";

/** The `tollgate keys disable` command. */
export const keysDisable = defineCommand({
  kind: "change",
  examples: ["tollgate keys disable ci-bot", "tollgate keys disable ci-bot web-prod"],
  arguments: [{ name: "keys", description: "Key names or IDs", many: true, completes: "keys" }],
  fields: eachFields,
  operations: ["updateApiKey"],
  exitCodes: { 8: "Some keys were not disabled" },
  run: (context, _, { keys }) => switchKeys(context, keys, true),
});
