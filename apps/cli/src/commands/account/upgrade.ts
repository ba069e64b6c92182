import { defineCommand } from "../../command.ts";

const ways = [
  ["from a checkout", "git pull && bin/pnpm install"],
  ["npm", "npm install --global tollgate@latest"],
  ["Homebrew", "brew upgrade tollgate"],
  ["container", "pull the new image and start it again"],
] as const;

/** `tollgate upgrade`: says how. It changes nothing, because it cannot know who put it there. */
export const upgrade = defineCommand({
  examples: ["tollgate upgrade", "tollgate upgrade --jq .version"],
  fields: ["version", "ways"],
  async run(context) {
    const { version, output } = context;
    const lines = ways.map(([name, command]) => `  ${name.padEnd(16)}  ${command}\n`).join("");
    output.record({ version, ways: ways.map(([name, command]) => ({ name, command })) }, () => {
      return `This is ${version}. Upgrade it the way it was installed:\n\n${lines}\nA server takes its backup first, and migrates by itself at its next start.\n`;
    });
  },
});
