import {
  chatAnswer,
  frames,
  type PriceCase,
  question,
  questionOf,
  type RefusalCase,
  responseAnswer,
  TOKENS_NANO,
  textOf,
  tokens,
} from "./price-case.ts";

const tiers = {
  ...tokens,
  input_cost_per_token_priority: 0.000002,
  output_cost_per_token_priority: 0.00002,
  input_cost_per_token_flex: 0.0000005,
  output_cost_per_token_flex: 0.000005,
};
const batch = { ...tokens, input_cost_per_token_batches: 0.0000005, output_cost_per_token_batches: 0.000005 };
const DOUBLE = TOKENS_NANO * 2n;
const HALF = TOKENS_NANO / 2n;

interface Wire {
  readonly provider: string;
  readonly prefix: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const wires: readonly Wire[] = [
  { provider: "OpenAI", prefix: "openai", params: { api_key: "sk-openai" } },
  { provider: "Azure OpenAI", prefix: "azure", params: { api_key: "azure-key", api_version: "2025-04-01-preview" } },
];

/** Deployments at other URLs than OpenAI's use the Responses API only if their mode says so. */
const native = { mode: "responses" };
const ask = { input: textOf(1_000), max_output_tokens: 200 };

/** Cases of the two providers that serve OpenAI's own models. */
export const openAiCases: readonly PriceCase[] = wires.flatMap(({ provider, prefix, params }): PriceCase[] => {
  const chat = { provider, model: `${prefix}/gpt-5`, path: "/v1/chat/completions" as const };
  const responses = { provider, model: `${prefix}/gpt-5`, path: "/v1/responses" as const, info: native };
  return [
    {
      ...chat,
      condition: "no condition",
      params: { ...params, ...tiers },
      request: question,
      response: chatAnswer("gpt-5", { service_tier: "default" }),
      nanoUsd: TOKENS_NANO,
    },
    {
      ...chat,
      condition: "service tier priority",
      params: { ...params, ...tiers },
      request: { ...question, service_tier: "priority" },
      response: chatAnswer("gpt-5", { service_tier: "priority" }),
      nanoUsd: DOUBLE,
    },
    {
      ...chat,
      condition: "service tier priority, served as default",
      params: { ...params, ...tiers },
      request: { ...question, service_tier: "priority" },
      response: chatAnswer("gpt-5", { service_tier: "default" }),
      nanoUsd: TOKENS_NANO,
    },
    {
      ...chat,
      condition: "service tier flex",
      params: { ...params, ...tiers },
      request: { ...question, service_tier: "flex" },
      response: chatAnswer("gpt-5", { service_tier: "flex" }),
      nanoUsd: HALF,
    },
    {
      ...chat,
      condition: "service tier priority of the account, not requested",
      params: { ...params, ...tiers },
      request: question,
      response: chatAnswer("gpt-5", { service_tier: "priority" }),
      nanoUsd: DOUBLE,
    },
    {
      ...chat,
      condition: "service tier flex, streamed",
      params: { ...params, ...tiers },
      request: { ...question, service_tier: "flex", stream: true },
      response: [
        ...frames([
          chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Not much." }, finish_reason: null }] }),
          chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
          chunk({ choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 } }),
        ]),
        "data: [DONE]\n\n",
      ],
      nanoUsd: HALF,
    },
    {
      ...chat,
      condition: "input above 272,000 tokens",
      info: { max_input_tokens: 400_000 },
      params: {
        ...params,
        ...tokens,
        input_cost_per_token_above_272k_tokens: 0.000002,
        output_cost_per_token_above_272k_tokens: 0.000015,
      },
      request: questionOf(272_001),
      response: chatAnswer("gpt-5", {}, { prompt_tokens: 272_001, total_tokens: 272_101 }),
      nanoUsd: 272_001n * 2_000n + 100n * 15_000n,
    },
    {
      ...chat,
      condition: "web search of a search model",
      model: `${prefix}/gpt-4o-search-preview`,
      params: {
        ...params,
        ...tokens,
        search_context_cost_per_query: { search_context_size_medium: 0.035, search_context_size_high: 0.05 },
      },
      request: { ...question, web_search_options: { search_context_size: "high" } },
      response: chatAnswer("gpt-4o-search-preview-2025-03-11"),
      nanoUsd: TOKENS_NANO + 50_000_000n,
    },
    {
      ...responses,
      condition: "web search",
      params: { ...params, ...tokens, web_search_cost_per_query: 0.01 },
      request: { ...ask, tools: [{ type: "web_search" }] },
      response: responseAnswer("gpt-5", [
        { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "news" } },
        {
          type: "web_search_call",
          id: "ws_2",
          status: "completed",
          action: { type: "open_page", url: "https://a.example" },
        },
        { type: "web_search_call", id: "ws_3", status: "completed", action: { type: "search", query: "more" } },
      ]),
      nanoUsd: TOKENS_NANO + 20_000_000n,
    },
    {
      ...responses,
      condition: "file search",
      params: {
        ...params,
        ...tokens,
        file_search_cost_per_call: 0.0025,
        allowed_params: ["tools.file_search"],
      },
      request: { ...ask, tools: [{ type: "file_search", vector_store_ids: ["vs_1"] }] },
      response: responseAnswer("gpt-5", [
        { type: "file_search_call", id: "fs_1", status: "completed", queries: ["a"] },
      ]),
      nanoUsd: TOKENS_NANO + 2_500_000n,
    },
    {
      ...responses,
      condition: "code interpreter session",
      params: { ...params, ...tokens, code_interpreter_cost_per_session: 0.03 },
      request: { ...ask, tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
      response: responseAnswer("gpt-5", [
        { type: "code_interpreter_call", id: "ci_1", container_id: "cntr_1", status: "completed", code: "1 + 1" },
        { type: "code_interpreter_call", id: "ci_2", container_id: "cntr_1", status: "completed", code: "2 + 2" },
      ]),
      nanoUsd: TOKENS_NANO + 30_000_000n,
    },
    {
      ...responses,
      condition: "provider's MCP, which bills only tokens",
      params: { ...params, ...tokens },
      request: { ...ask, tools: [{ type: "mcp", server_label: "docs", server_url: "https://mcp.example" }] },
      response: responseAnswer("gpt-5", [{ type: "mcp_call", id: "mcp_1", name: "search", server_label: "docs" }]),
      nanoUsd: TOKENS_NANO,
    },
    {
      ...responses,
      condition: "computer use, which bills only tokens",
      model: `${prefix}/computer-use-preview`,
      params: { ...params, ...tokens },
      request: {
        ...ask,
        truncation: "auto",
        tools: [{ type: "computer_use_preview", display_width: 1_024, display_height: 768, environment: "browser" }],
      },
      response: responseAnswer("computer-use-preview-2025-03-11", [
        {
          type: "computer_call",
          id: "cu_1",
          call_id: "call_1",
          action: { type: "click", button: "left", x: 156, y: 50 },
          pending_safety_checks: [],
          status: "completed",
        },
      ]),
      nanoUsd: TOKENS_NANO,
    },
    {
      ...responses,
      condition: "computer use with several actions, which bills only tokens",
      model: `${prefix}/gpt-5.4`,
      params: { ...params, ...tokens },
      request: { ...ask, tools: [{ type: "computer" }] },
      response: responseAnswer("gpt-5.4", [
        {
          type: "computer_call",
          id: "cu_1",
          call_id: "call_1",
          actions: [{ type: "click", button: "left", x: 156, y: 50 }, { type: "screenshot" }],
          pending_safety_checks: [],
          status: "completed",
        },
      ]),
      nanoUsd: TOKENS_NANO,
    },
    {
      ...responses,
      condition: "service tier priority of a response, streamed",
      params: { ...params, ...tiers },
      request: { ...ask, service_tier: "priority", stream: true },
      response: frames(
        [
          {
            type: "response.created",
            response: { id: "resp_1", object: "response", service_tier: "auto", output: [] },
          },
          {
            type: "response.output_text.delta",
            item_id: "msg_1",
            output_index: 0,
            content_index: 0,
            delta: "Not much.",
          },
          { type: "response.completed", response: responseAnswer("gpt-5", [], { service_tier: "priority" }) },
        ],
        true,
      ),
      nanoUsd: DOUBLE,
    },
  ];
});

function chunk(more: object): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_763_000_000,
    model: "gpt-5",
    service_tier: "flex",
    ...more,
  };
}

export const openAiRefusals: readonly RefusalCase[] = [
  refusal("web search", { type: "web_search" }, "web_search_cost_per_query"),
  refusal("file search", { type: "file_search", vector_store_ids: ["vs_1"] }, "file_search_cost_per_call"),
  refusal(
    "code interpreter",
    { type: "code_interpreter", container: { type: "auto" } },
    "code_interpreter_cost_per_session",
  ),
  {
    provider: "OpenAI",
    tool: "service tier",
    model: "openai/gpt-5",
    params: { api_key: "sk-openai", ...tokens },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "priority" },
    setting: "input_cost_per_token_priority",
  },
  refusal(
    "container with 64 GB",
    { type: "code_interpreter", container: { type: "auto", memory_limit: "64g" } },
    "allowed_params",
    { code_interpreter_cost_per_session: 0.03 },
  ),
  {
    provider: "Azure OpenAI",
    tool: "service tier batch of a single request",
    model: "azure/gpt-5",
    params: { ...wires[1]?.params, ...batch },
    path: "/v1/chat/completions",
    request: { ...question, service_tier: "batch" },
    setting: "service_tier",
  },
];

function refusal(tool: string, definition: object, setting: string, prices: object = {}): RefusalCase {
  return {
    provider: "OpenAI",
    tool,
    model: "openai/gpt-5",
    params: { api_key: "sk-openai", ...tokens, ...prices },
    info: native,
    path: "/v1/responses",
    request: { ...ask, tools: [definition] },
    setting,
  };
}
