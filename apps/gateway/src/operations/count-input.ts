import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { countPrompt } from "../../tokens/count-prompt.ts";
import type { Call } from "../call.ts";
import { estimateInput } from "./estimate-call.ts";

/**
 * Maximum length, in characters, at which an aborted call's prompt is counted precisely. The prompts of running calls
 * are counted roughly, because that count is used only after a crash.
 */
const CAREFUL_CHARACTERS = 256 * 1024;
const QUICK_CHARACTERS = 16 * 1024;

/** Counts the prompt tokens, as precisely as possible in reasonable time. */
export function countInput(call: Call, deployment: Deployment, mostCharacters = CAREFUL_CHARACTERS): number {
  const { prompt } = call;
  const most = estimateInput(call, deployment);
  return prompt === null ? most : Math.min(most, countPrompt(prompt, mostCharacters));
}

/** Returns the current usage of a running call, as counted by the gateway. The prompt is counted only once. */
export function usageSoFar(call: Call, deployment: Deployment, outputTokens: number): Usage {
  if (call.kind.keepsRequest === true) return call.kind.countUsage(call, deployment, null, outputTokens);
  call.roughInput ??= countInput(call, deployment, QUICK_CHARACTERS);
  return { ...NO_USAGE, inputTokens: call.roughInput, outputTokens, source: "estimated" };
}
