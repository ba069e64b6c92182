import type { TurnUsage } from "@tollgate/domain/assistants/records.ts";
import Type from "typebox";

export const UsageObject = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

/** Converts the usage of a run's calls to its wire format. */
export function describeUsage({ promptTokens, completionTokens }: TurnUsage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
