import { notFoundError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { readConfigFile, removeProfile } from "../../../settings/config-file.ts";
import { readCredential, removeCredential } from "../../../settings/credentials.ts";

/** `tollgate profiles delete`: deletes a profile's settings and sign-in from this computer. */
export const profilesDelete = defineCommand({
  kind: "change",
  examples: ["tollgate profiles delete work", "tollgate profiles delete work --dry-run"],
  arguments: [{ name: "profile", description: "Profile name" }],
  fields: ["profile"],
  async run(context, _, { profile }) {
    const { env } = context.io;
    const isKnown = profile in readConfigFile(env).profiles || readCredential(env, profile) !== null;
    if (!isKnown) throw notFoundError(`Unknown profile '${profile}'.`, "tollgate profiles list");
    const summary = `Delete profile ${profile} with its settings and credentials on this computer`;
    if (!(await context.confirms({ summary, confirm: profile }))) return;
    removeCredential(env, profile);
    removeProfile(env, profile);
    context.output.record({ profile }, () => "");
    context.output.done(`Deleted profile ${profile}`);
  },
});
