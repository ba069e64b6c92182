import { defineCommand } from "../../command.ts";

const COMMAND = "git pull && scripts/setup";

/** `tollgate upgrade`: says how. It changes nothing: a program under way should not be replaced under its own feet. */
export const upgrade = defineCommand({
  examples: ["tollgate upgrade", "tollgate upgrade --jq .command"],
  fields: ["version", "command"],
  async run({ version, output }) {
    output.record({ version, command: COMMAND }, () => {
      const after = "Back the database up first: a server migrates it at its next start.";
      return `This is ${version}. In its checkout:\n\n  ${COMMAND}\n\n${after}\n`;
    });
  },
});
