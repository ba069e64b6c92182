import { expect, test } from "vitest";
import { kindsOf, requestedTools } from "./requested-tools.ts";

const clientTools = [
  { type: "function", function: { name: "f" } },
  { type: "custom", name: "c" },
  { name: "anthropic", input_schema: {} },
  { type: "bash_20250124", name: "bash" },
  { functionDeclarations: [] },
];

test("a request without tools that the provider runs has none", () => {
  expect(requestedTools({})).toBeUndefined();
  expect(requestedTools({ tools: clientTools })).toBeUndefined();
  expect(requestedTools({ tools: null, web_search_options: null })).toBeUndefined();
});

test.for([
  [{ tools: [{ type: "web_search" }, ...clientTools] }, ["web_search"], 8],
  [{ tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }] }, ["web_search"], 3],
  [{ tools: [{ type: "web_search" }, { type: "file_search" }] }, ["web_search", "file_search"], 16],
  [{ tools: [{ type: "web_search_20250305", max_uses: 1_000_000 }] }, ["web_search"], 128],
  // These fields belong to other operations or tools, so they may not reach the provider.
  [{ tools: [{ type: "web_search" }], max_tool_calls: 0 }, ["web_search"], 8],
  [{ tools: [{ type: "web_search", max_uses: 0 }] }, ["web_search"], 8],
  [{ web_search_options: {} }, ["web_search"], 8],
  [{ search_parameters: { mode: "on" } }, ["live_search"], 8],
  [{ extra_body: { tools: [{ googleSearch: {}, urlContext: {} }] } }, ["google_search", "url_context"], 16],
] as const)("%o has tools that the provider runs", ([request, types, maxCalls]) => {
  expect(requestedTools(request)).toMatchObject({ types, maxCalls });
});

test("the limit of all tool calls replaces those of the tools", () => {
  const request = { tools: [{ type: "web_search" }, { type: "file_search" }] };
  expect(requestedTools(request, 2)?.maxCalls).toBe(2);
  expect(requestedTools(request, null)?.maxCalls).toBe(16);
});

test.for([
  [{ tools: [{ type: "web_search", max_uses: 2 }] }, 8_192],
  [{ tools: [{ type: "web_search", max_uses: 2, search_context_size: "high" }] }, 16_384],
  [{ web_search_options: { search_context_size: "low" } }, 4_096],
  [{ web_search_options: { search_context_size: "endless" } }, null],
  [{ tools: [{ type: "file_search" }], max_tool_calls: 1 }, 16_384],
  [{ tools: [{ type: "file_search", max_num_results: 5 }] }, 16_384],
  [{ tools: [{ type: "file_search", max_num_results: 50 }] }, 41_000],
  [{ tools: [{ type: "web_search" }, { type: "file_search" }], max_tool_calls: 3 }, 16_384],
  [{ tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 2, max_content_tokens: 50_000 }] }, 50_000],
  [{ tools: [{ type: "web_fetch_20250910", name: "web_fetch", max_uses: 2 }] }, null],
  [{ tools: [{ type: "mcp", server_url: "https://mcp.example" }] }, null],
  [{ tools: [{ type: "web_search" }], mcp_servers: [{ type: "url" }] }, null],
  [{ tools: [{ type: "code_interpreter" }] }, null],
  [{ tools: [{ type: "computer_use_preview" }] }, 0],
  [{ tools: [{ type: "computer" }] }, 0],
] as const)("each call of %o adds at most this many tokens to the prompt: %s", ([request, tokens]) => {
  expect(requestedTools(request)?.tokensPerCall).toBe(tokens);
});

test("code is free with versions of Anthropic's web tools that run code themselves", () => {
  const isFree = (...types: string[]) => requestedTools({ tools: types.map((type) => ({ type })) })?.isCodeFree;
  expect(isFree("web_fetch_20260209")).toBe(true);
  expect(isFree("web_search_20260318", "code_execution_20250825")).toBe(true);
  expect(isFree("web_search_20250305", "code_execution_20250825")).toBe(false);
  expect(isFree("web_search", "web_search_2025_08_26")).toBe(false);
});

test("the size of a search's context is part of the request", () => {
  expect(requestedTools({ web_search_options: { search_context_size: "high" } })?.searchContext).toBe("high");
  expect(requestedTools({ tools: [{ type: "web_search", search_context_size: "low" }] })?.searchContext).toBe("low");
  expect(requestedTools({ web_search_options: {} })?.searchContext).toBeNull();
  const both = [
    { type: "web_search", search_context_size: "low" },
    { type: "web_search", search_context_size: "high" },
  ];
  expect(requestedTools({ tools: both })?.searchContext).toBe("high");
});

test("the name of a tool has no date", () => {
  expect(kindsOf({ type: "web_search_2025_08_26" })).toEqual(["web_search"]);
  expect(kindsOf({ type: "code_execution_20250825" })).toEqual(["code_execution"]);
  expect(kindsOf({})).toEqual([""]);
});

test("a single tool in extra_body counts, because Google takes it without a list", () => {
  expect(requestedTools({ extra_body: { tools: { googleSearch: {} } } })?.types).toEqual(["google_search"]);
  expect(requestedTools({ extra_body: { tools: { functionDeclarations: [] } } })).toBeUndefined();
});
