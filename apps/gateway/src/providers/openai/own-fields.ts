import type { OwnFields } from "./request-fields.ts";

const openSampling = ["top_k", "min_p", "repetition_penalty"] as const;
const guided = [
  "guided_json",
  "guided_regex",
  "guided_choice",
  "guided_grammar",
  "guided_decoding_backend",
  "guided_whitespace_pattern",
  "structured_outputs",
] as const;

/**
 * Fields from https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html. All of them are free, because
 * self-hosted servers don't charge for calls.
 */
const ownServerFields: OwnFields = {
  text: {
    free: [
      ...openSampling,
      ...guided,
      "length_penalty",
      "stop_token_ids",
      "include_stop_str_in_output",
      "ignore_eos",
      "min_tokens",
      "skip_special_tokens",
      "spaces_between_special_tokens",
      "truncate_prompt_tokens",
      "prompt_logprobs",
      "allowed_token_ids",
      "bad_words",
      "add_generation_prompt",
      "continue_final_message",
      "add_special_tokens",
      "documents",
      "chat_template_kwargs",
      "include_reasoning",
      "return_token_ids",
      "return_tokens_as_token_ids",
      "cache_salt",
      "priority",
    ],
    budgets: ["thinking_token_budget"],
  },
  operations: {
    embeddings: { free: ["truncate_prompt_tokens", "add_special_tokens", "normalize", "priority"] },
    rerank: { free: ["truncate_prompt_tokens", "priority"] },
    "audio.transcriptions": { free: ["top_p", ...openSampling, "frequency_penalty", "presence_penalty", "seed"] },
  },
};

/**
 * Provider-specific fields in addition to OpenAI's, keyed by the name of the entry in `wires.ts`. An entry that isn't
 * listed accepts only OpenAI's fields. The URLs point to the references that list the fields.
 */
export const ownFields: Readonly<Record<string, OwnFields>> = {
  // https://learn.microsoft.com/azure/ai-services/openai/reference
  azure: { text: { free: ["user_security_context"], unpriced: ["enhancements"] } },
  // https://openrouter.ai/docs/api-reference/parameters
  openrouter: {
    text: {
      free: [...openSampling, "top_a", "include_reasoning", "structured_outputs", "usage"],
      budgets: ["reasoning"],
      unpriced: ["image_config"],
    },
  },
  // https://docs.x.ai/docs/guides/live-search
  xai: { operations: { "chat.completions": { searches: ["search_parameters"] } } },
  hosted_vllm: ownServerFields,
  // https://docs.ollama.com/api/openai-compatibility
  ollama: { text: { free: ["reasoning"] } },
  // https://lmstudio.ai/docs/developer/openai-compat/chat-completions
  lm_studio: { text: { free: ["top_k", "repeat_penalty"] } },
  // https://console.groq.com/docs/api-reference
  groq: {
    text: {
      free: ["reasoning_format", "include_reasoning", "documents", "citation_options", "disable_tool_validation"],
      unpriced: ["compound_custom", "search_settings", "include_domains", "exclude_domains"],
    },
  },
  // https://docs.together.ai/reference/chat-completions-1 and /reference/post-images-generations
  together_ai: {
    text: {
      free: [...openSampling, "echo", "context_length_exceeded_behavior", "chat_template_kwargs", "compliance"],
      budgets: ["reasoning"],
      unpriced: ["safety_model"],
    },
    operations: {
      "images.generations": {
        free: ["seed", "negative_prompt", "guidance_scale", "disable_safety_checker"],
        unpriced: ["steps", "width", "height", "image_loras", "image_url", "reference_images"],
      },
    },
  },
  // https://docs.fireworks.ai/api-reference/post-chatcompletions
  fireworks_ai: {
    text: {
      free: [
        ...openSampling,
        "typical_p",
        "mirostat_target",
        "mirostat_lr",
        "ignore_eos",
        "prompt_truncate_len",
        "context_length_exceeded_behavior",
        "return_token_ids",
        "raw_output",
        "echo",
        "echo_last",
        "perf_metrics_in_response",
        "prompt_cache_isolation_key",
        "reasoning_history",
        "speculation",
      ],
    },
  },
  // https://docs.api.nvidia.com/nim/reference
  nvidia_nim: {
    text: {
      free: [...openSampling, ...guided, "nvext", "chat_template_kwargs", "ignore_eos", "min_thinking_tokens"],
      budgets: ["max_thinking_tokens"],
    },
    operations: { embeddings: { free: ["input_type", "truncate", "embedding_type"] } },
  },
  // https://inference-docs.cerebras.ai/api-reference/chat-completions
  cerebras: {
    text: { free: ["clear_thinking", "disable_reasoning", "reasoning_format", "min_tokens", "queue_threshold"] },
  },
  // https://docs.sambanova.ai/docs/en/api-reference
  sambanova: { text: { free: ["top_k", "do_sample", "chat_template_kwargs"] } },
  // https://deepinfra.com/docs/openai_api
  deepinfra: { text: { free: openSampling, budgets: ["reasoning"] } },
  // https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion
  novita: { text: { free: [...openSampling, "separate_reasoning", "enable_thinking"] } },
  hyperbolic: { text: { free: openSampling } },
  // https://docs.studio.nebius.com/api-reference
  nebius: { text: { free: [...openSampling, ...guided, "chat_template_kwargs"] } },
  lambda_ai: { text: { free: openSampling } },
  // https://docs.mistral.ai/api
  mistral: {
    text: { free: ["random_seed", "safe_prompt", "prompt_mode"] },
    operations: { embeddings: { free: ["output_dimension", "output_dtype"] } },
  },
  // https://docs.perplexity.ai/api-reference: search filters are free because every search is billed, but search modes
  // change the search price.
  perplexity: {
    text: {
      free: [
        "top_k",
        "search_domain_filter",
        "search_recency_filter",
        "search_after_date_filter",
        "search_before_date_filter",
        "last_updated_after_filter",
        "last_updated_before_filter",
        "search_language_filter",
        "language_preference",
        "return_images",
        "return_related_questions",
        "image_domain_filter",
        "image_format_filter",
        "disable_search",
      ],
      unpriced: ["search_mode", "enable_search_classifier", "media_response", "stream_mode", "num_search_results"],
    },
  },
  // https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference: thinking has a separate price.
  dashscope: {
    text: {
      free: ["top_k", "repetition_penalty", "translation_options"],
      budgets: ["thinking_budget"],
      only: { enable_thinking: [false] },
      unpriced: ["enable_code_interpreter", "vl_high_resolution_images"],
    },
  },
  // https://docs.z.ai/api-reference/llm/chat-completion
  zai: { text: { free: ["do_sample", "request_id", "tool_stream"] } },
  // https://jina.ai/reranker and https://docs.voyageai.com/reference/reranker-api
  jina_ai: { operations: { rerank: { free: ["truncation"] } } },
  voyage: { operations: { rerank: { free: ["truncation"] } } },
  sim: ownServerFields,
};
