import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { ReadLimit } from "../upstream/abandoned-read.ts";
import type { CallAccount } from "./call-account.ts";
import { hasTokenLimits, isPossible, mostOutput, usageOf } from "./usage-of.ts";

/**
 * Returns the usage of a call whose response was not read to the end. Uses the provider's report if there is one, and
 * otherwise counts the visible text and the input. If a limit ended the read and the provider may bill for hidden
 * output, the call is charged its full hold. A lower charge would make hidden output free for callers who hit the limit
 * on purpose.
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
  // Without an output meter, the response was not streamed, so the gateway received none of its output.
  const showsOutput = output !== null && deployment.facts.billsHiddenTokens === false;
  if (limit === null || showsOutput) return counted;
  if (!hasTokenLimits(account)) return { ...(call.kind.boundUsage(call, deployment) ?? NO_USAGE), source: "estimated" };
  const held = Math.min(account.heldOutput, mostOutput(account));
  if (!Number.isFinite(held) || held <= counted.outputTokens) return counted;
  return { ...counted, outputTokens: held, source: "estimated" };
}
