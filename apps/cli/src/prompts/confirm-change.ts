import { CliError, usageError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import type { Output } from "../output/output.ts";
import { ask, canAsk } from "./prompt.ts";

/** A change before it is applied: summary, details, and the text to type if the change is irreversible. */
export interface Plan {
  /** Example: `Delete key ci-bot (key_01…), used 3 minutes ago`. */
  readonly summary: string;
  readonly lines?: readonly string[];
  /**
   * Text that the user must type to confirm: the name of the object to delete. If omitted, no confirmation is required.
   */
  readonly confirm?: string;
  /** Request body, for `--dry-run --json`. */
  readonly request?: object;
}

/**
 * Reports whether to apply the change. Shows the change, asks for confirmation if the change is destructive, and
 * returns false with `--dry-run`.
 */
export async function confirmChange(
  io: Io,
  output: Output,
  plan: Plan,
  flags: { readonly yes: boolean; readonly "dry-run": boolean },
): Promise<boolean> {
  const lines = [plan.summary, ...(plan.lines ?? []).map((line) => `  ${line}`)];
  if (flags["dry-run"]) {
    const data = { dryRun: true, summary: plan.summary, lines: plan.lines ?? [], request: plan.request ?? null };
    if (output.isJson) output.jsonLine(data);
    else output.text(`Dry run: ${lines.join("\n")}\nNo changes were made.\n`);
    return false;
  }
  if (plan.confirm === undefined || flags.yes) return true;
  if (!canAsk(io))
    throw usageError(`${plan.summary}: confirmation is required, but standard input is not a terminal.`, "Add --yes.");
  io.stderr.write(`${lines.join("\n")}\n`);
  const typed = await ask(io, `Type ${plan.confirm} to confirm:`, "--yes");
  if (typed.trim() === plan.confirm) return true;
  throw new CliError(EXIT.failure, "NOT_CONFIRMED", "Not confirmed. No changes were made.");
}
