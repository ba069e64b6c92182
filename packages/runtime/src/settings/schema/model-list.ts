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
  price,
  raw,
  seconds,
  secret,
  text,
} from "./fields.ts";
import { unknownParamsChoices } from "./gateway-section.ts";

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

/** What becomes of an upstream response whose client has disconnected. */
export const disconnectPolicies = ["finish", "abort"] as const;

/** What some providers need besides an address and a key. */
export const providerOptions = {
  organization: optional(text("The organization the provider bills")),
  ai_sdk: optional(text("The adapter package that serves this deployment")),
  aws_access_key_id: optional(secret("AWS access key id")),
  aws_secret_access_key: optional(secret("AWS secret access key")),
  aws_session_token: optional(secret("AWS session token")),
  aws_region_name: optional(text("AWS region")),
  aws_role_name: optional(text("AWS role to assume (no effect in this version)")),
  aws_session_name: optional(text("AWS session name (no effect in this version)")),
  aws_profile_name: optional(text("AWS profile (no effect in this version)")),
  aws_web_identity_token: optional(secret("AWS web identity token (no effect in this version)")),
  aws_bedrock_runtime_endpoint: optional(text("Address of the Bedrock runtime")),
  vertex_project: optional(text("Google Cloud project")),
  vertex_location: optional(text("Google Cloud location")),
  vertex_credentials: optional(secret("Google Cloud service account, as JSON or a file's path")),
  azure_ad_token: optional(secret("Microsoft Entra token")),
  tenant_id: optional(text("Microsoft Entra tenant")),
  client_id: optional(text("Microsoft Entra client")),
  client_secret: optional(secret("Microsoft Entra client secret")),
} as const;

const connection = {
  api_base: optional(text("Address of the provider; its usual one when left out")),
  api_key: optional(secret("Key of the provider; its usual variable when left out")),
  api_version: optional(text("Version of the provider's interface")),
  ...providerOptions,
} as const;

/** As other gateways' files write some of these. */
const otherSpellings = {
  base_url: "api_base",
  vertex_ai_project: "vertex_project",
  vertex_ai_location: "vertex_location",
  vertex_ai_credentials: "vertex_credentials",
} as const;

const prices = {
  input_cost_per_token: price("Price of an input token"),
  output_cost_per_token: price("Price of an output token"),
  cache_read_input_token_cost: price("Price of an input token read from the provider's cache"),
  cache_creation_input_token_cost: price("Price of an input token written to the provider's cache"),
  output_cost_per_reasoning_token: price("Price of a reasoning token"),
  input_cost_per_audio_token: price("Price of an input token of audio"),
  output_cost_per_audio_token: price("Price of an output token of audio"),
  input_cost_per_token_above_200k_tokens: price("Price of an input token of prompts above 200,000 tokens"),
  output_cost_per_token_above_200k_tokens: price("Price of an output token of prompts above 200,000 tokens"),
  cache_read_input_token_cost_above_200k_tokens: price("Price of a cached input token of prompts above 200,000 tokens"),
  cache_creation_input_token_cost_above_200k_tokens: price("Price of a cache write of prompts above 200,000 tokens"),
  input_cost_per_character: price("Price of an input character"),
  input_cost_per_second: price("Price of a second of input"),
  output_cost_per_second: price("Price of a second of output"),
  output_cost_per_image: price("Price of an image"),
  input_cost_per_query: price("Price of a search of documents, in the provider's own unit"),
  input_cost_per_pixel: price("Price of a pixel (shown and not charged: set output_cost_per_image)"),
} as const;

const perMinute = {
  rpm: optional(count("Requests per minute")),
  tpm: optional(count("Tokens per minute")),
} as const;

export const LitellmParams = Type.Object(
  {
    model: text("The provider and its model: <provider>/<model>, with * for the part a wildcard stands for"),
    ...connection,
    litellm_credential_name: optional(text("A credential of credential_list")),
    custom_llm_provider: optional(text("The provider, where the model does not begin with one")),
    ...perMinute,
    weight: optional(number("Share of the calls of its group")),
    order: optional(count("Lower values are used first")),
    timeout: optional(seconds("Seconds for one attempt")),
    stream_timeout: optional(seconds("Seconds to the first part of a stream, and between parts")),
    max_parallel_requests: optional(count("Calls under way at once", { minimum: 1 })),
    tags: names("Tags a request can ask for"),
    drop_params: optionalFlag("Leave out parameters the provider does not know"),
    allowed_openai_params: names("Parameters sent although the provider is not known to take them"),
    additional_drop_params: names("Parameters left out always"),
    allowed_params: names(
      "Request fields sent to this deployment besides those on its provider's list, also ones that can change the bill; tools.<type> allows a tool that the provider runs",
    ),
    allowed_headers: names("Names that callers may use in extra_headers besides those on its provider's list"),
    unknown_params: optional(
      choice(
        "gw_settings.unknown_params for this deployment; forward trusts its upstream: callers may send it any field, and billing cannot know what those cost",
        unknownParamsChoices,
      ),
    ),
    cooldown_time: optional(number("Seconds of rest after failures", { maximum: 86_400 })),
    num_retries: optional(count("Further attempts after the first", { maximum: 100 })),
    region_name: optional(text("Region the deployment runs in")),
    on_disconnect: optional(
      knownName("Whether the gateway reads the response to its end after the client disconnects", disconnectPolicies),
    ),
    configurable_clientside_auth_params: list(
      "Set to [api_key] to let callers bring their own key (no effect in this version)",
      raw("A name"),
    ),
    ...prices,
  },
  {
    description: "How the deployment is reached, limited and priced",
    "x-aliases": otherSpellings,
    "x-without-effect": paramsWithoutEffect,
  },
);

export const ModelInfo = Type.Object(
  {
    id: optional(text("The deployment's id; made from its settings when left out")),
    base_model: optional(text("The model whose facts and prices apply")),
    mode: optional(knownName("What the model does", modelModes)),
    access_groups: names("Access groups that hold this deployment's group"),
    max_input_tokens: optional(count("Largest prompt")),
    max_output_tokens: optional(count("Longest answer")),
    max_tokens: optional(count("Longest answer, where max_output_tokens is not given")),
    team_id: optional(text("The team that alone sees this deployment")),
    team_public_model_name: optional(text("The name that team uses")),
    health_check_model: optional(text("The model a health check calls, for wildcards")),
    health_check_timeout: optional(seconds("Seconds a health check waits")),
    supports_vision: optionalFlag("Takes images"),
    supports_function_calling: optionalFlag("Calls functions"),
    supports_parallel_function_calling: optionalFlag("Calls several functions at once"),
    supports_response_schema: optionalFlag("Answers by a JSON Schema"),
    supports_web_search: optionalFlag("Searches the web"),
    supports_reasoning: optionalFlag("Reasons before it answers"),
    supported_openai_params: names("Parameters the model takes"),
    litellm_provider: optional(text("The provider, as shown")),
    ...perMinute,
    ...prices,
  },
  { description: "Facts about the deployment", default: {} },
);

export const ModelEntry = Type.Object({
  model_name: text("The group this deployment serves: the name clients send"),
  litellm_params: LitellmParams,
  model_info: ModelInfo,
  ...perMinute,
});

export const Credential = Type.Object({
  credential_name: text("The name deployments use"),
  credential_values: Type.Object(connection, {
    description: "Used where the deployment does not say it itself",
    "x-aliases": otherSpellings,
  }),
  credential_info: optional(raw("Free notes")),
});

export const Guardrail = Type.Object({
  guardrail_name: text("The name requests and keys use"),
  litellm_params: raw("What the guardrail is and when it runs"),
  guardrail_info: optional(raw("Free notes")),
});

export const guardrailKinds = ["keyword_block", "regex_pii", "max_length", "moderation", "webhook"] as const;
const guardrailMode = knownName("When it runs", ["pre_call", "during_call", "post_call", "logging_only"]);

export const GuardrailParams = Type.Object({
  guardrail: knownName("Which check", guardrailKinds),
  mode: Type.Union([guardrailMode, list("When it runs", guardrailMode)]),
  default_on: flag("Runs on every call, asked for or not", false),
  on_error: knownName("What a failing check does", ["block", "allow"], "block"),
});

export type ModelEntry = Static<typeof ModelEntry>;
export type Credential = Static<typeof Credential>;
export type Guardrail = Static<typeof Guardrail>;
