import type { Deployment } from "../call/deployment.ts";
import type { CountedCall } from "../call/operation-kind.ts";
import { countPrompt } from "../tokens/count-prompt.ts";
import { estimateInput } from "./estimate-input.ts";

/** Maximum number of characters to tokenize in full. Longer prompts are sampled. */
export const MAX_COUNTED_CHARACTERS = 256 * 1024;

/** Estimates a call's input tokens if the provider didn't report them. */
export function countUnreportedInput(
  call: Pick<CountedCall, "prompt" | "bodyBytes" | "parts">,
  deployment: Deployment,
): number {
  const { prompt } = call;
  return prompt === null ? estimateInput(call, deployment) : countPrompt(prompt, MAX_COUNTED_CHARACTERS);
}
