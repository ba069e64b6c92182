import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import { PlatformClient } from "@tollgate/sdk/platform/platform-client.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { credentialsPath } from "../../../settings/config-folder.ts";
import { readCredential, removeCredential, type StoredCredential } from "../../../settings/credentials.ts";

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
      credential !== null && (await endSession(() => openPlatform(context, credential).call("logout")));
    const removed = removeCredential(env, profile);
    const { output } = context;
    if (output.isJson) return output.record({ profile, removed, sessionEnded }, () => "");
    if (!removed) return output.note(`Profile ${profile} is not signed in.`);
    output.done(`Removed the credentials for profile ${profile} from ${credentialsPath(env)}`);
    if ((credential?.apiKey ?? null) !== null)
      output.warn("The API key of this sign-in still works on the server. To delete it: tollgate keys delete NAME");
    if (!sessionEnded)
      output.warn(
        `Could not end the session at ${credential?.url ?? context.url}. It expires automatically, or you can end it in Settings > Sessions.`,
      );
    if (env.TOLLGATE_TOKEN) output.warn("TOLLGATE_TOKEN is still set in the environment.");
  },
});

/** Returns a client for the server that the user signed in to, which may differ from the configured server. */
function openPlatform(context: CommandContext, { url, token }: StoredCredential): PlatformClient {
  return new PlatformClient({ platformUrl: url, token, ...context.sendOptions });
}

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
