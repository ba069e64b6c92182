import { notFoundError } from "../../../cli-error.ts";
import { closestTo } from "../../../closest-to.ts";
import { defineCommand } from "../../../command.ts";
import { readConfigFile, writeDefaultProfile } from "../../../settings/config-file.ts";

/** The `tollgate profiles use` command. */
export const profilesUse = defineCommand({
  examples: ["tollgate profiles use work", "tollgate profiles use default"],
  arguments: [{ name: "profile", description: "Profile name" }],
  fields: ["profile"],
  async run(context, _, { profile }) {
    const { env } = context.io;
    const known = Object.keys(readConfigFile(env).profiles);
    if (profile !== "default" && !known.includes(profile)) {
      const close = closestTo(profile, known);
      throw notFoundError(
        `Unknown profile '${profile}'.`,
        close === null ? `tollgate login --profile ${profile} --url URL` : `Did you mean '${close}'?`,
      );
    }
    writeDefaultProfile(env, profile);
    context.output.record({ profile }, () => "");
    context.output.done(`Switched to profile ${profile}`);
    if (env.TOLLGATE_PROFILE) context.output.warn("TOLLGATE_PROFILE overrides this setting.");
  },
});
