import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { type Call, inStage } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { CountedCall } from "../call/operation-kind.ts";
import { countPrompt } from "../tokens/count-prompt.ts";
import { estimateInput } from "./estimate-input.ts";

/**
 * Maximum length, in characters, at which an aborted call's prompt is counted precisely. The prompts of running calls
 * are counted roughly, because that count is used only after a crash.
 */
const CAREFUL_CHARACTERS = 256 * 1024;
const QUICK_CHARACTERS = 16 * 1024;

/** Counts the prompt tokens, as precisely as possible in reasonable time. */
export function countInput(
  call: Pick<CountedCall, "prompt" | "bodyBytes" | "parts">,
  deployment: Deployment,
  mostCharacters = CAREFUL_CHARACTERS,
): number {
  const { prompt } = call;
  const most = estimateInput(call, deployment);
  return prompt === null ? most : Math.min(most, countPrompt(prompt, mostCharacters));
}

/** Returns the current usage of a running call, as counted by the gateway. The prompt is counted only once. */
export function usageSoFar(call: Call, deployment: Deployment, outputTokens: number): Usage {
  if (call.kind.keepsRequest === true) return call.kind.countUsage(call, deployment, null, outputTokens);
  const roughInput = call.roughInput ?? countInput(call, deployment, QUICK_CHARACTERS);
  inStage(call, "opened").roughInput = roughInput;
  return { ...NO_USAGE, inputTokens: roughInput, outputTokens, source: "estimated" };
}
