import { ApiError } from "@tollgate/sdk/http/api-error.ts";
import type { CommandContext } from "./context.ts";
import { ask, canAsk } from "./prompts/prompt.ts";

/**
 * Applies a change. If the platform requires the password again, prompts for it or reads TOLLGATE_PASSWORD, and
 * retries.
 */
export async function withRecentPassword<Result>(
  context: CommandContext,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    const isAsked = error instanceof ApiError && error.reason === "REAUTHENTICATION_REQUIRED";
    const given = context.io.env.TOLLGATE_PASSWORD ?? "";
    if (!isAsked || (given === "" && !canAsk(context.io))) throw error;
    const password = given === "" ? await ask(context.io, "Password:", "TOLLGATE_PASSWORD", { isSecret: true }) : given;
    await withOneTimeCode(context, (totp) => context.platform.call("reauthenticate", { body: { password, ...totp } }));
    return change();
  }
}

/** Prompts for a one-time code if the account requires one, or reads it from TOLLGATE_TOTP. */
export async function withOneTimeCode<Result>(
  context: CommandContext,
  call: (totp: { readonly totp?: string }) => Promise<Result>,
): Promise<Result> {
  const given = context.io.env.TOLLGATE_TOTP ?? "";
  try {
    return await call(given === "" ? {} : { totp: given });
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== "TOTP_REQUIRED" || given !== "") throw error;
    const totp = await ask(context.io, "One-time code:", "TOLLGATE_TOTP");
    return call({ totp: totp.trim() });
  }
}
