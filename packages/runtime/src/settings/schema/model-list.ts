import { type Static, Type } from "typebox";
import { paramsWithoutEffect } from "../without-effect.ts";
import {
  choice,
  count,
  flag,
  knownName,
  list,
  names,
  number,
  optional,
  optionalFlag,
  raw,
  seconds,
  secret,
  text,
} from "./fields.ts";
import { unknownParamsChoices } from "./gateway-section.ts";
import { priceFields, priceRules, unitPriceFields } from "./price-fields.ts";

export const modelModes = [
  "chat",
  "completion",
  "embedding",
  "image_generation",
  "audio_transcription",
  "audio_speech",
  "moderation",
  "rerank",
  "responses",
] as const;

/** Handling of an upstream response after the client has disconnected. */
export const disconnectPolicies = ["finish", "abort"] as const;

/** Options that some providers need in addition to a URL and a key. */
export const providerOptions = {
  organization: optional(text("Organization that the provider bills")),
  ai_sdk: optional(text("AI SDK package that serves this deployment")),
  aws_access_key_id: optional(secret("AWS access key ID")),
  aws_secret_access_key: optional(secret("AWS secret access key")),
  aws_session_token: optional(secret("AWS session token")),
  aws_region_name: optional(text("AWS region")),
  aws_role_name: optional(text("ARN of the AWS role to assume")),
  aws_session_name: optional(text("Session name for the AWS role")),
  aws_profile_name: optional(text("Profile in the AWS configuration files")),
  aws_web_identity_token: optional(
    secret("Web identity token for the AWS role, or oidc/file/<path> to read it from a file"),
  ),
  aws_bedrock_runtime_endpoint: optional(text("Bedrock runtime URL")),
  vertex_project: optional(text("Google Cloud project")),
  vertex_location: optional(text("Google Cloud location")),
  vertex_credentials: optional(secret("Google Cloud service account, as JSON or a file path")),
  azure_ad_token: optional(secret("Microsoft Entra token")),
  tenant_id: optional(text("Microsoft Entra tenant ID, if api_key is not set")),
  client_id: optional(text("Microsoft Entra client ID of an application or a managed identity, if api_key is not set")),
  client_secret: optional(secret("Microsoft Entra client secret of an application, if api_key is not set")),
} as const;

const connection = {
  api_base: optional(text("Provider URL; if not set, the provider's default")),
  api_key: optional(secret("Provider API key; if not set, the provider's default environment variable")),
  api_version: optional(text("Provider API version")),
  ...providerOptions,
} as const;

/** Field names in other gateways' files, mapped to Tollgate's names. */
const otherSpellings = {
  base_url: "api_base",
  vertex_ai_project: "vertex_project",
  vertex_ai_location: "vertex_location",
  vertex_ai_credentials: "vertex_credentials",
} as const;

const perMinute = {
  rpm: optional(count("Requests per minute")),
  tpm: optional(count("Tokens per minute")),
} as const;

const LitellmParams = Type.Object(
  {
    model: text("Provider and model, as <provider>/<model>; * stands for the part that a wildcard matches"),
    ...connection,
    litellm_credential_name: optional(text("Name of a credential in credential_list")),
    custom_llm_provider: optional(text("Provider, if the model name has no provider prefix")),
    ...perMinute,
    weight: optional(number("Relative share of the model group's requests")),
    order: optional(count("Priority; deployments with lower values are used first")),
    timeout: optional(seconds("Timeout per attempt, in seconds")),
    stream_timeout: optional(seconds("Timeout for the first chunk of a stream and between chunks, in seconds")),
    max_parallel_requests: optional(count("Max concurrent requests", { minimum: 1 })),
    tags: names("Tags that requests can use to select this deployment"),
    drop_params: optionalFlag("Drop parameters that the provider does not support"),
    allowed_openai_params: names("Parameters to send even if the provider is not known to support them"),
    additional_drop_params: names("Parameters to always drop"),
    allowed_params: names(
      "Additional request fields to send to this deployment, including fields that can change the cost; tools.<type> allows a tool that the provider runs",
    ),
    allowed_headers: names("Additional header names that callers can use in extra_headers"),
    unknown_params: optional(
      choice(
        "Overrides gw_settings.unknown_params for this deployment. With forward, callers can send any field, even if billing cannot determine its cost",
        unknownParamsChoices,
      ),
    ),
    cooldown_time: optional(number("Cooldown after failures, in seconds", { maximum: 86_400 })),
    num_retries: optional(count("Max retries after the first attempt", { maximum: 100 })),
    region_name: optional(text("Deployment region")),
    on_disconnect: optional(
      knownName(
        "Whether to read the rest of the provider's response after the client disconnects (finish) or to stop reading (abort)",
        disconnectPolicies,
      ),
    ),
    configurable_clientside_auth_params: list(
      "Set to [api_key] to let callers send their own provider API key",
      raw("A name"),
    ),
    own_key_price: Type.Object(unitPriceFields, {
      description:
        "Prices of requests with the caller's own provider API key; a price that is not set is 0. They have no conditions",
      default: {},
    }),
    price_rules: priceRules,
    prices_are_costs: flag(
      "The prices of this deployment are what the provider charges, even if the catalog has other prices",
      false,
    ),
    ...priceFields,
  },
  {
    description: "Provider, limits, and prices of the deployment",
    "x-aliases": otherSpellings,
    "x-without-effect": paramsWithoutEffect,
  },
);

const ModelInfo = Type.Object(
  {
    id: optional(text("Deployment ID; if not set, derived from the deployment's settings")),
    base_model: optional(text("Catalog model whose capabilities and prices apply")),
    mode: optional(knownName("Model type, such as chat or embedding", modelModes)),
    access_groups: names("Access groups that include this deployment's model group"),
    max_input_tokens: optional(count("Max input tokens")),
    max_output_tokens: optional(count("Max output tokens")),
    max_tokens: optional(count("Max output tokens, if max_output_tokens is not set")),
    team_id: optional(text("The only team that can use this deployment")),
    team_public_model_name: optional(text("Public model name for the deployment's team")),
    health_check_model: optional(text("Model to call in health checks for a wildcard deployment")),
    health_check_timeout: optional(seconds("Health check timeout, in seconds")),
    supports_vision: optionalFlag("Supports image input"),
    supports_function_calling: optionalFlag("Supports function calling"),
    supports_parallel_function_calling: optionalFlag("Supports parallel function calling"),
    supports_response_schema: optionalFlag("Supports JSON Schema responses"),
    supports_web_search: optionalFlag("Supports web search"),
    supports_reasoning: optionalFlag("Supports reasoning"),
    supported_openai_params: names("Parameters that the model supports"),
    litellm_provider: optional(text("Provider display name")),
    ...perMinute,
    ...priceFields,
  },
  { description: "Deployment metadata", default: {} },
);

export const ModelEntry = Type.Object({
  model_name: text("Public model name that clients send (model group)"),
  litellm_params: LitellmParams,
  model_info: ModelInfo,
  ...perMinute,
});

export const Credential = Type.Object({
  credential_name: text("Name that deployments refer to"),
  credential_values: Type.Object(connection, {
    description: "Defaults for settings that the deployment does not set",
    "x-aliases": otherSpellings,
  }),
  credential_info: optional(raw("Notes")),
});

export const Guardrail = Type.Object({
  guardrail_name: text("Name that requests and keys refer to"),
  litellm_params: raw("Guardrail type and when it runs"),
  guardrail_info: optional(raw("Notes")),
});

export const guardrailKinds = ["keyword_block", "regex_pii", "max_length", "moderation", "webhook"] as const;
const guardrailMode = knownName("When it runs", ["pre_call", "during_call", "post_call", "logging_only"]);

export const GuardrailParams = Type.Object({
  guardrail: knownName("Type of check", guardrailKinds),
  mode: Type.Union([guardrailMode, list("When it runs", guardrailMode)]),
  default_on: flag("Run on every request, even if not requested", false),
  on_error: knownName("What to do if the check fails", ["block", "allow"], "block"),
});

export type ModelEntry = Static<typeof ModelEntry>;
export type Credential = Static<typeof Credential>;
export type Guardrail = Static<typeof Guardrail>;
