import type { Deployment } from "../model-list/deployment.ts";
import { estimateInput } from "../pipeline/account/estimate-call.ts";
import type { Call } from "../pipeline/call.ts";
import { countPrompt } from "../tokens/count-prompt.ts";

/** Of a longer prompt only samples are counted. */
export const MAX_COUNTED_CHARACTERS = 256 * 1024;

/** Tokens a call gave its model to read, when nobody said how many those were. */
export function countUnreportedInput(
  call: Pick<Call, "prompt" | "bodyBytes" | "parts">,
  deployment: Deployment,
): number {
  return call.prompt === null ? estimateInput(call, deployment) : countPrompt(call.prompt, MAX_COUNTED_CHARACTERS);
}
