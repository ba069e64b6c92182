import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { NO_PARTS } from "../../operations/operation-kind.ts";
import type { OutputMeter } from "../../tokens/output-meter.ts";
import type { Call } from "../call.ts";
import type { ReadLimit } from "../upstream/abandoned-read.ts";
import type { CallAccount } from "./call-account.ts";
import { estimateInput } from "./estimate-call.ts";
import { hasTokenLimits, isPossible, mostOutput, usageOf } from "./usage-of.ts";

/**
 * Returns the usage of a call whose response was not read to the end. Uses the provider's report if there is one, and
 * otherwise counts the visible text and the input. If a limit ended the read and the provider may bill for hidden
 * output or for media, the call is charged what its hold covers. A lower charge would make them free for callers who
 * hit the limit on purpose.
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
  if (limit === null) return counted;
  if (!hasTokenLimits(account)) {
    return showsOutput ? counted : { ...(call.kind.boundUsage(call, deployment) ?? NO_USAGE), source: "estimated" };
  }
  // Some providers report the input at the start of a stream.
  const hasInput = call.parts === NO_PARTS || (reported !== null && inputOf(reported) > 0);
  const seen = hasInput ? counted : withMedia(counted, call, deployment);
  if (showsOutput) return seen;
  const held = Math.min(account.heldOutput, mostOutput(account));
  if (!Number.isFinite(held) || held <= counted.outputTokens) return seen;
  return { ...seen, outputTokens: held, source: "estimated" };
}

function inputOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** Adds the input that the gateway can't count, up to the input that the hold covers. */
function withMedia(counted: Usage, call: Call, deployment: Deployment): Usage {
  const inputTokens = Math.max(counted.inputTokens, estimateInput(call, deployment));
  return { ...counted, inputTokens, source: "estimated" };
}
