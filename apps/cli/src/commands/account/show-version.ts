import { defineCommand } from "../../command.ts";

/** The `tollgate version` command. */
export const showVersion = defineCommand({
  examples: ["tollgate version", "tollgate version --json"],
  fields: ["version", "node", "platform"],
  async run(context) {
    const { version } = context;
    context.output.record(
      { version, node: process.version, platform: `${process.platform}-${process.arch}` },
      () => `${version}\n`,
    );
  },
});
