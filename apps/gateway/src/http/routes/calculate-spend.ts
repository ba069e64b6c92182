import { CalculatedSpend, SpendCalculation } from "@tollgate/contracts/administration/spend-reports.ts";
import { ErrorResponse } from "@tollgate/contracts/error-bodies.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { exactNumber, usdNumber } from "@tollgate/domain/exact-number.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { withFees } from "../../accounting/call-fees.ts";
import type { Deployment } from "../../call/deployment.ts";
import { NO_PARTS } from "../../call/operation-kind.ts";
import { gatherTexts } from "../../tokens/gather-texts.ts";
import { tokenizerOfModel } from "../../tokens/tokenizer-of-model.ts";
import { createBodyReader } from "../json-body.ts";
import type { InferenceOperation } from "../route-table.ts";
import { utilityFailures } from "./utility-failures.ts";
import { type UtilityContext, utilityOperation, utilityRules } from "./utility-operation.ts";

/** A chat without tools, because the body doesn't contain the request that led to the response. */
const ANY_CHAT = { operation: "chat.completions", parts: NO_PARTS } as const;

/**
 * Calculates the cost of a prompt, or of a response with its usage, at a model's price. No model is called, and nothing
 * is charged.
 */
export const calculateSpend = (context: UtilityContext): InferenceOperation => {
  const readRequest = createBodyReader(SpendCalculation);
  return utilityOperation(
    context,
    {
      ...utilityRules,
      id: "calculateSpend",
      summary: "Calculate the cost of a prompt or a response",
      paths: ["/spend/calculate"],
      bodyLimitBytes: 2 * 1024 * 1024,
      body: SpendCalculation,
      answers: {
        200: { description: "The cost.", schema: CalculatedSpend },
        404: { description: "The model does not exist.", schema: ErrorResponse },
        ...utilityFailures,
      },
    },
    async (input) => {
      const request = readRequest(await input.readBody()) as SpendCalculation;
      const model = request.model ?? request.completion_response?.model ?? null;
      if (model === null) throw needed("model", "is required because it determines the price.");
      const { targets } = context.current().models.find(input.caller, model);
      const target = targets.find(({ price }) => price !== null) ?? null;
      if (target?.price == null) throw new Failure("price_missing", `No price is configured for model '${model}'.`);
      const usage = withFees(await usageOf(context, request, target), ANY_CHAT, target, target);
      const cost = priceCall(usage, target.price);
      return JSON.stringify({ cost: usdNumber(cost), cost_nano_usd: exactNumber(String(cost)) });
    },
  );
};

async function usageOf({ counting }: UtilityContext, request: SpendCalculation, target: Deployment): Promise<Usage> {
  const usage = request.completion_response?.usage ?? null;
  if (usage !== null) {
    const prompt = usage.prompt_tokens ?? 0;
    const cached = Math.min(prompt, usage.prompt_tokens_details?.cached_tokens ?? 0);
    const outputTokens = usage.completion_tokens ?? 0;
    return { ...NO_USAGE, inputTokens: prompt - cached, cacheReadTokens: cached, outputTokens };
  }
  if (request.messages == null) throw needed("messages", "or a completion_response with usage is required.");
  const { encoding } = tokenizerOfModel(target.upstreamModel);
  const { texts, fixedTokens } = gatherTexts({ model: target.upstreamModel, messages: request.messages });
  return { ...NO_USAGE, inputTokens: fixedTokens + (await counting.count(texts, encoding)), source: "estimated" };
}

function needed(param: string, problem: string): Failure {
  return new Failure("invalid_request", `${param} ${problem}`, { param });
}
