import { defineCommand } from "../../command.ts";

/** An installed package is inside node_modules, and a checkout isn't. */
const isInstalled = import.meta.filename.includes("node_modules");
const command = isInstalled ? "npm install --global --ignore-scripts tollgate@latest" : "git pull && scripts/setup";

/** `tollgate upgrade`: prints the upgrade command but doesn't run it, because a program should not replace itself. */
export const upgrade = defineCommand({
  examples: ["tollgate upgrade", "tollgate upgrade --jq .command"],
  fields: ["version", "command"],
  async run({ version, output }) {
    output.record({ version, command }, () => {
      const after =
        "Back up the database first (tollgate backup). The server migrates the database the next time it starts.";
      return `Installed version: ${version}. To upgrade${isInstalled ? "" : ", run in the checkout"}:\n\n  ${command}\n\n${after}\n`;
    });
  },
});
