import { defineCommand } from "../../../command.ts";
import { configPath, credentialsPath } from "../../../settings/config-folder.ts";
import { readProjectFile } from "../../../settings/project-file.ts";

/** `tollgate config path`: shows which configuration files are read. */
export const configPaths = defineCommand({
  examples: ["tollgate config path", "tollgate config path --jq .config"],
  fields: ["config", "credentials", "project"],
  async run(context) {
    const { env, cwd } = context.io;
    const paths = {
      config: configPath(env),
      credentials: credentialsPath(env),
      project: readProjectFile(cwd)?.path ?? null,
    };
    context.output.pairs(paths, Object.entries(paths));
  },
});
