import { Failure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { TokenCountQuery, TokenCountRequest, TokenCountResponse } from "@tollgate/contracts/utilities/token-count.ts";
import type { Caller } from "../../call/caller.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { TokenCounting } from "../../call/provider.ts";
import type { ModelLookup } from "../../models/model-lookup.ts";
import { fetchFromUpstream } from "../../providers/fetch-from-upstream.ts";
import { readUpstreamFailure } from "../../providers/read-upstream-failure.ts";
import type { CountingThread } from "../../tokens/counting-thread.ts";
import { gatherTexts } from "../../tokens/gather-texts.ts";
import { tokenizerOfModel } from "../../tokens/tokenizer-of-model.ts";
import { createBodyReader } from "../json-body.ts";
import type { InferenceOperation } from "../route-table.ts";
import { utilityFailures } from "./utility-failures.ts";
import { type UtilityContext, utilityOperation, utilityRules } from "./utility-operation.ts";

const PROVIDER_LIMIT_MS = 10_000;

/**
 * Counts the tokens in a prompt, either locally or through the model's provider if the provider supports token
 * counting. Free of charge.
 */
export const tokenCounter = (context: UtilityContext): InferenceOperation => {
  const readRequest = createBodyReader(TokenCountRequest);
  return utilityOperation<TokenCountQuery>(
    context,
    {
      ...utilityRules,
      id: "countTokens",
      summary: "Count the tokens in a prompt",
      paths: versionedPaths("/utils/token_counter"),
      bodyLimitBytes: 2 * 1024 * 1024,
      query: TokenCountQuery,
      body: TokenCountRequest,
      answers: { 200: { description: "The count.", schema: TokenCountResponse }, ...utilityFailures },
    },
    async (input) => {
      const { caller, query } = input;
      const request = readRequest(await input.readBody()) as TokenCountRequest;
      if (request.prompt == null && request.messages == null && request.contents == null) {
        throw new Failure("invalid_request", "Send at least one of 'prompt', 'messages', and 'contents'.");
      }
      const { settings, models } = context.current();
      const deployment = findDeployment(models, caller, request.model);
      if (query.call_endpoint !== true) return write(await countHere(context.counting, request, deployment, null));
      return write(await countThere(context.counting, request, deployment, settings.gateway.disableTokenCounter));
    },
  );
};

/** Failed attempt to get the provider's count. */
interface Attempt {
  readonly message: string;
  readonly status: number | null;
}

async function countHere(
  counting: CountingThread,
  request: TokenCountRequest,
  deployment: Deployment | null,
  failed: Attempt | null,
): Promise<TokenCountResponse> {
  const model = deployment?.upstreamModel ?? request.model;
  const { encoding, type } = tokenizerOfModel(model);
  const { texts, fixedTokens } = gatherTexts(request);
  return {
    total_tokens: fixedTokens + (await counting.count(texts, encoding)),
    request_model: request.model,
    model_used: model,
    tokenizer_type: type,
    original_response: null,
    error: false,
    error_message: failed?.message ?? null,
    status_code: failed?.status ?? null,
  };
}

/** Gets the provider's count. Falls back to a local count, unless the operator requires the provider's count. */
async function countThere(
  counting: CountingThread,
  request: TokenCountRequest,
  deployment: Deployment | null,
  isStrict: boolean,
): Promise<TokenCountResponse> {
  const tokenCounting = deployment?.provider.tokenCounting;
  if (deployment === null || tokenCounting === undefined) {
    const message = `The provider of '${request.model}' does not support token counting.`;
    if (isStrict) throw new Failure("token_counting_disabled", `${message} Local token counting is disabled.`);
    return countHere(counting, request, deployment, { message, status: null });
  }
  const counted = await ask(deployment, tokenCounting, request);
  if (!(counted instanceof Failure)) return counted;
  if (isStrict) throw counted;
  const upstreamStatus = counted.facts.detail?.upstreamStatus;
  const status = typeof upstreamStatus === "number" ? upstreamStatus : null;
  return countHere(counting, request, deployment, { message: counted.message, status });
}

async function ask(
  deployment: Deployment,
  tokenCounting: TokenCounting,
  request: TokenCountRequest,
): Promise<TokenCountResponse | Failure> {
  try {
    const question = tokenCounting.buildRequest(request, deployment);
    const { status, headers, text } = await fetchFromUpstream(deployment.transport, question, PROVIDER_LIMIT_MS);
    if (status !== 200) return withStatus(readUpstreamFailure(deployment, status, headers, text), status);
    const tokens = tokenCounting.readCount(text);
    if (tokens === null)
      return withStatus(new Failure("bad_gateway", "The provider returned an invalid token count."), status);
    return {
      total_tokens: tokens,
      request_model: request.model,
      model_used: deployment.upstreamModel,
      tokenizer_type: `${deployment.provider.name}_api`,
      original_response: JSON.parse(Buffer.from(text, "latin1").toString("utf8")),
      error: false,
      error_message: null,
      status_code: status,
    };
  } catch (error) {
    if (error instanceof Failure) return error;
    return new Failure("bad_gateway", "The provider returned an invalid token count.", { cause: error });
  }
}

function withStatus({ code, message, facts }: Failure, upstreamStatus: number): Failure {
  return new Failure(code, message, { ...facts, detail: { ...facts.detail, upstreamStatus } });
}

/** Returns a deployment of the model, preferring one whose provider counts tokens; null if the model is unknown. */
function findDeployment(models: ModelLookup, caller: Caller, asked: string): Deployment | null {
  try {
    const { targets } = models.find(caller, asked);
    return targets.find(({ provider }) => provider.tokenCounting !== undefined) ?? targets[0] ?? null;
  } catch (error) {
    if (error instanceof Failure && error.code === "model_not_found") return null;
    throw error;
  }
}

function write(response: TokenCountResponse): string {
  return JSON.stringify(response);
}
