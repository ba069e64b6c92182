import { signInError, usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { readCredential } from "../../../settings/credentials.ts";
import { renew } from "../../../settings/current-token.ts";

/** The `tollgate auth refresh` command. */
export const authRefresh = defineCommand({
  examples: ["tollgate auth refresh", "tollgate auth refresh --profile work"],
  fields: ["profile", "url", "expiresAt"],
  operations: ["refreshToken"],
  async run(context) {
    const { env } = context.io;
    if (env.TOLLGATE_TOKEN) throw usageError("TOLLGATE_TOKEN is set. A token from the environment cannot be renewed.");
    const credential = readCredential(env, context.settings.profile);
    if (credential === null) throw signInError("You are not signed in.", "tollgate login");
    const { expiresAt } = await renew(context, credential);
    context.output.record({ profile: context.settings.profile, url: context.url, expiresAt }, () => "");
    context.output.done(`Signed in until ${formatTime(expiresAt)}`);
  },
});
