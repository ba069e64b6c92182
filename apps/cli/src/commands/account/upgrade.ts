import { defineCommand } from "../../command.ts";

/** What was installed lies in a folder of its package manager; a checkout does not. */
const isInstalled = import.meta.filename.includes("node_modules");
const command = isInstalled ? "npm install --global --ignore-scripts tollgate@latest" : "git pull && scripts/setup";

/** `tollgate upgrade`: says how. It changes nothing: a program under way should not be replaced under its own feet. */
export const upgrade = defineCommand({
  examples: ["tollgate upgrade", "tollgate upgrade --jq .command"],
  fields: ["version", "command"],
  async run({ version, output }) {
    output.record({ version, command }, () => {
      const after = "Back up the database first (tollgate backup). The server migrates it on its next start.";
      return `Installed version: ${version}. To upgrade${isInstalled ? "" : ", run in the checkout"}:\n\n  ${command}\n\n${after}\n`;
    });
  },
});
