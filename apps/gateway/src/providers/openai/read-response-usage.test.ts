import { expect, test } from "vitest";
import type { TranslatedCall } from "../../call/provider.ts";
import { requestedTools } from "../../operations/requested-tools.ts";
import { readResponseUsage } from "./read-response-usage.ts";

const tokens = { input_tokens: 7_583, output_tokens: 3_192, total_tokens: 10_775 };

function usageOf(response: Readonly<Record<string, unknown>>, tools: readonly object[]) {
  const parts = { tools: requestedTools({ tools }) };
  const read = (name: string) => (response[name] === undefined ? null : JSON.stringify(response[name]));
  return readResponseUsage(read, { parts, target: null } as unknown as Pick<TranslatedCall, "parts" | "target">);
}

/** Items of X searches have the type of a custom tool call, and the name of a function of xAI. */
const found = [
  {
    type: "custom_tool_call",
    id: "ctc_1",
    call_id: "xs_1",
    name: "x_keyword_search",
    input: "{}",
    status: "completed",
  },
  { type: "custom_tool_call", id: "ctc_2", call_id: "xs_2", name: "x_user_search", input: "{}", status: "completed" },
];

test("counts the posts and profiles of X searches, because xAI bills a profile like two posts", () => {
  const details = { web_search_calls: 0, x_search_calls: 2, x_posts_fetched: 18, x_users_fetched: 3 };
  const usage = { ...tokens, num_server_side_tools_used: 2, server_side_tool_usage_details: details };
  expect(usageOf({ output: found, usage }, [{ type: "x_search" }])).toMatchObject({ webSearches: 0, toolCalls: 24 });
});

test("counts the X searches themselves if a response doesn't count posts", () => {
  const usage = { ...tokens, server_side_tool_usage_details: { x_search_calls: 3 } };
  expect(usageOf({ output: found, usage }, [{ type: "x_search" }])).toMatchObject({ toolCalls: 3 });
});

test("counts xAI's other tools by call, as xAI bills them", () => {
  const output = [
    { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "news" } },
    {
      type: "web_search_call",
      id: "ws_2",
      status: "completed",
      action: { type: "open_page", url: "https://a.example" },
    },
    { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1 + 1" },
    { type: "code_interpreter_call", id: "ci_2", status: "completed", code: "2 + 2" },
  ];
  const details = { web_search_calls: 2, x_search_calls: 0, code_interpreter_calls: 2, file_search_calls: 1 };
  const usage = { ...tokens, server_side_tool_usage_details: details };
  const tools = [{ type: "web_search" }, { type: "code_interpreter" }, { type: "file_search" }];
  expect(usageOf({ output, usage }, tools)).toMatchObject({
    webSearches: 2,
    codeSessions: 2,
    fileSearches: 1,
    toolCalls: 0,
  });
});

test("ignores counts that are not numbers", () => {
  const details = { web_search_calls: "2", x_posts_fetched: -1, x_users_fetched: null };
  const usage = { ...tokens, server_side_tool_usage_details: details };
  expect(usageOf({ output: [], usage }, [{ type: "x_search" }])).toMatchObject({ webSearches: 0, toolCalls: 0 });
});

test("reads the charge that xAI reports", () => {
  const usage = { ...tokens, cost_in_usd_ticks: 292_331_500 };
  expect(usageOf({ output: [], usage }, [])).toMatchObject({ inputTokens: 7_583, reportedCost: 29_233_150n });
  expect(usageOf({ output: [], usage: tokens }, [])).not.toHaveProperty("reportedCost");
});

test("counts tokens that were written to the cache, because some models charge more for them", () => {
  const used = (details: object) => usageOf({ output: [], usage: { ...tokens, input_tokens_details: details } }, []);
  expect(used({ cached_tokens: 1_000, cache_write_tokens: 6_000 })).toMatchObject({
    inputTokens: 583,
    cacheReadTokens: 1_000,
    cacheWriteTokens: 6_000,
  });
  expect(used({ cache_creation_tokens: 6_000 })).toMatchObject({ inputTokens: 1_583, cacheWriteTokens: 6_000 });
  // Details that exceed the total are ignored.
  expect(used({ cached_tokens: 7_000, cache_write_tokens: 6_000 })).toMatchObject({
    inputTokens: 7_583,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  });
});
