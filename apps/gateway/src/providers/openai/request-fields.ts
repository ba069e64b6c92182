import type { OperationName } from "../../call/operation-traits.ts";
import type { RequestFields, ToolEntry } from "../../call/request-fields.ts";
import { unpricedEverywhere } from "../compile-fields.ts";

/** Reports whether the client runs a tool. OpenAI has two types of client-run tools. */
const isFunction = ({ type }: ToolEntry): boolean => type === "function" || type === "custom";

/**
 * Types of tools in the Responses API that the client runs. `operations/responses` checks the tools inside a namespace.
 */
const responseTools: ReadonlySet<unknown> = new Set(["function", "custom", "local_shell", "apply_patch", "namespace"]);

const sampling = [
  "temperature",
  "top_p",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "stop",
  "logit_bias",
] as const;

/** Fields from https://platform.openai.com/docs/api-reference/chat/create */
const chat: RequestFields = {
  free: [
    ...sampling,
    "logprobs",
    "top_logprobs",
    "response_format",
    "tool_choice",
    "parallel_tool_calls",
    "functions",
    "function_call",
    "user",
    "safety_identifier",
    "reasoning_effort",
    "verbosity",
    "store",
    "metadata",
    "prompt_cache_key",
    "prompt_cache_retention",
  ],
  counted: [
    "model",
    "messages",
    "n",
    "max_tokens",
    "max_completion_tokens",
    "stream",
    "stream_options",
    "service_tier",
    "audio",
    "prediction",
  ],
  budgets: ["thinking"],
  // The gateway has no price for images that a model creates in a chat.
  only: { modalities: ["text", "audio"] },
  unpriced: ["moderation", "prompt_cache_options"],
  searches: ["web_search_options"],
  isClientTool: isFunction,
};

/** Fields from https://platform.openai.com/docs/api-reference/completions/create */
const completions: RequestFields = {
  free: [...sampling, "logprobs", "echo", "suffix", "user"],
  counted: ["model", "prompt", "n", "best_of", "max_tokens", "stream", "stream_options"],
};

/** Fields from https://platform.openai.com/docs/api-reference/embeddings/create */
const embeddings: RequestFields = {
  free: ["dimensions", "user"],
  counted: ["model", "input", "encoding_format"],
};

/** Fields from https://platform.openai.com/docs/api-reference/moderations/create */
const moderations: RequestFields = { counted: ["model", "input"] };

/** Fields from https://platform.openai.com/docs/api-reference/images/create */
const images: RequestFields = {
  free: ["style", "background", "output_compression", "moderation", "user", "safety_identifier", "frame_duration_ms"],
  counted: ["model", "prompt", "n", "size", "quality", "response_format", "stream", "partial_images"],
  // Other output formats create several images, or use a second model to create an image.
  only: { output_format: ["png", "jpeg", "webp"] },
  unpriced: ["complexity", "frame_count", "svg"],
};

/** Fields from https://platform.openai.com/docs/api-reference/audio/createSpeech */
const speech: RequestFields = {
  free: ["voice"],
  counted: ["model", "input", "instructions", "speed", "response_format", "stream_format"],
};

/** Fields from https://platform.openai.com/docs/api-reference/audio/createTranscription */
const transcriptions: RequestFields = {
  free: [
    "language",
    "languages",
    "prompt",
    "keywords",
    "temperature",
    "timestamp_granularities",
    "include",
    "chunking_strategy",
    "known_speaker_names",
    "known_speaker_references",
    "user",
  ],
  counted: ["model", "file", "response_format", "stream"],
};

/** Fields from https://platform.openai.com/docs/api-reference/responses/create */
const responses: RequestFields = {
  free: [
    "instructions",
    "temperature",
    "top_p",
    "top_logprobs",
    "text",
    "tool_choice",
    "parallel_tool_calls",
    "truncation",
    "include",
    "store",
    "metadata",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    // Codex describes itself in this field.
    "client_metadata",
  ],
  counted: [
    "model",
    "input",
    "max_output_tokens",
    "max_tool_calls",
    "stream",
    "stream_options",
    "service_tier",
    "previous_response_id",
    "conversation",
    "prompt",
    "background",
  ],
  inside: {
    reasoning: { free: ["effort", "summary", "generate_summary", "context"], only: { mode: ["standard"] } },
  },
  unpriced: ["moderation", "prompt_cache_options", "context_management", "access_programs", "image"],
  isClientTool: ({ type }) => responseTools.has(type),
  reportsToolUse: true,
};

/** Fields of the format that providers share with Cohere, from https://docs.cohere.com/reference/rerank */
const rerank: RequestFields = {
  free: ["top_n", "return_documents", "rank_fields", "user"],
  counted: ["model", "query", "documents", "max_chunks_per_doc", "max_tokens_per_doc"],
};

/** Field lists for every provider with the OpenAI format. The Anthropic Messages operation has its own list. */
const openAiFields: Readonly<Record<Exclude<OperationName, "messages">, RequestFields>> = {
  "chat.completions": chat,
  completions,
  embeddings,
  moderations,
  "audio.speech": speech,
  "audio.transcriptions": transcriptions,
  "images.generations": images,
  responses,
  rerank,
};

/** Operations that generate text. A server's own sampling fields apply to all of them. */
const textOperations: ReadonlySet<OperationName> = new Set(["chat.completions", "completions", "responses"]);

/** A provider's own fields, either for specific operations or for all operations that generate text. */
export interface OwnFields {
  readonly text?: RequestFields;
  readonly operations?: Readonly<Partial<Record<OperationName, RequestFields>>>;
}

/** Returns the field lists that apply to one provider, from general to specific. */
export function listsOf(
  operation: Exclude<OperationName, "messages">,
  { text, operations }: OwnFields = {},
): readonly RequestFields[] {
  const own = operations?.[operation];
  return [
    unpricedEverywhere,
    openAiFields[operation],
    ...(text !== undefined && textOperations.has(operation) ? [text] : []),
    ...(own !== undefined ? [own] : []),
  ];
}
