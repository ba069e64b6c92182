import type { TurnUsage } from "@tollgate/domain/assistants/records.ts";
import Type from "typebox";

export const UsageObject = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
});

/** What calls of a run used, as the wire carries it. */
export function describeUsage({ promptTokens, completionTokens }: TurnUsage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}
