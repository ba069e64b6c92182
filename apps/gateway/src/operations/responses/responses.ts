import {
  ResponseRequest,
  ResponseRequestForModel,
  responseParams,
} from "@tollgate/contracts/responses/response-request.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { chat } from "../chat/chat.ts";
import { countInput } from "../count-input.ts";
import { estimatedUsage } from "../estimated-usage.ts";
import { checkResponseRequest } from "./check-response-request.ts";
import { countResponse } from "./count-response.ts";
import { estimateItemTokens } from "./estimate-item-tokens.ts";
import { findResponseTexts } from "./find-response-texts.ts";

/** The Responses API, with output items and conversations that later requests can continue. */
export const responses: OperationKind<ResponseRequest> = {
  name: "responses",
  fields: {
    required: ["input"],
    params: responseParams,
    // A chat model may serve the request, so chat fields that affect the cost must not be in `extra_body` either.
    settled: new Set([
      ...chat.fields.settled,
      "input",
      "tools",
      "max_output_tokens",
      "store",
      "previous_response_id",
      "conversation",
      "prompt",
      "background",
    ]),
    own: ["previous_response_id", "conversation", "prompt", "background"],
  },
  schema: ResponseRequest,
  schemaForModel: ResponseRequestForModel,
  limitParams: ["max_output_tokens"],
  writesText: true,
  hasConversation: true,
  findTexts: findResponseTexts,
  check: checkResponseRequest,
  weighParts: estimateItemTokens,
  formOf: (request) => (request.stream === true ? "events" : "whole"),
  wantsUsage: (request) => request.stream === true,
  boundUsage: () => null,
  countUsage: (call, deployment, answer, outputTokens) =>
    estimatedUsage(countInput(call, deployment), answer === null ? outputTokens : countResponse(answer)),
};
