import type { FailureCode } from "@tollgate/contracts/failures.ts";
import { type DecodedAnswer, eventStream } from "../second-opinion.fixture.ts";

/** One upstream's responses, in formats that it has used. */
export interface RecordedWire {
  readonly model: string;
  /** `usage` is the upstream's usage object. `counted` is the same usage as counters that don't overlap. */
  readonly usage: Readonly<Record<string, unknown>> & { readonly total_tokens: number };
  readonly counted: Partial<DecodedAnswer["usage"]>;
  /** The member that contains the reasoning; null if the model returns no reasoning. */
  readonly thoughts: "reasoning" | "reasoning_content" | null;
  /** The position of the usage in a stream. */
  readonly streamUsage?: "own frame" | "last choice" | "every frame" | "own frame and x_groq" | "choice and own frame";
  readonly beside?: Readonly<Record<string, unknown>>;
  readonly besideChoice?: Readonly<Record<string, unknown>>;
  /** The stream's first frames. */
  readonly firstFrames?: string;
  readonly error: {
    readonly status: number;
    readonly body: unknown;
    readonly code: FailureCode;
    readonly says: string;
  };
}

export const TEXT = 'Oslo — "17 °C" 🌦';
export const THOUGHTS = "The user asks for the weather.";
const CALL_INPUT = { city: "Oslo", unit: "c" };

const plain = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});
const openAiError = (message: string, code: string | null, param: string | null = null) => ({
  error: { message, type: "invalid_request_error", param, code },
});

export const recordedWires: Readonly<Record<string, RecordedWire>> = {
  openai: {
    model: "gpt-4o-2024-08-06",
    usage: {
      ...plain(1_200, 330),
      prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 256, audio_tokens: 0, accepted_prediction_tokens: 0 },
    },
    counted: { input: 176, cacheRead: 1_024, output: 330, reasoning: 256 },
    thoughts: null,
    beside: { service_tier: "default", system_fingerprint: "fp_1" },
    error: {
      status: 400,
      body: openAiError("This model's maximum context length is 128000 tokens.", "context_length_exceeded", "messages"),
      code: "context_length_exceeded",
      says: "maximum context length",
    },
  },
  azure: {
    model: "gpt-4o-2024-08-06",
    usage: { ...plain(24, 9), prompt_tokens_details: { cached_tokens: 0 } },
    counted: { input: 24, output: 9 },
    thoughts: null,
    beside: { prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
    besideChoice: { content_filter_results: { hate: { filtered: false, severity: "safe" } } },
    firstFrames: eventStream(
      [{ choices: [], created: 0, id: "", model: "", object: "", prompt_filter_results: [] }],
      "",
    ),
    error: {
      status: 400,
      body: {
        error: {
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: "prompt",
          code: "content_filter",
          status: 400,
          innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: {} },
        },
      },
      code: "content_filter",
      says: "content management policy",
    },
  },
  openai_compatible: {
    model: "some-model",
    usage: plain(9, 4),
    counted: { input: 9, output: 4 },
    thoughts: "reasoning_content",
    error: {
      status: 404,
      body: openAiError("No such model.", "model_not_found"),
      code: "model_not_found",
      says: "No such",
    },
  },
  litellm_proxy: {
    model: "claude",
    usage: {
      ...plain(300, 20),
      prompt_tokens_details: { cached_tokens: 100, cache_creation_tokens: 50 },
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 50,
    },
    counted: { input: 150, cacheRead: 100, cacheWrite: 50, output: 20 },
    thoughts: "reasoning_content",
    error: { status: 429, body: openAiError("Too many.", "429"), code: "upstream_rate_limit", says: "Too many." },
  },
  openrouter: {
    model: "anthropic/claude-sonnet-4",
    usage: {
      ...plain(194, 22),
      cost: 0.0012,
      is_byok: false,
      prompt_tokens_details: { cached_tokens: 64, cache_write_tokens: 100, audio_tokens: 0 },
      cost_details: { upstream_inference_cost: null },
      completion_tokens_details: { reasoning_tokens: 11 },
    },
    counted: { input: 30, cacheRead: 64, cacheWrite: 100, output: 22, reasoning: 11 },
    thoughts: "reasoning",
    beside: { provider: "Anthropic" },
    besideChoice: { native_finish_reason: "completed" },
    firstFrames: ": OPENROUTER PROCESSING\n\n",
    error: {
      status: 403,
      body: {
        error: {
          code: 403,
          message: "Your chosen model requires moderation and your input was flagged for violence.",
          metadata: { reasons: ["violence"], flagged_input: "…" },
        },
        user_id: "user_1",
      },
      code: "content_policy_violation",
      says: "was flagged",
    },
  },
  github: {
    model: "openai/gpt-4.1",
    usage: { ...plain(18, 6), prompt_tokens_details: null },
    counted: { input: 18, output: 6 },
    thoughts: null,
    error: {
      status: 413,
      body: {
        error: { code: "tokens_limit_reached", message: "Request body too large. Max size: 8000 tokens.", details: "" },
      },
      code: "context_length_exceeded",
      says: "Max size",
    },
  },
  hosted_vllm: {
    model: "Qwen/Qwen3-8B",
    usage: { prompt_tokens: 24, total_tokens: 54, completion_tokens: 30, prompt_tokens_details: null } as never,
    counted: { input: 24, output: 30 },
    thoughts: "reasoning",
    besideChoice: { stop_reason: null },
    error: {
      status: 400,
      body: {
        object: "error",
        message: "This model's maximum context length is 4096 tokens.",
        type: "BadRequestError",
        param: null,
        code: 400,
      },
      code: "context_length_exceeded",
      says: "4096",
    },
  },
  ollama: {
    model: "qwen3:8b",
    usage: plain(26, 298),
    counted: { input: 26, output: 298 },
    thoughts: "reasoning",
    beside: { system_fingerprint: "fp_ollama" },
    error: { status: 404, body: { error: "model 'x' not found" }, code: "model_not_found", says: "not found" },
  },
  lm_studio: {
    model: "openai/gpt-oss-20b",
    usage: plain(71, 20),
    counted: { input: 71, output: 20 },
    thoughts: "reasoning",
    beside: { stats: {}, system_fingerprint: "gpt-oss-20b" },
    error: {
      status: 400,
      body: { error: "Trying to keep the first 6534 tokens when the context length is only 4096 tokens." },
      code: "context_length_exceeded",
      says: "4096",
    },
  },
  groq: {
    model: "openai/gpt-oss-120b",
    usage: {
      queue_time: 0.03,
      prompt_time: 0.001,
      completion_time: 0.5,
      total_time: 0.501,
      ...plain(148, 205),
      prompt_tokens_details: { cached_tokens: 128 },
      completion_tokens_details: { reasoning_tokens: 120 },
    },
    counted: { input: 20, cacheRead: 128, output: 205, reasoning: 120 },
    thoughts: "reasoning",
    streamUsage: "own frame and x_groq",
    beside: { system_fingerprint: "fp_2", x_groq: { id: "req_1" }, service_tier: "on_demand" },
    error: {
      status: 413,
      body: openAiError("Request too large for model on tokens per minute (TPM).", "rate_limit_exceeded"),
      code: "upstream_rate_limit",
      says: "tokens per minute",
    },
  },
  together_ai: {
    model: "deepseek-ai/DeepSeek-R1",
    usage: { ...plain(12, 90), cached_tokens: 4 },
    counted: { input: 8, cacheRead: 4, output: 90 },
    thoughts: "reasoning",
    beside: { prompt: [] },
    besideChoice: { seed: 12345, logprobs: null },
    error: {
      status: 422,
      body: openAiError("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.", null),
      code: "unprocessable_entity",
      says: "max_new_tokens",
    },
  },
  fireworks_ai: {
    model: "accounts/fireworks/models/kimi-k2",
    usage: { ...plain(25, 40), prompt_tokens_details: { cached_tokens: 16 } },
    counted: { input: 9, cacheRead: 16, output: 40 },
    thoughts: "reasoning_content",
    error: {
      status: 400,
      body: {
        error: {
          object: "error",
          type: "invalid_request_error",
          code: "invalid_request_error",
          message: "The prompt is too long: 200000, model maximum context length: 131071",
        },
      },
      code: "context_length_exceeded",
      says: "131071",
    },
  },
  nvidia_nim: {
    model: "meta/llama-3.3-70b-instruct",
    usage: plain(20, 12),
    counted: { input: 20, output: 12 },
    thoughts: "reasoning_content",
    error: {
      status: 400,
      body: {
        type: "urn:problem",
        title: "Bad Request",
        status: 400,
        detail: "top_p must be positive",
        instance: "/v2",
      },
      code: "invalid_request",
      says: "top_p must be positive",
    },
  },
  cerebras: {
    model: "gpt-oss-120b",
    usage: { ...plain(99, 61), prompt_tokens_details: { cached_tokens: 32 } },
    counted: { input: 67, cacheRead: 32, output: 61 },
    thoughts: "reasoning",
    beside: { system_fingerprint: "fp_3", time_info: { queue_time: 0.001 } },
    error: {
      status: 400,
      body: {
        message: "Please reduce the length of the messages or completion.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
      code: "context_length_exceeded",
      says: "reduce the length",
    },
  },
  sambanova: {
    model: "Meta-Llama-3.3-70B-Instruct",
    usage: { ...plain(43, 16), time_to_first_token: 0.2, total_latency: 0.3, is_last_response: true },
    counted: { input: 43, output: 16 },
    thoughts: "reasoning",
    error: {
      status: 400,
      body: openAiError("stop must be a list", null),
      code: "invalid_request",
      says: "must be a list",
    },
  },
  deepinfra: {
    model: "Qwen/Qwen3-32B",
    usage: { ...plain(15, 16), estimated_cost: 0.0000054, prompt_tokens_details: null },
    counted: { input: 15, output: 16 },
    thoughts: "reasoning_content",
    error: {
      status: 404,
      body: { detail: { error: "Model not found." } },
      code: "model_not_found",
      says: "Model not found.",
    },
  },
  novita: {
    model: "deepseek/deepseek-v3",
    usage: { ...plain(11, 7), prompt_tokens_details: null, completion_tokens_details: null },
    counted: { input: 11, output: 7 },
    thoughts: "reasoning_content",
    error: {
      status: 400,
      body: { code: 400, reason: "INVALID_REQUEST_BODY", message: "messages is empty", metadata: {} },
      code: "invalid_request",
      says: "messages is empty",
    },
  },
  hyperbolic: {
    model: "meta-llama/Llama-3.3-70B-Instruct",
    usage: plain(35, 5),
    counted: { input: 35, output: 5 },
    thoughts: null,
    error: {
      status: 422,
      body: { detail: [{ type: "missing", loc: ["body", "messages"], msg: "Field required", input: {} }] },
      code: "unprocessable_entity",
      says: "Field required",
    },
  },
  nebius: {
    model: "Qwen/Qwen3-235B-A22B",
    usage: plain(14, 33),
    counted: { input: 14, output: 33 },
    thoughts: "reasoning_content",
    error: { status: 400, body: { detail: "Unknown sampler." }, code: "invalid_request", says: "Unknown sampler." },
  },
  lambda_ai: {
    model: "llama3.3-70b-instruct-fp8",
    usage: plain(16, 8),
    counted: { input: 16, output: 8 },
    thoughts: null,
    error: { status: 429, body: openAiError("Slow down.", null), code: "upstream_rate_limit", says: "Slow down." },
  },
  mistral: {
    model: "mistral-large-latest",
    usage: { ...plain(16, 34), num_cached_tokens: 0 },
    counted: { input: 16, output: 34 },
    thoughts: null,
    streamUsage: "last choice",
    error: {
      status: 422,
      body: {
        object: "error",
        message: {
          detail: [{ type: "extra_forbidden", loc: ["body", "logit_bias"], msg: "Extra inputs are not permitted" }],
        },
        type: "invalid_request_error",
        param: null,
        code: null,
      },
      code: "unprocessable_entity",
      says: "Extra inputs are not permitted",
    },
  },
  deepseek: {
    model: "deepseek-reasoner",
    usage: {
      ...plain(100, 50),
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 40 },
      prompt_cache_hit_tokens: 64,
      prompt_cache_miss_tokens: 36,
    },
    counted: { input: 36, cacheRead: 64, output: 50, reasoning: 40 },
    thoughts: "reasoning_content",
    error: {
      status: 400,
      body: openAiError("Content Exists Risk", "invalid_request_error"),
      code: "content_policy_violation",
      says: "Content Exists Risk",
    },
  },
  xai: {
    model: "grok-3-mini",
    usage: {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0 },
      num_sources_used: 0,
    },
    counted: { input: 26, cacheRead: 6, output: 103, reasoning: 94 },
    thoughts: "reasoning_content",
    error: {
      status: 400,
      body: {
        code: "Client specified an invalid argument",
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      code: "context_length_exceeded",
      says: "maximum prompt length",
    },
  },
  perplexity: {
    model: "sonar",
    usage: { ...plain(8, 439), search_context_size: "low", cost: { total_cost: 0.006 } },
    counted: { input: 8, output: 439 },
    thoughts: null,
    streamUsage: "every frame",
    beside: { citations: ["a.example"], search_results: [] },
    error: {
      status: 400,
      body: { error: { message: "Last message must have role `user`.", type: "invalid_message", code: 400 } },
      code: "invalid_request",
      says: "Last message",
    },
  },
  moonshot: {
    model: "kimi-k2-turbo-preview",
    usage: { ...plain(19, 21), cached_tokens: 10 },
    counted: { input: 9, cacheRead: 10, output: 21 },
    thoughts: "reasoning_content",
    streamUsage: "choice and own frame",
    error: {
      status: 400,
      body: { error: { message: "Your request exceeded model token limit: 8192", type: "invalid_request_error" } },
      code: "context_length_exceeded",
      says: "8192",
    },
  },
  dashscope: {
    model: "qwen-plus",
    usage: { ...plain(3_019, 104), prompt_tokens_details: { cached_tokens: 2_048 } },
    counted: { input: 971, cacheRead: 2_048, output: 104 },
    thoughts: "reasoning_content",
    error: {
      status: 400,
      body: {
        error: {
          code: "invalid_parameter_error",
          param: null,
          message: "Range of top_p should be (0.0, 1.0].",
          type: "x",
        },
      },
      code: "invalid_request",
      says: "Range of top_p",
    },
  },
  zai: {
    model: "glm-4.6",
    usage: { ...plain(1_200, 300), prompt_tokens_details: { cached_tokens: 800 } },
    counted: { input: 400, cacheRead: 800, output: 300 },
    thoughts: "reasoning_content",
    error: {
      status: 429,
      body: { error: { code: "1302", message: "High concurrency usage of this API." } },
      code: "upstream_rate_limit",
      says: "High concurrency",
    },
  },
};

/** Returns a complete response with text or with a tool call. */
export function recordedAnswer(wire: RecordedWire, isToolCall = false): Readonly<Record<string, unknown>> {
  const message = isToolCall
    ? { role: "assistant", content: null, tool_calls: [toolCall(undefined)] }
    : { role: "assistant", content: TEXT, ...thoughtsIn(wire, THOUGHTS) };
  return {
    ...headOf(wire, "chat.completion"),
    choices: [{ index: 0, message, finish_reason: isToolCall ? "tool_calls" : "stop", ...wire.besideChoice }],
    usage: wire.usage,
  };
}

/** Returns a streamed response with text or with a tool call. */
export function recordedStream(wire: RecordedWire, isToolCall = false): string {
  const { streamUsage = "own frame", usage } = wire;
  const head = headOf(wire, "chat.completion.chunk");
  const running = streamUsage === "every frame" ? { usage } : {};
  const delta = (content: Record<string, unknown>, finish: string | null, more = {}) => ({
    ...head,
    choices: [{ index: 0, delta: content, finish_reason: finish, ...wire.besideChoice }],
    ...running,
    ...more,
  });
  const half = Math.ceil(TEXT.length / 2);
  const pieces = isToolCall
    ? [delta({ role: "assistant", content: null, tool_calls: [toolCall(0)] }, null)]
    : [
        delta({ role: "assistant", content: "", ...thoughtsIn(wire, THOUGHTS) }, null),
        delta({ content: TEXT.slice(0, half) }, null),
        delta({ content: TEXT.slice(half) }, null),
      ];
  const last = {
    ...(streamUsage === "last choice" && { usage }),
    ...(streamUsage === "own frame and x_groq" && { x_groq: { id: "req_1", usage } }),
  };
  const finish = delta({}, isToolCall ? "tool_calls" : "stop", last);
  if (streamUsage === "choice and own frame") Object.assign(finish.choices[0] as object, { usage });
  const hasOwnFrame = streamUsage !== "last choice" && streamUsage !== "every frame";
  return (
    (wire.firstFrames ?? "") +
    eventStream([...pieces, finish, ...(hasOwnFrame ? [{ ...head, choices: [], usage }] : [])])
  );
}

/** Returns the expected content, which is the same for the complete and the streamed response. */
export function recordedMeaning(wire: RecordedWire, isToolCall = false): DecodedAnswer {
  return {
    text: isToolCall ? "" : TEXT,
    reasoning: isToolCall || wire.thoughts === null ? "" : THOUGHTS,
    toolCalls: isToolCall ? [{ id: "call00001", name: "weather", input: CALL_INPUT }] : [],
    finish: isToolCall ? "tool-calls" : "stop",
    usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, ...wire.counted },
  };
}

function headOf(wire: RecordedWire, object: string): Readonly<Record<string, unknown>> {
  return { id: "chatcmpl-1", object, created: 1_760_000_000, model: wire.model, ...wire.beside };
}

function thoughtsIn(wire: RecordedWire, text: string): Readonly<Record<string, string>> {
  return wire.thoughts === null ? {} : { [wire.thoughts]: text };
}

function toolCall(index: number | undefined): Readonly<Record<string, unknown>> {
  return {
    ...(index !== undefined && { index }),
    id: "call00001",
    type: "function",
    function: { name: "weather", arguments: JSON.stringify(CALL_INPUT) },
  };
}
