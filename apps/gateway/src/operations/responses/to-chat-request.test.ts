import { openaiChatParams } from "@tollgate/contracts/chat/chat-request.ts";
import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { describe, expect, test } from "vitest";
import { encodeReasoning } from "./encoded-reasoning.ts";
import { toChatRequest } from "./to-chat-request.ts";
import { toMessages } from "./to-messages.ts";
import { ToolNames } from "./tool-names.ts";

const everything = openaiChatParams;
const nothing: ReadonlySet<string> = new Set();
const ask = (request: object, takes: ReadonlySet<string> = everything, dropped = nothing) =>
  toChatRequest({ model: "m", input: "hi", ...request } as ResponseRequest, takes, dropped);

describe("translation of Responses items to chat messages", () => {
  test("merges consecutive reasoning, text, and tool calls into one assistant message", () => {
    const blocks = [{ type: "thinking", thinking: "Hm", signature: "s" }];
    const items = [
      { role: "user", content: "weather?" },
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Hm" }],
        encrypted_content: encodeReasoning(blocks),
      },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Let me see." }] },
      { type: "function_call", call_id: "a", name: "weather", arguments: "{}" },
      { type: "custom_tool_call", call_id: "b", name: "patch", input: '+"x"' },
      { type: "function_call_output", call_id: "a", output: "22" },
      { type: "custom_tool_call_output", call_id: "b", output: [{ type: "input_text", text: "done" }] },
      { type: "function_call", call_id: "c", name: "weather", namespace: "sky", arguments: "{}" },
    ];
    expect(toMessages(null, items)).toEqual([
      { role: "user", content: "weather?" },
      {
        role: "assistant",
        content: "Let me see.",
        reasoning_content: "Hm",
        thinking_blocks: blocks,
        tool_calls: [
          { id: "a", type: "function", function: { name: "weather", arguments: "{}" } },
          { id: "b", type: "function", function: { name: "patch", arguments: '{"input":"+\\"x\\""}' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "22" },
      { role: "tool", tool_call_id: "b", content: "done" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "sky__weather", arguments: "{}" } }],
      },
    ]);
  });

  test("omits reasoning encrypted by OpenAI and reasoning without a following assistant message", () => {
    const items = [
      { type: "reasoning", summary: [], encrypted_content: "gAAAA" },
      { role: "assistant", content: "Hello" },
      { type: "reasoning", summary: [{ type: "summary_text", text: "and" }] },
      { role: "user", content: "hi" },
    ];
    expect(toMessages(null, items)).toEqual([
      { role: "assistant", content: "Hello" },
      { role: "user", content: "hi" },
    ]);
  });

  test("puts images from tool results in a user message after all tool results", () => {
    const picture = { type: "input_image", image_url: "data:image/png;base64,AA" };
    const items = [
      { type: "function_call", call_id: "a", name: "look", arguments: "{}" },
      { type: "function_call", call_id: "b", name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: [picture] },
      { type: "function_call_output", call_id: "b", output: "nothing" },
    ];
    expect(toMessages(null, items).slice(1)).toEqual([
      { role: "tool", tool_call_id: "a", content: "" },
      { role: "tool", tool_call_id: "b", content: "nothing" },
      { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }] },
    ]);
  });

  test("includes inline files, and reports the position of an unsupported part", () => {
    const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA" };
    expect(toMessages(null, [{ role: "user", content: [file] }])).toEqual([
      { role: "user", content: [{ type: "file", file: { file_data: file.file_data, filename: "a.pdf" } }] },
    ]);
    for (const part of [
      { type: "input_file", file_url: "https://x.test/a.pdf" },
      { type: "input_image" },
      { type: "odd" },
    ]) {
      expect(() => toMessages(null, [{ role: "user", content: [{ type: "input_text", text: "" }, part] }])).toThrow(
        expect.objectContaining({
          facts: expect.objectContaining({ param: expect.stringMatching(/^input\.0\.content\.1/) }),
        }),
      );
    }
    expect(() => toMessages(null, [{ type: "web_search_call" }])).toThrow(/does not support items of this type/);
    expect(() => toMessages(null, [{ role: "robot", content: "" }])).toThrow();
  });

  test("merges leading instructions into one system message and leaves later instructions in place", () => {
    const later = { role: "system", content: "now in French" };
    const items = [{ role: "developer", content: "b" }, { role: "user", content: "hi" }, later];
    expect(toMessages("a", items)).toEqual([
      { role: "system", content: "a\n\nb" },
      { role: "user", content: "hi" },
      later,
    ]);
  });
});

describe("translation of Responses settings to chat parameters", () => {
  const grammar = { type: "grammar", syntax: "lark", definition: "start: X" };
  const tools = [
    { type: "function", name: "weather", description: "d", parameters: { type: "object" }, strict: true },
    { type: "custom", name: "patch", description: "p", format: grammar },
    { type: "namespace", name: "sky", tools: [{ type: "function", name: "weather", parameters: {} }] },
  ];

  test("converts tools of every type to functions with unique names that map back to the tools", () => {
    const { tools: offered } = ask({ tools }) as { tools: { function: Record<string, unknown> }[] };
    expect(offered.map(({ function: { name } }) => name)).toEqual(["weather", "patch", "sky__weather"]);
    expect(offered[0]).toEqual({
      type: "function",
      function: { name: "weather", description: "d", parameters: { type: "object" }, strict: true },
    });
    expect(offered[1]?.function.description).toContain("start: X");
    const names = new ToolNames(tools);
    expect(names.find("sky__weather")).toEqual({ name: "weather", namespace: "sky", isCustom: false });
    expect(names.find("patch")).toEqual({ name: "patch", namespace: null, isCustom: true });
    expect(names.find("made_up")).toEqual({ name: "made_up", namespace: null, isCustom: false });
  });

  test("converts the tool choice", () => {
    const choose = (choice: unknown) => ask({ tools, tool_choice: choice });
    expect(choose("required").tool_choice).toBe("required");
    const weather = { type: "function", function: { name: "weather" } };
    expect(choose({ type: "function", name: "weather" }).tool_choice).toEqual(weather);
    const allowed = choose({ type: "allowed_tools", mode: "required", tools: [{ type: "custom", name: "patch" }] });
    expect(allowed).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "patch" } }] });
  });

  test("omits unsupported hints, and rejects an unsupported text format", () => {
    const hints = {
      reasoning: { effort: "low" },
      parallel_tool_calls: false,
      prompt_cache_key: "k",
      text: { verbosity: "low" },
      tools,
      truncation: "auto",
      store: true,
    };
    expect(Object.keys(ask(hints, new Set(["tools", "stream"])))).toEqual(["model", "messages", "tools"]);
    expect(ask(hints)).toMatchObject({ reasoning_effort: "low", verbosity: "low", parallel_tool_calls: false });
    const format = { text: { format: { type: "json_object" } } };
    expect(() => ask(format, nothing)).toThrow(/text\.format/);
    expect(ask({ ...format, drop_params: true }, nothing)).not.toHaveProperty("response_format");
  });

  test("sends the output limit under the parameter name that the model supports, unless the limit is dropped", () => {
    const limited = { max_output_tokens: 7 };
    expect(ask(limited)).toMatchObject({ max_completion_tokens: 7 });
    expect(ask(limited, new Set(["max_tokens"]))).toMatchObject({ max_tokens: 7 });
    expect(ask(limited, everything, new Set(["max_output_tokens"]))).not.toHaveProperty("max_completion_tokens");
  });
});
