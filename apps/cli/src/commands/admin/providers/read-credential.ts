import { usageError } from "../../../cli-error.ts";
import type { CommandContext } from "../../../context.ts";
import type { Io } from "../../../io.ts";
import { ask, canAsk, readInput } from "../../../prompts/prompt.ts";

/** Flag that reads a provider's API key from standard input. The key itself is never a flag value. */
export const credentialFlag = {
  type: "boolean",
  description: "Read the provider API key from standard input",
} as const;

/**
 * Reads the new provider's API key from standard input, the environment, or a prompt. Returns null if no key is given.
 */
export async function chooseCredential({ io }: CommandContext, isPiped: boolean): Promise<string | null> {
  if (isPiped) return readCredential(io);
  const given = io.env.TOLLGATE_PROVIDER_API_KEY ?? "";
  if (given !== "" || !canAsk(io)) return given === "" ? null : given;
  const typed = await ask(io, "Provider API key (empty for none):", "--api-key-stdin", { isSecret: true });
  return typed.trim() === "" ? null : typed.trim();
}

/** Reads the API key from standard input. */
export async function readCredential(io: Io): Promise<string> {
  const text = (await readInput(io)).trim();
  if (text === "") throw usageError("Standard input contains no API key.");
  return text;
}
