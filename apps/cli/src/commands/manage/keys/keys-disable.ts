import { defineCommand } from "../../../command.ts";
import { eachFields } from "../change-each.ts";
import { switchKeys } from "./switch-keys.ts";

/** `tollgate keys disable`. */
export const keysDisable = defineCommand({
  kind: "change",
  examples: ["tollgate keys disable ci-bot", "tollgate keys disable ci-bot web-prod"],
  arguments: [{ name: "keys", description: "names or ids", many: true, completes: "keys" }],
  fields: eachFields,
  operations: ["updateApiKey"],
  exitCodes: { 8: "some of the keys were not changed" },
  run: (context, _, { keys }) => switchKeys(context, keys, true),
});
