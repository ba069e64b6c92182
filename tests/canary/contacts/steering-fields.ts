import { LURE } from "./plant-schema.ts";

/**
 * Fields that other gateways followed to a different host. Each is added to every body, at the top level and inside
 * forwarded objects.
 */
const members: Readonly<Record<string, unknown>> = {
  api_base: LURE,
  base_url: LURE,
  api_key: LURE,
  api_endpoint: LURE,
  azure_endpoint: LURE,
  endpoint: LURE,
  organization: LURE,
  proxy: LURE,
  proxies: { http: LURE, https: LURE },
  callback_url: LURE,
  webhook: LURE,
  success_callback: [LURE],
  logger_fn: LURE,
  langfuse_host: LURE,
  aws_bedrock_runtime_endpoint: LURE,
  aws_sts_endpoint: LURE,
  vertex_location: LURE,
  azure_ad_token: LURE,
  litellm_params: { api_base: LURE },
  litellm_metadata: { callback_settings: { host: LURE } },
  user_config: { model_list: [{ model_name: "x", litellm_params: { model: "openai/x", api_base: LURE } }] },
  fallbacks: [{ model: "gpt", api_base: LURE }],
  mcp_servers: [{ type: "url", url: LURE, name: "x" }],
  tools: [{ type: "mcp", server_url: LURE, server_label: "x" }],
  file_url: LURE,
  image: LURE,
  input_image: { image_url: LURE },
  guardrail_config: { api_base: LURE },
};

/** Fields to add to a valid body, one at a time. */
export const steeringBodies: readonly Readonly<Record<string, unknown>>[] = Object.entries(members).flatMap(
  ([name, value]) => [
    { [name]: value },
    { extra_body: { [name]: value } },
    { metadata: { [name]: value } },
    { extra_headers: { [name]: LURE } },
  ],
);

/** Headers that other gateways followed to a different host, or that some libraries trust. */
export const steeringHeaders: readonly string[] = [
  "x-forwarded-host",
  "x-forwarded-for",
  "forwarded",
  "x-original-url",
  "x-rewrite-url",
  "x-real-ip",
  "origin",
  "referer",
  "via",
  "link",
  "x-gw-api-base",
  "x-gw-tags",
  "x-gw-trace-id",
  "x-gw-session-id",
  "x-gw-end-user-id",
  "x-gw-spend-logs-metadata",
  "x-litellm-api-base",
  "x-litellm-tags",
  "x-portkey-custom-host",
  "x-portkey-config",
  "helicone-target-url",
  "openai-base-url",
  "openai-organization",
  "anthropic-base-url",
  "x-goog-api-client",
  "x-amz-security-token",
  "proxy-authorization",
  "proxy-connection",
  "user-agent",
  "traceparent",
  "baggage",
  "cookie",
];

/** Query parameters that can contain the lure. */
export const steeringQueries: readonly string[] = [
  "model",
  "api_base",
  "base_url",
  "url",
  "redirect",
  "callback",
  "api-version",
  "endpoint",
  "key",
];
