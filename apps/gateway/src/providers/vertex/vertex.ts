import type { Provider } from "../../call/provider.ts";
import { anthropicHeaders } from "../anthropic/client-headers.ts";
import { readMessagesFailure } from "../anthropic/read-failure.ts";
import { anthropicFields } from "../anthropic/request-fields.ts";
import { readGeminiFailure } from "../gemini/read-failure.ts";
import { googleFields } from "../gemini/request-fields.ts";
import { vertexEmbeddings } from "./embeddings.ts";
import { vertexCredentialSource } from "./google-credentials.ts";
import { tokenLayer } from "./token-layer.ts";
import { prepareVertex, vertexAddress } from "./vertex-address.ts";
import { vertexAnthropicChat, vertexAnthropicTokenCounting, vertexMessages } from "./vertex-anthropic.ts";
import { vertexChat, vertexTokenCounting } from "./vertex-gemini.ts";

/** Vertex AI with Google's own models, and the settings shared by all Vertex AI models. */
export const vertex: Provider = {
  name: "vertex_ai",
  defaultApiBase: null,
  apiKeyVariable: null,
  translations: { "chat.completions": vertexChat, embeddings: vertexEmbeddings },
  // The stable API version lacks some parameters of Google's models.
  prepare: (target) => prepareVertex(target, "v1beta1"),
  requestFields: googleFields,
  outputLimitParam: "max_tokens",
  readFailure: readGeminiFailure,
  tokenCounting: vertexTokenCounting,
  forModel: (upstreamModel) => (isAnthropic(upstreamModel) ? anthropicOnVertex : vertex),
  apiBaseOf: vertexAddress,
  layerOf: tokenLayer,
  credentialSourceOf: vertexCredentialSource,
  optionVariables: [
    { vertex_credentials: ["VERTEXAI_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS"] },
    { vertex_project: ["VERTEXAI_PROJECT", "GOOGLE_CLOUD_PROJECT"] },
    { vertex_location: ["VERTEXAI_LOCATION", "VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION"] },
  ],
};

/** Vertex AI with Anthropic models. */
const anthropicOnVertex: Provider = {
  ...vertex,
  translations: { "chat.completions": vertexAnthropicChat, messages: vertexMessages },
  prepare: (target) => prepareVertex(target, "v1"),
  requestFields: anthropicFields,
  requestHeaders: anthropicHeaders,
  // Errors from the model are in Anthropic's format, and errors from Google are in Google's format.
  readFailure: (status, headers, body) =>
    /"type"\s*:\s*"error"/.test(body)
      ? readMessagesFailure(status, headers, body)
      : readGeminiFailure(status, headers, body),
  tokenCounting: vertexAnthropicTokenCounting,
};

function isAnthropic(upstreamModel: string): boolean {
  return /^(?:anthropic\/)?claude/.test(upstreamModel);
}
