import type { InferenceOperation } from "../edge/route-table.ts";
import { costQuote } from "./cost-quote.ts";
import { tokenCounter } from "./token-counter.ts";
import { transformRequest } from "./transform-request.ts";
import type { UtilityContext } from "./utility-operation.ts";

/** Every operation that tells about calls without making them, in the order the reference shows them. */
export function utilityOperations(context: UtilityContext): readonly InferenceOperation[] {
  return [tokenCounter(context), transformRequest(context), costQuote(context)];
}
