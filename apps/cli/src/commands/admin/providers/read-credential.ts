import type { CommandContext } from "../../../context.ts";
import { ask, canAsk, readInput } from "../../../prompts/prompt.ts";

/** The flag that has a provider's credential read; the credential itself is never one. */
export const credentialFlag = {
  type: "boolean",
  description: "read the provider's credential from standard input (also TOLLGATE_PROVIDER_API_KEY)",
} as const;

/** A provider's credential, from where no other program sees it. Null when none was given. */
export async function readCredential(
  { io }: CommandContext,
  isPiped: boolean,
  isAsked: boolean,
): Promise<string | null> {
  const given = io.env.TOLLGATE_PROVIDER_API_KEY ?? "";
  if (isPiped) return (await readInput(io)).trim();
  if (given !== "") return given;
  if (!isAsked || !canAsk(io)) return null;
  const typed = await ask(io, "Credential of the provider (empty for none):", "--api-key-stdin", { isSecret: true });
  return typed.trim() === "" ? null : typed.trim();
}
