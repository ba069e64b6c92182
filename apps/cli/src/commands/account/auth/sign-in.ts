import type { CommandContext } from "../../../context.ts";
import { readConfigFile, writeSetting } from "../../../settings/config-file.ts";
import { credentialsPath } from "../../../settings/config-folder.ts";
import { isSamePlace, readCredential, writeCredential } from "../../../settings/credentials.ts";

/** Looks up the token's user on the platform, stores the token for this profile, and prints the sign-in. */
export async function signIn(context: CommandContext, token: string, expiresAt: string): Promise<void> {
  const { user, activeOrganizationId } = await context.platformAs(token).call("getMe");
  const { env } = context.io;
  const { profile, values } = context.settings;
  const isNew = readConfigFile(env).profiles[profile] === undefined;
  const former = readCredential(env, profile);
  // The key stays with the user who created it.
  const isSameUser = former !== null && former.email === user.email && isSamePlace(former.url, context.url);
  writeCredential(env, profile, {
    url: context.url,
    token,
    issuedAt: new Date().toISOString(),
    expiresAt,
    email: user.email,
    apiKey: isSameUser ? former.apiKey : null,
  });
  if (values.url.kind === "flag" || isNew) writeSetting(env, profile, "url", context.url);
  const { output } = context;
  if (output.isJson) {
    output.record({ user, activeOrganizationId, profile, url: context.url, expiresAt }, () => "");
    return;
  }
  output.done(`Signed in to ${context.url} as ${user.email}${profile === "default" ? "" : ` (profile ${profile})`}`);
  output.note(`  Credentials stored in ${credentialsPath(env)} (readable only by you)`);
  output.next("tollgate status", "tollgate keys create NAME");
}

/** JSON fields of a sign-in. */
export const signInFields = ["user", "activeOrganizationId", "profile", "url", "expiresAt"];
