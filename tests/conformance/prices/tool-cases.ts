import {
  frames,
  geminiAnswer,
  messageAnswer,
  type PriceCase,
  question,
  type RefusalCase,
  responseAnswer,
  TOKENS_NANO,
  textOf,
  tokens,
} from "./price-case.ts";

const claude = {
  provider: "Anthropic",
  model: "anthropic/claude-sonnet-4-5",
  path: "/v1/messages",
} as const;
const anthropic = { api_key: "sk-ant", ...tokens };

const fetched = { url: "https://docs.example/prices" };
const webFetch = { type: "web_fetch_20250910", name: "web_fetch", max_uses: 2, max_content_tokens: 5_000 };
/** Anthropic reports these counts for a page with 5,000 tokens. */
const fetchUsage = { input_tokens: 6_000, server_tool_use: { web_search_requests: 0, web_fetch_requests: 1 } };
const fetchBlocks = [
  { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: fetched, caller: { type: "direct" } },
  {
    type: "web_fetch_tool_result",
    tool_use_id: "srvtoolu_1",
    content: {
      type: "web_fetch_result",
      ...fetched,
      retrieved_at: "2026-11-17T10:00:00Z",
      content: {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: "Prices." },
        title: "Prices",
      },
    },
  },
];
const FETCH_NANO = TOKENS_NANO + 5_000_000n;

const anthropicTools: readonly PriceCase[] = [
  {
    ...claude,
    condition: "computer use, which bills only tokens",
    params: anthropic,
    request: {
      ...question,
      tools: [{ type: "computer_20250124", name: "computer", display_width_px: 1_024, display_height_px: 768 }],
    },
    response: {
      ...messageAnswer("claude-sonnet-4-5", {}, [
        { type: "tool_use", id: "toolu_1", name: "computer", input: { action: "left_click", coordinate: [156, 50] } },
      ]),
      stop_reason: "tool_use",
    },
    nanoUsd: TOKENS_NANO,
  },
  {
    ...claude,
    condition: "web fetch, which bills only tokens",
    params: anthropic,
    request: { ...question, tools: [webFetch] },
    response: messageAnswer("claude-sonnet-4-5", fetchUsage, fetchBlocks),
    nanoUsd: FETCH_NANO,
  },
  {
    ...claude,
    condition: "web fetch, streamed",
    params: anthropic,
    request: { ...question, stream: true, tools: [webFetch] },
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
        ...fetchBlocks.flatMap((block, index) => [
          { type: "content_block_start", index, content_block: block },
          { type: "content_block_stop", index },
        ]),
        { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
        { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "Not much." } },
        { type: "content_block_stop", index: 2 },
        {
          type: "message_delta",
          delta: { stop_reason: "end_turn", stop_sequence: null },
          // The page was not yet part of the input at the start.
          usage: { ...fetchUsage, output_tokens: 100 },
        },
        { type: "message_stop" },
      ],
      true,
    ),
    nanoUsd: FETCH_NANO,
  },
  {
    ...claude,
    condition: "code of a web tool, which bills no session",
    params: { ...anthropic, code_interpreter_cost_per_session: 0.005 },
    request: { ...question, tools: [{ ...webFetch, type: "web_fetch_20260209" }] },
    response: messageAnswer("claude-sonnet-4-5", fetchUsage, [
      { type: "server_tool_use", id: "srvtoolu_2", name: "code_execution", input: { code: "print(1)" } },
      ...fetchBlocks,
    ]),
    nanoUsd: FETCH_NANO,
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

/** A request for places near a point. */
const nearby = {
  ...question,
  extra_body: {
    tools: [{ googleMaps: {} }],
    toolConfig: { retrievalConfig: { latLng: { latitude: 34.050481, longitude: -118.248526 } } },
  },
};
const place = {
  uri: "https://maps.google.com/?cid=1",
  title: "A restaurant",
  placeId: "places/ChIJ0-zA1vBZwokRon0fGj-6z7U",
};

const googleTools = googles.flatMap(({ provider, prefix, params }): PriceCase[] => [
  {
    provider,
    condition: "code execution, which bills only tokens",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens },
    path: "/v1/chat/completions",
    request: { ...question, extra_body: { tools: [{ codeExecution: {} }] } },
    response: geminiAnswer(
      "gemini-2.5-flash",
      {
        content: {
          role: "model",
          parts: [
            { executableCode: { language: "PYTHON", code: "print(1 + 1)" } },
            { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2\n" } },
            { text: "Not much." },
          ],
        },
      },
      // The code and its output are input of the model's next step.
      { toolUsePromptTokenCount: 600, thoughtsTokenCount: 50, totalTokenCount: 1_750 },
    ),
    nanoUsd: TOKENS_NANO + 600n * 1_000n + 50n * 10_000n,
  },
  {
    provider,
    condition: "Google Maps, billed per request",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens, tool_cost_per_call: 0.025 },
    path: "/v1/chat/completions",
    request: nearby,
    response: geminiAnswer("gemini-2.5-flash", {
      groundingMetadata: {
        groundingChunks: [{ maps: place }, { maps: { ...place, uri: "https://maps.google.com/?cid=2" } }],
        groundingSupports: [{ segment: { endIndex: 9, text: "Not much." }, groundingChunkIndices: [0, 1] }],
      },
    }),
    nanoUsd: TOKENS_NANO + 25_000_000n,
  },
  {
    provider,
    condition: "no places, although the request allows Google Maps",
    model: `${prefix}/gemini-2.5-flash`,
    params: { ...params, ...tokens, tool_cost_per_call: 0.025 },
    path: "/v1/chat/completions",
    request: nearby,
    response: geminiAnswer("gemini-2.5-flash"),
    nanoUsd: TOKENS_NANO,
  },
]);

const grok = {
  provider: "xAI",
  model: "xai/grok-4",
  path: "/v1/responses",
  info: { mode: "responses" },
} as const;
const xai = { api_key: "xai-key", ...tokens };
const ask = { input: textOf(1_000), max_output_tokens: 200 };

/** A response of xAI, with its counts of tools. */
function grokAnswer(output: readonly object[], billed: object): object {
  const counts = {
    web_search_calls: 0,
    x_search_calls: 0,
    code_interpreter_calls: 0,
    file_search_calls: 0,
    mcp_calls: 0,
    document_search_calls: 0,
    ...billed,
  };
  return responseAnswer("grok-4", output, {
    usage: {
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 40 },
      total_tokens: 1_100,
      num_sources_used: 0,
      num_server_side_tools_used: output.length,
      server_side_tool_usage_details: counts,
    },
  });
}

const xaiTools: readonly PriceCase[] = [
  {
    ...grok,
    condition: "X search, billed per post and profile",
    params: { ...xai, tool_cost_per_call: 0.005 },
    request: { ...ask, tools: [{ type: "x_search", from_date: "2026-11-01" }] },
    response: grokAnswer(
      ["x_keyword_search", "x_user_search"].map((name, index) => ({
        type: "custom_tool_call",
        id: `ctc_${index}`,
        call_id: `xs_call_${index}`,
        name,
        input: '{"query":"prices","limit":"10"}',
        status: "completed",
      })),
      { x_search_calls: 2, x_posts_fetched: 13, x_users_fetched: 1 },
    ),
    // A post costs 5 USD per 1,000, and a profile 10 USD.
    nanoUsd: TOKENS_NANO + 13n * 5_000_000n + 10_000_000n,
  },
  {
    ...grok,
    condition: "web search of a response, billed per call",
    params: { ...xai, web_search_cost_per_query: 0.005 },
    request: { ...ask, tools: [{ type: "web_search" }] },
    response: grokAnswer(
      [
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "prices" } },
        { type: "web_search_call", id: "ws_2", status: "completed", action: { type: "open_page", ...fetched } },
      ],
      { web_search_calls: 2 },
    ),
    nanoUsd: TOKENS_NANO + 10_000_000n,
  },
  {
    ...grok,
    condition: "code of a response, billed per call",
    params: { ...xai, code_interpreter_cost_per_session: 0.005 },
    request: { ...ask, tools: [{ type: "code_interpreter" }] },
    response: grokAnswer(
      [
        { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1 + 1", outputs: [] },
        { type: "code_interpreter_call", id: "ci_2", status: "completed", code: "2 + 2", outputs: [] },
      ],
      { code_interpreter_calls: 2 },
    ),
    nanoUsd: TOKENS_NANO + 10_000_000n,
  },
];

export const toolCases: readonly PriceCase[] = [...anthropicTools, ...googleTools, ...xaiTools];

export const toolRefusals: readonly RefusalCase[] = [
  ...googles.map(
    ({ provider, prefix, params }): RefusalCase => ({
      provider,
      tool: "Google Maps",
      model: `${prefix}/gemini-2.5-flash`,
      params: { ...params, ...tokens },
      path: "/v1/chat/completions",
      request: nearby,
      setting: "tool_cost_per_call",
    }),
  ),
  {
    ...grok,
    tool: "X search",
    params: xai,
    request: { ...ask, tools: [{ type: "x_search" }] },
    setting: "tool_cost_per_call",
  },
];
