import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { defineCommand } from "../../../command.ts";
import { credentialsPath } from "../../../settings/config-folder.ts";
import { readCredential, removeCredential } from "../../../settings/credentials.ts";

/** `tollgate logout`: ends the session and deletes the token. */
export const logout = defineCommand({
  examples: ["tollgate logout", "tollgate logout --profile work"],
  fields: ["profile", "removed", "sessionEnded"],
  operations: ["logout"],
  async run(context) {
    const { env } = context.io;
    const { profile } = context.settings;
    const credential = readCredential(env, profile);
    const sessionEnded =
      credential !== null && (await endSession(() => context.platformAs(credential.token).call("logout")));
    const removed = removeCredential(env, profile);
    const { output } = context;
    if (output.isJson) return output.record({ profile, removed, sessionEnded }, () => "");
    if (!removed) return output.note(`Profile ${profile} is not signed in.`);
    output.done(`Removed the credentials for profile ${profile} from ${credentialsPath(env)}`);
    if (!sessionEnded)
      output.warn(
        `Could not end the session at ${context.url}. It expires automatically, or you can end it in Settings > Sessions.`,
      );
    if (env.TOLLGATE_TOKEN) output.warn("TOLLGATE_TOKEN is still set in the environment.");
  },
});

/** Ends the session. A token that is already invalid isn't an error. */
async function endSession(end: () => Promise<unknown>): Promise<boolean> {
  try {
    await end();
    return true;
  } catch (error) {
    if (error instanceof ApiError) return error.status === 401;
    throw error;
  }
}
