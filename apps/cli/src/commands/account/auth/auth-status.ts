import { defineCommand } from "../../../command.ts";
import { EXIT } from "../../../exit-codes.ts";
import { formatAge, formatTime } from "../../../format-values.ts";
import { credentialsPath } from "../../../settings/config-folder.ts";
import { isSamePlace, readCredential } from "../../../settings/credentials.ts";

/** `tollgate auth status`: shows the stored credential, its owner, and its expiry. Sends no request. */
export const authStatus = defineCommand({
  examples: ["tollgate auth status", "tollgate auth status --json"],
  fields: ["signedIn", "profile", "url", "source", "storedIn", "keychain", "email", "expiresAt", "inferenceKey"],
  exitCodes: { 4: "Not signed in" },
  async run(context) {
    const { env } = context.io;
    const { profile } = context.settings;
    const stored = readCredential(env, profile);
    const isFromEnvironment = Boolean(env.TOLLGATE_TOKEN);
    const isUsable = stored !== null && isSamePlace(stored.url, context.url);
    const status = {
      signedIn: isFromEnvironment || isUsable,
      profile,
      url: context.url,
      source: isFromEnvironment ? "TOLLGATE_TOKEN" : isUsable ? "file" : null,
      storedIn: stored === null ? null : credentialsPath(env),
      keychain: false,
      email: stored?.email ?? null,
      expiresAt: stored?.expiresAt ?? null,
      inferenceKey: env.TOLLGATE_API_KEY ? "TOLLGATE_API_KEY" : context.storedApiKey() === null ? null : "file",
    };
    context.output.pairs(status, [
      ["signed in", status.signedIn ? "yes" : "no (run tollgate login)"],
      ["platform", context.url],
      ["profile", profile],
      ["as", status.email],
      ["credential", describeSource(status)],
      ["stored credentials", stored !== null && !isUsable ? `for ${stored.url}, not for this platform` : null],
      [
        "expires",
        stored === null
          ? null
          : `${formatTime(stored.expiresAt)} (${formatAge(stored.expiresAt)}); renewed automatically`,
      ],
      ["API key", describeKey(status)],
    ]);
    return status.signedIn ? EXIT.ok : EXIT.notPermitted;
  },
});

function describeKey({ inferenceKey, storedIn }: Readonly<Record<"inferenceKey" | "storedIn", string | null>>): string {
  if (inferenceKey === null) return "not set (TOLLGATE_API_KEY, or tollgate login --create-key)";
  return inferenceKey === "file" ? `${storedIn} (created at sign-in)` : inferenceKey;
}

function describeSource(status: { readonly source: string | null; readonly storedIn: string | null }): string {
  if (status.source === "TOLLGATE_TOKEN") return "TOLLGATE_TOKEN in the environment";
  return status.storedIn === null
    ? "none"
    : `${status.storedIn} (readable only by you; the system keychain is not used)`;
}
