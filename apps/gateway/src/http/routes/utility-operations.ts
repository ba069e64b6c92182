import type { InferenceOperation } from "../route-table.ts";
import { calculateSpend } from "./calculate-spend.ts";
import { costQuote } from "./cost-quote.ts";
import { countMessageTokens } from "./count-message-tokens.ts";
import { tokenCounter } from "./token-counter.ts";
import { transformRequest } from "./transform-request.ts";
import type { UtilityContext } from "./utility-operation.ts";

/** Returns every operation that describes calls without making them, in the order of the API reference. */
export function utilityOperations(context: UtilityContext): readonly InferenceOperation[] {
  return [
    countMessageTokens(context),
    tokenCounter(context),
    transformRequest(context),
    costQuote(context),
    calculateSpend(context),
  ];
}
