import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { ask, canAsk, readInput } from "../../../prompts/prompt.ts";
import { withOneTimeCode } from "../../../recent-password.ts";
import { offerKey } from "./offer-key.ts";
import { pairWithBrowser } from "./pair-with-browser.ts";
import { signIn, signInFields } from "./sign-in.ts";

/** `tollgate login`: signs in with the browser or with a password. */
export const login = defineCommand({
  examples: [
    "tollgate login",
    "tollgate login --create-key",
    "tollgate login --url https://tollgate.example.org --profile work",
    "tollgate login --email ada@example.org --password-stdin < password.txt",
  ],
  flags: {
    email: { type: "string", value: "EMAIL", description: "Sign in with this email address and a password" },
    "password-stdin": { type: "boolean", description: "Read the password from standard input" },
    "token-stdin": { type: "boolean", description: "Store a management token from standard input" },
    "create-key": { type: "boolean", description: "Create an API key for model requests without asking" },
    web: { type: "boolean", description: "Sign in through the browser, even if standard input is not a terminal" },
  },
  fields: signInFields,
  operations: ["createPairing", "claimPairing", "createToken", "getMe", "listTeams", "createApiKey", "listModels"],
  exitCodes: { 4: "Sign-in failed" },
  async run(context, flags) {
    const { token, expiresAt } = await getToken(context, flags);
    await signIn(context, token, expiresAt);
    await offerKey(context, token, flags["create-key"]);
  },
});

interface LoginFlags {
  readonly email: string | undefined;
  readonly "password-stdin": boolean;
  readonly "token-stdin": boolean;
  readonly web: boolean;
}

async function getToken(context: CommandContext, flags: LoginFlags): Promise<{ token: string; expiresAt: string }> {
  if (flags["token-stdin"]) {
    const token = (await readInput(context.io)).trim();
    return { token, expiresAt: expiryOf(token) };
  }
  const isPassword = flags.email !== undefined || flags["password-stdin"];
  if (!isPassword && (flags.web || canAsk(context.io))) return pairWithBrowser(context);
  return signInWithPassword(context, flags.email, flags["password-stdin"]);
}

async function signInWithPassword(context: CommandContext, given: string | undefined, fromInput: boolean) {
  const { io } = context;
  if (fromInput && given === undefined) throw usageError("--password-stdin requires --email.", "Add --email EMAIL.");
  const email = given ?? (await ask(io, "Email:", "--email EMAIL --password-stdin, or --web"));
  const password = fromInput
    ? (await readInput(io)).replace(/\r?\n$/, "")
    : await ask(io, "Password:", "--password-stdin", { isSecret: true });
  const platform = context.platformAs(null);
  return withOneTimeCode(context, (totp) => platform.call("createToken", { body: { email, password, ...totp } }));
}

/** Returns the expiry from the token's payload. The platform verifies the token. */
function expiryOf(token: string): string {
  try {
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { exp?: number };
    return new Date((claims.exp as number) * 1000).toISOString();
  } catch {
    throw usageError(
      "Standard input does not contain a management token.",
      "To print a management token, run tollgate auth token.",
    );
  }
}
