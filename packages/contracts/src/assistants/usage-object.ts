import type { ChargedUsage, TurnUsage } from "@tollgate/domain/assistants/records.ts";
import { exactNumber } from "@tollgate/domain/exact-number.ts";
import Type from "typebox";

const tokens = {
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
};

export const UsageObject = Type.Object(tokens);

export const RunUsageObject = Type.Object({
  ...tokens,
  cost_nano_usd: Type.Union([Type.Integer(), Type.Null()], {
    description:
      "The cost of the run's model requests in nano-USD, as in the ledger. Null while the cost of a request is unknown, and for runs of earlier versions.",
  }),
});

/** Converts the usage of one call to its wire format. */
export function describeUsage({ promptTokens, completionTokens }: TurnUsage) {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** Converts the usage and cost of all of a run's calls to their wire format. */
export function describeRunUsage(usage: ChargedUsage) {
  return { ...describeUsage(usage), cost_nano_usd: usage.cost === null ? null : exactNumber(String(usage.cost)) };
}
