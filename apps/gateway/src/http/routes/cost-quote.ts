import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { CostQuote, CostQuoteQuery, CostQuoteRequest } from "@tollgate/contracts/utilities/cost-quote.ts";
import type { Call } from "../../call/call.ts";
import { operationKinds } from "../../operations/operation-kinds.ts";
import type { InferenceOperation } from "../route-table.ts";
import { utilityFailures } from "./utility-failures.ts";
import { type UtilityContext, type UtilityInput, utilityOperation, utilityRules } from "./utility-operation.ts";

/** Estimates a call's cost and reports whether the call would be admitted. No model is called or charged. */
export const costQuote = (context: UtilityContext): InferenceOperation =>
  utilityOperation<CostQuoteQuery>(
    context,
    {
      ...utilityRules,
      id: "quoteCost",
      summary: "Quote the cost of a request",
      paths: versionedPaths("/utils/cost_quote"),
      bodyLimitBytes: 50 * 1024 * 1024,
      query: CostQuoteQuery,
      body: CostQuoteRequest,
      answers: {
        200: { description: "The quote. Amounts are exact integers.", schema: CostQuote },
        404: { description: "The model does not exist.", schema: ErrorResponse },
        429: { description: "No deployment of the model is available.", schema: ErrorResponse },
        ...utilityFailures,
      },
    },
    async (input) => write(await context.steps.quoteCall(await readCall(context, input), context.meanOutput)),
  );

async function readCall({ steps }: UtilityContext, input: UtilityInput<CostQuoteQuery>): Promise<Call> {
  const { exchange, caller, query } = input;
  const kind = operationKinds[query.operation ?? "chat.completions"];
  if (kind === undefined) {
    throw new Failure("invalid_request", "This operation is not supported.", { param: "operation" });
  }
  if (kind.isForm !== true) return steps.readCall(exchange, caller, kind, await input.readBody());
  const { bytes, file } = await steps.readForm(exchange, kind);
  return steps.readCall(exchange, caller, kind, bytes, file);
}

/** Writes amounts, which are big integers, with all their digits. */
function write(quote: CostQuote): string {
  const members = Object.entries(quote).map(([name, value]) => {
    return `${JSON.stringify(name)}:${typeof value === "bigint" ? value : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}`;
}
