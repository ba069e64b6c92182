import type { GeminiLogprob, LogprobsResult } from "./gemini-wire.ts";

/** Converts log probabilities to the chat completions format. */
export function readLogprobs(result: LogprobsResult): object {
  const content = (result.chosenCandidates ?? []).map((chosen, index) => ({
    ...tokenOf(chosen),
    top_logprobs: (result.topCandidates?.[index]?.candidates ?? []).map(tokenOf),
  }));
  return { content, refusal: null };
}

function tokenOf({ token = "", logProbability = 0 }: GeminiLogprob): object {
  return { token, logprob: logProbability, bytes: [...Buffer.from(token, "utf8")] };
}
