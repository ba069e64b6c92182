import { Failure } from "@tollgate/contracts/failures.ts";
import { MessageCountRequest } from "@tollgate/contracts/messages/message-request.ts";
import { MessageCountResponse } from "@tollgate/contracts/messages/message-response.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { TokenCounting, UpstreamRequest } from "../../call/provider.ts";
import { anthropicErrorFormat } from "../../operations/messages/anthropic-error-format.ts";
import { toChatMessages } from "../../operations/messages/to-chat-messages.ts";
import { toChatTools } from "../../operations/messages/to-chat-tools.ts";
import { fetchFromUpstream } from "../../providers/fetch-from-upstream.ts";
import { readUpstreamFailure } from "../../providers/read-upstream-failure.ts";
import type { CountingThread } from "../../tokens/counting-thread.ts";
import { gatherTexts } from "../../tokens/gather-texts.ts";
import { tokenizerOfModel } from "../../tokens/tokenizer-of-model.ts";
import { createBodyReader } from "../json-body.ts";
import type { InferenceOperation } from "../route-table.ts";
import { messageFailures } from "./message-failures.ts";
import { type UtilityContext, utilityOperation, utilityRules } from "./utility-operation.ts";

const PROVIDER_LIMIT_MS = 10_000;

/**
 * Counts the tokens in a Messages API request, free of charge. If the model's provider doesn't support token counting,
 * the gateway counts them itself.
 */
export const countMessageTokens = (context: UtilityContext): InferenceOperation => {
  const readRequest = createBodyReader(MessageCountRequest);
  const operation = utilityOperation(
    context,
    {
      ...utilityRules,
      id: "countMessageTokens",
      summary: "Count the tokens in a message",
      tag: "messages",
      paths: versionedPaths("/messages/count_tokens"),
      bodyLimitBytes: 50 * 1024 * 1024,
      body: MessageCountRequest,
      answers: { 200: { description: "The count.", schema: MessageCountResponse }, ...messageFailures },
    },
    async ({ caller, readBody }) => {
      const request = readRequest(await readBody()) as MessageCountRequest;
      const { targets } = context.current().models.find(caller, request.model);
      const counter = targets.find(({ provider }) => provider.tokenCounting !== undefined);
      const counted = counter === undefined ? null : await ask(counter, request);
      const tokens = counted ?? (await countHere(context.counting, request, targets[0]?.upstreamModel));
      return JSON.stringify({ input_tokens: tokens });
    },
  );
  return { ...operation, words: anthropicErrorFormat };
};

/**
 * Returns the provider's count, or null if the tokens must be counted locally. Throws if the provider rejects the
 * request as invalid.
 */
async function ask(deployment: Deployment, request: MessageCountRequest): Promise<number | null> {
  const counting = deployment.provider.tokenCounting as TokenCounting;
  const question = questionOf(counting, deployment, request);
  if (question === null) return null;
  try {
    const { status, headers, text } = await fetchFromUpstream(deployment.transport, question, PROVIDER_LIMIT_MS);
    if (status === 200) return counting.readCount(text);
    const failure = readUpstreamFailure(deployment, status, headers, text);
    if (status === 400 && failure.status === 400) throw failure;
    return null;
  } catch (error) {
    if (error instanceof Failure && error.status === 400) throw error;
    return null;
  }
}

/** Returns the count request, or null if the provider's format cannot express the request. */
function questionOf(
  counting: TokenCounting,
  deployment: Deployment,
  request: MessageCountRequest,
): UpstreamRequest | null {
  if (counting.buildMessageRequest !== undefined) return counting.buildMessageRequest(request, deployment);
  try {
    return counting.buildRequest(
      { model: request.model, messages: toChatMessages(request, false), tools: toChatTools(request.tools) },
      deployment,
    );
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

async function countHere(
  counting: CountingThread,
  { model, messages, system, tools }: MessageCountRequest,
  upstreamModel: string | undefined,
): Promise<number> {
  const { encoding } = tokenizerOfModel(upstreamModel ?? model);
  const { texts, fixedTokens } = gatherTexts({
    model,
    messages: messages as object[],
    ...(system != null && { system: system as string }),
    ...(tools != null && { tools: tools as object[] }),
  });
  return fixedTokens + (await counting.count(texts, encoding));
}
