import { MessageRequest, MessageRequestForModel, messageParams } from "@tollgate/contracts/messages/message-request.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { chat } from "../chat/chat.ts";
import { countInput } from "../count-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";
import { anthropicErrorFormat } from "./anthropic-error-format.ts";
import { checkMessageRequest } from "./check-message-request.ts";
import { countMessage } from "./count-message.ts";
import { estimateBlockTokens } from "./estimate-block-tokens.ts";
import { findMessageTexts } from "./message-texts.ts";

/** The Anthropic Messages API, served by any model. */
export const messages: OperationKind<MessageRequest> = {
  name: "messages",
  fields: {
    required: ["messages"],
    params: messageParams,
    // A chat model may serve the request, so chat fields that affect the cost must not be in `extra_body` either.
    settled: new Set([...chat.fields.settled, "system", "tools", "metadata", "cache_control"]),
  },
  schema: MessageRequest,
  schemaForModel: MessageRequestForModel,
  words: anthropicErrorFormat,
  writesText: true,
  findTexts: findMessageTexts,
  check: checkMessageRequest,
  weighParts: estimateBlockTokens,
  endUserOf: (request) => request.metadata?.user_id,
  formOf: (request) => (request.stream === true ? "events" : "whole"),
  wantsUsage: (request) => request.stream === true,
  boundUsage: () => null,
  countUsage: (call, deployment, answer, outputTokens) =>
    estimatedUsage(countInput(call, deployment), answer === null ? outputTokens : countMessage(answer)),
};
