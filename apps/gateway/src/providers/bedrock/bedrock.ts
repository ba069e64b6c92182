import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import type { PreparedTarget, Provider, TargetSettings, Translation } from "../../call/provider.ts";
import { bearer, prepareTarget } from "../build-request.ts";
import { bedrockAddress } from "./bedrock-address.ts";
import { bedrockCredentialSource, bedrockLayer, EVENT_STREAM } from "./bedrock-layer.ts";
import { bedrockTraits } from "./bedrock-traits.ts";
import { buildConverseRequest } from "./build-converse-request.ts";
import { ConverseStreamReader } from "./converse-stream-reader.ts";
import { bedrockTokenCounting } from "./count-tokens.ts";
import { bedrockEmbeddings } from "./embeddings.ts";
import { readConverseAnswer } from "./read-converse-answer.ts";
import { readBedrockFailure } from "./read-failure.ts";
import { bedrockFields } from "./request-fields.ts";

const params = [
  "max_tokens",
  "max_completion_tokens",
  "stream",
  "stream_options",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "response_format",
  "service_tier",
  "user",
] as const;

/** Chat completions over the Converse API, which supports models from all vendors. */
const chat: Translation<ChatRequest> = {
  supportedParams: supportedChatParams,
  buildRequest: buildConverseRequest,
  readAnswer: readConverseAnswer,
  readStream: (call) => new ConverseStreamReader(call),
  readsCacheMarks: true,
};

/** Amazon Bedrock: the Converse API for chat, with signed requests or an API key. */
export const bedrock: Provider = {
  name: "bedrock",
  defaultApiBase: null,
  apiKeyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  translations: { "chat.completions": chat, embeddings: bedrockEmbeddings },
  prepare,
  requestFields: bedrockFields,
  outputLimitParam: "max_tokens",
  readFailure: readBedrockFailure,
  tokenCounting: bedrockTokenCounting,
  apiBaseOf: bedrockAddress,
  layerOf: bedrockLayer,
  credentialSourceOf: bedrockCredentialSource,
  optionVariables: [
    {
      aws_access_key_id: ["AWS_ACCESS_KEY_ID"],
      aws_secret_access_key: ["AWS_SECRET_ACCESS_KEY"],
      aws_session_token: ["AWS_SESSION_TOKEN"],
      // Amazon's library reads its own variables for these.
      aws_role_name: [],
      aws_profile_name: [],
      aws_web_identity_token: [],
    },
    { aws_region_name: ["AWS_REGION_NAME", "AWS_REGION", "AWS_DEFAULT_REGION"] },
    { aws_bedrock_runtime_endpoint: ["AWS_BEDROCK_RUNTIME_ENDPOINT"] },
  ],
};

/** Prepares the default headers, with Amazon's stream format in the Accept header for streams. */
function prepare({ upstreamModel, apiKey }: TargetSettings): PreparedTarget {
  const prepared = prepareTarget(upstreamModel, apiKey, bearer);
  const streamHeaders = prepared.streamHeaders.map((value) => (value === "text/event-stream" ? EVENT_STREAM : value));
  return { ...prepared, streamHeaders };
}

function supportedChatParams(upstreamModel: string): readonly string[] {
  const { messages, reasoning, isClaude, takesStops } = bedrockTraits(upstreamModel);
  const thinks = reasoning === "claude" ? messages.thinking !== "none" : reasoning !== "none";
  return [
    ...params,
    ...(messages.takesSampling ? ["temperature", "top_p"] : []),
    ...(takesStops ? ["stop"] : []),
    ...(isClaude ? ["parallel_tool_calls"] : []),
    ...(thinks ? ["reasoning_effort"] : []),
    ...(thinks && isClaude ? ["thinking"] : []),
  ];
}
