import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { ReadLimit } from "../upstream/abandoned-read.ts";
import type { CallAccount } from "./call-account.ts";
import { hasTokenLimits, isPossible, mostOutput, usageOf } from "./usage-of.ts";

/**
 * The usage of a call that was not read to its end. A report is used if there is one. Otherwise visible text and input
 * are counted. If a limit ended the read and the model may bill output that nobody sees, the call is charged what it
 * holds: less would make hidden output free for whoever reaches the limit on purpose.
 */
export function abandonedUsage(
  account: CallAccount,
  reported: Usage | null,
  output: OutputMeter | null,
  limit: ReadLimit | null,
): Usage {
  if (reported?.source === "reported" && isPossible(account, reported)) return reported;
  const counted = usageOf(account, reported, null, output);
  const { call, deployment } = account;
  // Without an output meter the response was not streamed, so that nothing of its output was seen.
  const showsOutput = output !== null && deployment.facts.billsHiddenTokens === false;
  if (limit === null || showsOutput) return counted;
  if (!hasTokenLimits(account)) return { ...(call.kind.boundUsage(call, deployment) ?? NO_USAGE), source: "estimated" };
  const held = Math.min(account.heldOutput, mostOutput(account));
  if (!Number.isFinite(held) || held <= counted.outputTokens) return counted;
  return { ...counted, outputTokens: held, source: "estimated" };
}
