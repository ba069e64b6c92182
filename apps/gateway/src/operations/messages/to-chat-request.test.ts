import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";
import { describe, expect, test } from "vitest";
import { type ChatAbilities, toChatRequest } from "./to-chat-request.ts";
import { chatNameOf, toolNamesOf } from "./to-chat-tools.ts";

const everything: ChatAbilities = {
  params: new Set([
    "max_tokens",
    "temperature",
    "stop",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning_effort",
    "user",
    "stream_options",
  ]),
  reasons: true,
  dropsParams: false,
  keepsMarks: false,
  session: null,
};
const ask = (fields: object, abilities: Partial<ChatAbilities> = {}) =>
  toChatRequest(
    { model: "m", max_tokens: 10, messages: [{ role: "user", content: "x" }], ...fields } as MessageRequest,
    {
      ...everything,
      ...abilities,
    },
  );
const said = (messages: readonly object[], abilities: Partial<ChatAbilities> = {}) =>
  ask({ messages }, abilities).messages;

describe("Messages conversation as a chat", () => {
  test("puts tool results in tool messages, and their images in the user message", () => {
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    const conversation = [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "thinking", thinking: " well", signature: "" },
          { type: "redacted_thinking", data: "zzz" },
          { type: "text", text: "I " },
          { type: "text", text: "look." },
          { type: "tool_use", id: "t1", name: "see", input: { at: "Köln" } },
          { type: "tool_use", id: "t2", name: "read", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            content: [
              { type: "text", text: "here" },
              { type: "image", source },
            ],
          },
          { type: "tool_result", tool_use_id: "t2", content: "no such file", is_error: true },
          { type: "text", text: "and now?" },
        ],
      },
      { role: "system", content: "be quick" },
    ];
    expect(said(conversation)).toEqual([
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "t1", type: "function", function: { name: "see", arguments: '{"at":"Köln"}' } },
          { id: "t2", type: "function", function: { name: "read", arguments: "{}" } },
        ],
        reasoning_content: "hm well",
        thinking_blocks: [
          { type: "thinking", thinking: "hm", signature: "sig" },
          { type: "redacted_thinking", data: "zzz" },
        ],
      },
      { role: "tool", tool_call_id: "t1", content: "here\n[The image follows.]" },
      { role: "tool", tool_call_id: "t2", content: "Error: no such file" },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "text", text: "and now?" },
        ],
      },
      { role: "system", content: "be quick" },
    ]);
  });

  test("sends text documents as text and other documents as files", () => {
    const content = [
      { type: "document", title: "Rules", source: { type: "text", media_type: "text/plain", data: "one" } },
      { type: "document", source: { type: "content", content: [{ type: "text", text: "two" }] } },
      { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
      { type: "search_result", title: "T", source: "https://s", content: [{ type: "text", text: "found" }] },
    ];
    expect(said([{ role: "user", content }])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Rules\none" },
          { type: "text", text: "two" },
          { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
          { type: "text", text: "T\nhttps://s\nfound" },
        ],
      },
    ]);
  });

  test("sends cache_control only to models that support it", () => {
    const mark = { type: "ephemeral" };
    const messages = [{ role: "user", content: [{ type: "text", text: "x", cache_control: mark }] }];
    expect(said(messages)).toEqual([{ role: "user", content: [{ type: "text", text: "x" }] }]);
    const kept = [{ role: "user", content: [{ type: "text", text: "x", cache_control: mark }] }];
    expect(said(messages, { keepsMarks: true })).toEqual(kept);
    const tools = [{ name: "see", cache_control: mark }];
    expect(ask({ tools }, { keepsMarks: true }).tools).toMatchObject([{ cache_control: mark }]);
    expect(JSON.stringify(ask({ tools }).tools)).not.toContain("cache_control");
  });

  test("identifies its session to models with a cache key", () => {
    const params = new Set([...everything.params, "prompt_cache_key"]);
    const metadata = { user_id: "user_session_1" };
    expect(ask({ metadata }, { params }).prompt_cache_key).toBe("user_session_1");
    expect(ask({ metadata }, { params, session: "s-1" }).prompt_cache_key).toBe("s-1");
    expect(ask({}, { params, session: "s".repeat(100) }).prompt_cache_key).toMatch(/^[0-9a-f]{64}$/);
    expect(ask({}, { params })).not.toHaveProperty("prompt_cache_key");
    expect(ask({ metadata }, { session: "s-1" })).not.toHaveProperty("prompt_cache_key");
  });

  test("rejects unsupported blocks with an error that names the parameter", () => {
    const content = [{ type: "text", text: "x" }, { type: "container_upload" }];
    expect(() => said([{ role: "user", content }])).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ param: "messages.0.content.1" }) }),
    );
  });
});

describe("Messages tools as chat tools", () => {
  test.for([
    [{ type: "auto" }, "auto"],
    [{ type: "any" }, "required"],
    [{ type: "none" }, "none"],
    [
      { type: "tool", name: "see" },
      { type: "function", function: { name: "see" } },
    ],
  ] as const)("translate tool choice %o to %o", ([choice, expected]) => {
    expect(ask({ tools: [{ name: "see", input_schema: {} }], tool_choice: choice }).tool_choice).toEqual(expected);
  });

  test("have names that chat models accept, mapped back to the original names", () => {
    const name = `mcp__server__${"long_".repeat(20)}`;
    const short = chatNameOf(name);
    expect(short).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect(toolNamesOf([{ name }, { name: "see" }])).toEqual(new Map([[short, name]]));
    expect(toolNamesOf([{ name: "see" }])).toBeNull();
    expect(ask({ tools: [{ name }] }).tools).toMatchObject([{ function: { name: short } }]);
  });

  test("are rejected if only Anthropic can run them", () => {
    expect(() => ask({ tools: [{ type: "web_search_20250305", name: "web_search" }] })).toThrow("web_search_20250305");
  });
});

describe("Messages thinking as reasoning effort", () => {
  test.for([
    [{ thinking: { type: "enabled", budget_tokens: 1_024 } }, "low"],
    [{ thinking: { type: "enabled", budget_tokens: 10_000 } }, "medium"],
    [{ thinking: { type: "enabled", budget_tokens: 31_999 } }, "high"],
    [{ thinking: { type: "adaptive" }, output_config: { effort: "max" } }, "high"],
    [{ output_config: { effort: "low" } }, "low"],
    [{ thinking: { type: "adaptive" } }, undefined],
    [{ thinking: { type: "disabled" }, output_config: { effort: "high" } }, undefined],
  ] as const)("translates %o to effort %o", ([fields, effort]) => {
    expect(ask(fields).reasoning_effort).toBe(effort);
    expect(ask(fields, { reasons: false }).reasoning_effort).toBeUndefined();
  });
});

test("rejects unsupported parameters, unless they have the default value or may be dropped", () => {
  expect(() => ask({ top_p: 0.4 })).toThrow("top_p");
  expect(ask({ top_p: 1 })).not.toHaveProperty("top_p");
  expect(ask({ top_p: 0.4 }, { dropsParams: true })).not.toHaveProperty("top_p");
});

test("translates the schema, hashes long user IDs, and sends the output limit as max_completion_tokens", () => {
  const schema = { type: "object" };
  const request = ask(
    { output_config: { format: { type: "json_schema", schema } }, metadata: { user_id: "u".repeat(200) } },
    { params: new Set(["max_completion_tokens", "user"]) },
  );
  expect(request).toMatchObject({
    max_completion_tokens: 10,
    response_format: { type: "json_schema", json_schema: { schema, strict: true } },
    user: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(request).not.toHaveProperty("max_tokens");
});
