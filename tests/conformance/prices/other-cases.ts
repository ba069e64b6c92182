import {
  chatAnswer,
  frames,
  geminiAnswer,
  messageAnswer,
  type PriceCase,
  question,
  questionOf,
  type RefusalCase,
  TOKENS_NANO,
  textOf,
  tokens,
} from "./price-case.ts";

const anthropic = { api_key: "sk-ant" };
const caches = {
  ...tokens,
  cache_read_input_token_cost: 0.0000001,
  cache_creation_input_token_cost: 0.00000125,
  cache_creation_input_token_cost_above_1hr: 0.000002,
};
const longCache = {
  messages: [
    {
      role: "user",
      content: [{ type: "text", text: textOf(4_500), cache_control: { type: "ephemeral", ttl: "1h" } }],
    },
  ],
  max_tokens: 200,
};
const written = {
  cache_creation_input_tokens: 3_000,
  cache_read_input_tokens: 500,
  cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
};
const CACHE_NANO = TOKENS_NANO + 500n * 100n + 1_000n * 1_250n + 2_000n * 2_000n;

const anthropicCases: readonly PriceCase[] = [
  {
    provider: "Anthropic",
    condition: "one-hour and five-minute cache writes, cached reads",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...caches },
    path: "/v1/messages",
    request: longCache,
    response: messageAnswer("claude-sonnet-4-5", written),
    nanoUsd: CACHE_NANO,
  },
  {
    provider: "Anthropic",
    condition: "one-hour cache writes over chat completions",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...caches },
    path: "/v1/chat/completions",
    request: longCache,
    response: messageAnswer("claude-sonnet-4-5", written),
    nanoUsd: CACHE_NANO,
  },
  {
    provider: "Anthropic",
    condition: "web search",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...tokens, web_search_cost_per_query: 0.01 },
    path: "/v1/messages",
    request: { ...question, tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }] },
    response: messageAnswer("claude-sonnet-4-5", { server_tool_use: { web_search_requests: 3 } }),
    nanoUsd: TOKENS_NANO + 30_000_000n,
  },
  {
    provider: "Anthropic",
    condition: "web search, streamed",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...tokens, web_search_cost_per_query: 0.01 },
    path: "/v1/messages",
    request: { ...question, stream: true, tools: [{ type: "web_search_20250305", name: "web_search" }] },
    response: frames(
      [
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "claude-sonnet-4-5",
            content: [],
            usage: { input_tokens: 1_000, output_tokens: 1 },
          },
        },
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Not much." } },
        { type: "content_block_stop", index: 0 },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          usage: { output_tokens: 100, server_tool_use: { web_search_requests: 2 } },
        },
        { type: "message_stop" },
      ],
      true,
    ),
    nanoUsd: TOKENS_NANO + 20_000_000n,
  },
  {
    provider: "Anthropic",
    condition: "code execution session",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...tokens, code_interpreter_cost_per_session: 0.005 },
    path: "/v1/messages",
    request: { ...question, tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
    response: messageAnswer("claude-sonnet-4-5", {}, [
      { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: { command: "ls" } },
    ]),
    nanoUsd: TOKENS_NANO + 5_000_000n,
  },
  {
    provider: "Anthropic",
    condition: "code execution session of a chat completion",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...tokens, code_interpreter_cost_per_session: 0.005 },
    path: "/v1/chat/completions",
    request: { ...question, tools: [{ type: "code_execution_20250825", name: "code_execution" }] },
    response: messageAnswer("claude-sonnet-4-5", {}, [
      { type: "server_tool_use", id: "srvtoolu_1", name: "bash_code_execution", input: { command: "ls" } },
    ]),
    nanoUsd: TOKENS_NANO + 5_000_000n,
  },
  {
    provider: "Anthropic",
    condition: "region us",
    model: "anthropic/claude-sonnet-4-5",
    params: {
      ...anthropic,
      ...tokens,
      price_rules: [{ region: "us", input_cost_per_token: 0.0000011, output_cost_per_token: 0.000011 }],
    },
    path: "/v1/messages",
    request: question,
    response: messageAnswer("claude-sonnet-4-5", { inference_geo: "us" }),
    nanoUsd: (TOKENS_NANO * 11n) / 10n,
  },
  {
    provider: "Anthropic",
    condition: "service tier batch",
    model: "anthropic/claude-sonnet-4-5",
    params: {
      ...anthropic,
      ...tokens,
      input_cost_per_token_batches: 0.0000005,
      output_cost_per_token_batches: 0.000005,
    },
    path: "/v1/messages",
    request: question,
    response: messageAnswer("claude-sonnet-4-5", { service_tier: "batch" }),
    nanoUsd: TOKENS_NANO / 2n,
  },
];

interface Google {
  readonly provider: string;
  readonly prefix: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const googles: readonly Google[] = [
  { provider: "Gemini", prefix: "gemini", params: { api_key: "google-key" } },
  {
    provider: "Vertex AI",
    prefix: "vertex_ai",
    params: { api_key: "token", vertex_project: "acme", vertex_location: "europe-west4" },
  },
];

/** The Gemini API and Vertex AI name the service tier in different fields. */
function servedTier(prefix: string, tier: "flex" | "standard"): object {
  if (prefix === "gemini") return { serviceTier: tier };
  return { trafficType: tier === "flex" ? "ON_DEMAND_FLEX" : "ON_DEMAND" };
}

const googleCases = googles.flatMap(({ provider, prefix, params }): PriceCase[] => [
  {
    provider,
    condition: "web searches, billed per query",
    model: `${prefix}/gemini-3-pro-preview`,
    params: { ...params, ...tokens, web_search_cost_per_query: 0.014 },
    path: "/v1/chat/completions",
    request: { ...question, web_search_options: {} },
    response: geminiAnswer("gemini-3-pro-preview", { groundingMetadata: { webSearchQueries: ["a", "b", "c"] } }),
    nanoUsd: TOKENS_NANO + 42_000_000n,
  },
  {
    provider,
    condition: "web searches, billed per request",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens, web_search_cost_per_query: 0.035 },
    path: "/v1/chat/completions",
    request: { ...question, web_search_options: {} },
    response: geminiAnswer("gemini-2.5-flash", { groundingMetadata: { webSearchQueries: ["a", "b", "c"] } }),
    nanoUsd: TOKENS_NANO + 35_000_000n,
  },
  {
    provider,
    condition: "no search, although the request allows it",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens, web_search_cost_per_query: 0.035 },
    path: "/v1/chat/completions",
    request: { ...question, web_search_options: {} },
    response: geminiAnswer("gemini-2.5-flash"),
    nanoUsd: TOKENS_NANO,
  },
  {
    provider,
    condition: "URL context, which bills only tokens",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens },
    path: "/v1/chat/completions",
    request: { ...question, extra_body: { tools: [{ urlContext: {} }] } },
    response: geminiAnswer("gemini-2.5-flash", {}, { toolUsePromptTokenCount: 2_000, totalTokenCount: 3_100 }),
    nanoUsd: TOKENS_NANO + 2_000_000n,
  },
  {
    provider,
    condition: "input above 200,000 tokens, with reasoning",
    model: `${prefix}/gemini-2.5-pro`,
    params: {
      ...params,
      ...tokens,
      output_cost_per_reasoning_token: 0.00001,
      input_cost_per_token_above_200k_tokens: 0.000002,
      output_cost_per_token_above_200k_tokens: 0.000015,
    },
    path: "/v1/chat/completions",
    request: questionOf(200_001),
    response: geminiAnswer(
      "gemini-2.5-pro",
      {},
      {
        promptTokenCount: 200_001,
        candidatesTokenCount: 40,
        thoughtsTokenCount: 60,
        totalTokenCount: 200_101,
      },
    ),
    nanoUsd: 200_001n * 2_000n + 100n * 15_000n,
  },
  {
    provider,
    condition: "service tier flex",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens, input_cost_per_token_flex: 0.0000005, output_cost_per_token_flex: 0.000005 },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "flex" },
    response: geminiAnswer("gemini-2.5-flash", {}, servedTier(prefix, "flex")),
    nanoUsd: TOKENS_NANO / 2n,
  },
  {
    provider,
    condition: "service tier priority, served as standard",
    model: `${prefix}/gemini-2.5-flash`,
    params: {
      ...params,
      ...tokens,
      input_cost_per_token_priority: 0.0000018,
      output_cost_per_token_priority: 0.000018,
    },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "priority" },
    response: geminiAnswer("gemini-2.5-flash", {}, servedTier(prefix, "standard")),
    nanoUsd: TOKENS_NANO,
  },
]);

const bedrock = { aws_access_key_id: "AKIAEXAMPLE", aws_secret_access_key: "secret", aws_region_name: "us-east-1" };
const converse = (usage: object = {}, more: object = {}): object => ({
  output: { message: { role: "assistant", content: [{ text: "Not much." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100, ...usage },
  ...more,
});

const bedrockCases: readonly PriceCase[] = [
  {
    provider: "Bedrock",
    condition: "one-hour and five-minute cache writes, cached reads",
    model: "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
    params: { ...bedrock, ...caches },
    path: "/v1/chat/completions",
    request: longCache,
    response: converse({
      cacheReadInputTokens: 500,
      cacheWriteInputTokens: 3_000,
      cacheDetails: [
        { ttl: "5m", inputTokens: 1_000 },
        { ttl: "1h", inputTokens: 2_000 },
      ],
    }),
    nanoUsd: CACHE_NANO,
  },
  {
    provider: "Bedrock",
    condition: "service tier priority",
    model: "bedrock/amazon.nova-pro-v1:0",
    params: { ...bedrock, ...tokens, input_cost_per_token_priority: 0.000002, output_cost_per_token_priority: 0.00002 },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "priority" },
    response: converse({}, { serviceTier: { type: "priority" } }),
    nanoUsd: TOKENS_NANO * 2n,
  },
  {
    provider: "Bedrock",
    condition: "service tier flex",
    model: "bedrock/amazon.nova-pro-v1:0",
    params: { ...bedrock, ...tokens, input_cost_per_token_flex: 0.0000005, output_cost_per_token_flex: 0.000005 },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "flex" },
    response: converse({}, { serviceTier: { type: "flex" } }),
    nanoUsd: TOKENS_NANO / 2n,
  },
];

/** Hours that contain every time, and hours that begin in six hours, so that the cases don't depend on the clock. */
const allDay = { name: "peak hours", time_zone: "Asia/Shanghai", from: "00:00", to: "00:00" };
const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);
const later = { name: "peak hours", time_zone: "UTC", from: inHours(6), to: inHours(7) };
const peak = { input_cost_per_token: 0.000002, output_cost_per_token: 0.00002, cache_read_input_token_cost: 0.0000002 };
const deepSeekUsage = { prompt_cache_hit_tokens: 400, prompt_cache_miss_tokens: 600 };

const chatCases: readonly PriceCase[] = [
  {
    provider: "DeepSeek",
    condition: "peak hours",
    model: "deepseek/deepseek-chat",
    params: {
      api_key: "sk-deepseek",
      ...tokens,
      cache_read_input_token_cost: 0.0000001,
      price_rules: [{ hours: allDay, ...peak }],
    },
    path: "/v1/chat/completions",
    request: question,
    response: chatAnswer("deepseek-chat", {}, deepSeekUsage),
    nanoUsd: 600n * 2_000n + 400n * 200n + 100n * 20_000n,
  },
  {
    provider: "DeepSeek",
    condition: "outside peak hours",
    model: "deepseek/deepseek-chat",
    params: {
      api_key: "sk-deepseek",
      ...tokens,
      cache_read_input_token_cost: 0.0000001,
      price_rules: [{ hours: later, ...peak }],
    },
    path: "/v1/chat/completions",
    request: question,
    response: chatAnswer("deepseek-chat", {}, deepSeekUsage),
    nanoUsd: 600n * 1_000n + 400n * 100n + 100n * 10_000n,
  },
  {
    provider: "xAI",
    condition: "live search, billed per source",
    model: "xai/grok-4",
    params: { api_key: "xai-key", ...tokens, web_search_cost_per_query: 0.025 },
    path: "/v1/chat/completions",
    request: { ...question, search_parameters: { mode: "on", max_search_results: 4 } },
    response: chatAnswer("grok-4", {}, { num_sources_used: 4 }),
    nanoUsd: TOKENS_NANO + 100_000_000n,
  },
  {
    provider: "Perplexity",
    condition: "fee by search context",
    model: "perplexity/sonar",
    params: {
      api_key: "pplx-key",
      ...tokens,
      search_context_cost_per_query: {
        search_context_size_low: 0.005,
        search_context_size_medium: 0.008,
        search_context_size_high: 0.012,
      },
    },
    path: "/v1/chat/completions",
    request: { ...question, web_search_options: { search_context_size: "high" } },
    response: chatAnswer("sonar", {}, { search_context_size: "high" }),
    nanoUsd: TOKENS_NANO + 12_000_000n,
  },
  {
    provider: "Perplexity",
    condition: "searches of a research model",
    model: "perplexity/sonar-deep-research",
    params: {
      api_key: "pplx-key",
      ...tokens,
      web_search_cost_per_query: 0.005,
      output_cost_per_reasoning_token: 0.000003,
    },
    path: "/v1/chat/completions",
    request: question,
    response: chatAnswer("sonar-deep-research", {}, { num_search_queries: 18 }),
    nanoUsd: TOKENS_NANO + 90_000_000n,
  },
  {
    provider: "Perplexity",
    condition: "fee per request",
    model: "perplexity/sonar-pro",
    params: { api_key: "pplx-key", ...tokens, input_cost_per_request: 0.006 },
    path: "/v1/chat/completions",
    request: question,
    response: chatAnswer("sonar-pro"),
    nanoUsd: TOKENS_NANO + 6_000_000n,
  },
  {
    provider: "OpenRouter",
    condition: "web searches that the response counts",
    model: "openrouter/anthropic/claude-sonnet-4.5",
    params: { api_key: "or-key", ...tokens, web_search_cost_per_query: 0.01 },
    path: "/v1/chat/completions",
    request: { ...question, web_search_options: {} },
    response: chatAnswer(
      "anthropic/claude-sonnet-4.5",
      {},
      { cost: 0.022, server_tool_use: { web_search_requests: 2 } },
    ),
    nanoUsd: TOKENS_NANO + 20_000_000n,
  },
];

export const otherCases: readonly PriceCase[] = [...anthropicCases, ...googleCases, ...bedrockCases, ...chatCases];

export const otherRefusals: readonly RefusalCase[] = [
  {
    provider: "Anthropic",
    tool: "web search",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...tokens },
    path: "/v1/messages",
    request: { ...question, tools: [{ type: "web_search_20250305", name: "web_search" }] },
    setting: "web_search_cost_per_query",
  },
  {
    provider: "Anthropic",
    tool: "one-hour cache",
    model: "anthropic/claude-sonnet-4-5",
    params: { ...anthropic, ...tokens },
    path: "/v1/messages",
    request: longCache,
    setting: "cache_creation_input_token_cost_above_1hr",
  },
  {
    provider: "Gemini",
    tool: "web search",
    model: "gemini/gemini-2.5-flash",
    params: { api_key: "google-key", ...tokens },
    path: "/v1/chat/completions",
    request: { ...question, web_search_options: {} },
    setting: "web_search_cost_per_query",
  },
  {
    provider: "Bedrock",
    tool: "service tier batch of a single request",
    model: "bedrock/amazon.nova-pro-v1:0",
    params: { ...bedrock, ...tokens, input_cost_per_token_batches: 0.0000005, output_cost_per_token_batches: 0.000005 },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "batch" },
    setting: "service_tier",
  },
  {
    provider: "xAI",
    tool: "live search",
    model: "xai/grok-4",
    params: { api_key: "xai-key", ...tokens },
    path: "/v1/chat/completions",
    request: { ...question, search_parameters: { mode: "on" } },
    setting: "web_search_cost_per_query",
  },
];
