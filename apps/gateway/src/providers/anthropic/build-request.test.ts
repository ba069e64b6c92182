import { Failure } from "@tollgate/contracts/failures.ts";
import { describe, expect, test } from "vitest";
import { build, SONNET, type TargetOptions } from "./messages-call.fixture.ts";

/** Returns the failure from building a request with these fields. */
function refusalOf(fields: object, target: TargetOptions = {}): { code: string; param: string | undefined } {
  try {
    build(fields, target);
  } catch (error) {
    if (error instanceof Failure) return { code: error.code, param: error.facts.param };
    throw error;
  }
  throw new Error("it was not refused");
}

const tool = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };
const weather = { name: "weather", input_schema: { type: "object", properties: {} } };

describe("Anthropic request", () => {
  test("is sent to the Messages API with the API key and version", () => {
    const { path, headers, json } = build({}, {}, { hops: "1", extraHeaders: ["anthropic-beta", "x-1"] });
    expect(path).toBe("/v1/messages");
    expect(headers).toEqual({
      "content-type": "application/json",
      "accept-encoding": "identity",
      "anthropic-version": "2023-06-01",
      "x-api-key": "sk-ant-1",
      "x-gw-hops": "2",
      "anthropic-beta": "x-1",
    });
    expect(json).toEqual({
      model: SONNET,
      max_tokens: 4096,
      messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    });
    expect(build({ stream: true }).headers.accept).toBe("text/event-stream");
    expect(build({}, { apiBase: "https://proxy.example/v1/" }).path).toBe("/messages");
    expect(build({}, { apiVersion: "2027-01-01" }).headers["anthropic-version"]).toBe("2027-01-01");
  });

  test("preserves every character", () => {
    const { json } = build({ messages: [{ role: "user", content: "Grüße 世界 😀 \u2028" }] });
    expect(json.messages).toEqual([{ role: "user", content: [{ type: "text", text: "Grüße 世界 😀 \u2028" }] }]);
  });

  test("sets max_tokens from the request, then the gateway, then the model, then the default", () => {
    const facts = { maxOutputTokens: 64_000 };
    expect(build({ max_tokens: 5, max_completion_tokens: 7 }, { facts }).json.max_tokens).toBe(7);
    expect(build({ max_tokens: 5 }, { facts }).json.max_tokens).toBe(5);
    expect(build({}, { facts }, { outputLimit: 900 }).json.max_tokens).toBe(900);
    expect(build({}, { facts }).json.max_tokens).toBe(64_000);
    expect(build({ max_tokens: 70_000 }, { facts }).json.max_tokens).toBe(70_000);
    expect(build({ max_tokens: 70_000 }, { facts, dropsParams: true }).json.max_tokens).toBe(64_000);
  });

  test("uses Anthropic's parameter names", () => {
    const { json } = build({
      stop: "END",
      temperature: 0.5,
      top_p: 0.9,
      user: "u-1",
      service_tier: "default",
      top_k: 5,
    });
    expect(json).toMatchObject({
      stop_sequences: ["END"],
      temperature: 0.5,
      top_p: 0.9,
      metadata: { user_id: "u-1" },
      service_tier: "standard_only",
      top_k: 5,
    });
    expect(json).not.toHaveProperty("user");
    expect(build({ stop: ["\n", "END"] }).json.stop_sequences).toEqual(["\n", "END"]);
    expect(build({ stop: ["\n", "END"] }, { dropsParams: true }).json.stop_sequences).toEqual(["END"]);
    expect(build({ user: "u-1", safety_identifier: "s-1" }).json.metadata).toEqual({ user_id: "s-1" });
  });

  test("omits dropped and null fields, and merges extra_body last", () => {
    const { json } = build(
      { seed: 1, frobnicate: null, metadata: { a: "b" }, extra_body: { top_k: 3, max_tokens: 9 } },
      {},
      { dropped: ["seed", "metadata", "extra_body"] },
    );
    expect(json).toMatchObject({ top_k: 3, max_tokens: 9 });
    expect(Object.keys(json).sort()).toEqual(["max_tokens", "messages", "model", "top_k"]);
  });

  test("rejects unpriced fields", () => {
    expect(refusalOf({ speed: "fast" })).toEqual({ code: "unsupported_parameter", param: "speed" });
    expect(refusalOf({ extra_body: { inference_geo: "us" } })).toEqual({
      code: "unsupported_parameter",
      param: "extra_body.inference_geo",
    });
  });

  test("omits user IDs that are too long and user IDs that are email addresses or phone numbers", () => {
    for (const user of ["ann@example.com", "+49 221 123456", "x".repeat(257)]) {
      expect(build({ user }).json).not.toHaveProperty("metadata");
    }
  });
});

describe("temperature that Anthropic doesn't support", () => {
  test("is rejected, or clamped if parameters may be dropped", () => {
    expect(refusalOf({ temperature: 1.5 })).toEqual({ code: "unsupported_parameter", param: "temperature" });
    expect(refusalOf({ temperature: 1.5, drop_params: false }, { dropsParams: true }).code).toBe(
      "unsupported_parameter",
    );
    expect(build({ temperature: 1.5, drop_params: true }).json.temperature).toBe(1);
    expect(build({ temperature: 1.5, top_p: 0.5 }, { dropsParams: true }).json).not.toHaveProperty("top_p");
  });

  test("is rejected if reasoning is on, or omitted if parameters may be dropped", () => {
    expect(refusalOf({ temperature: 0, reasoning_effort: "low" }).param).toBe("temperature");
    const { json } = build({ temperature: 0, reasoning_effort: "low" }, { dropsParams: true });
    expect(json).not.toHaveProperty("temperature");
    expect(build({ top_p: 0.5, reasoning_effort: "low" }, { dropsParams: true }).json).not.toHaveProperty("top_p");
    expect(build({ temperature: 1, reasoning_effort: "low", max_tokens: 9_000 }).json.temperature).toBe(1);
  });
});

describe("Anthropic conversation", () => {
  test("moves system messages to the system field and merges consecutive messages with the same role", () => {
    const { json } = build({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "a" },
        { role: "user", name: "ann", content: [{ type: "text", text: "b" }] },
        { role: "developer", content: "Be kind." },
        { role: "assistant", content: "c" },
        { role: "assistant", content: [{ type: "refusal", refusal: "d" }] },
        { role: "user", content: "" },
        { role: "assistant", content: "e  \n" },
      ],
    });
    expect(json.system).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind." },
    ]);
    expect(json.messages).toEqual([
      { role: "user", content: ["a", "b"].map((text) => ({ type: "text", text })) },
      { role: "assistant", content: ["c", "d", "e"].map((text) => ({ type: "text", text })) },
    ]);
  });

  test("contains tool calls and tool results, with the results first in their turn", () => {
    const call = (id: string, args: string) => ({
      id,
      type: "function",
      function: { name: "weather", arguments: args },
    });
    const { json } = build({
      messages: [
        { role: "user", content: "weather?" },
        { role: "assistant", content: null, tool_calls: [call("functions.w:0", '{"city":"Köln"}'), call("c2", "")] },
        { role: "user", content: "hurry" },
        { role: "tool", tool_call_id: "functions.w:0", content: "rain" },
        {
          role: "tool",
          tool_call_id: "c2",
          content: [
            { type: "text", text: "sun" },
            { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } },
          ],
        },
      ],
    });
    expect(json.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "functions_w_0", name: "weather", input: { city: "Köln" } },
          { type: "tool_use", id: "c2", name: "weather", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "functions_w_0", content: "rain" },
          {
            type: "tool_result",
            tool_use_id: "c2",
            content: [
              { type: "text", text: "sun" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            ],
          },
          { type: "text", text: "hurry" },
        ],
      },
    ]);
  });

  test("translates legacy functions to tools", () => {
    const { json } = build({
      functions: [{ name: "weather", parameters: { type: "object", properties: {} } }],
      function_call: { name: "weather" },
      messages: [
        { role: "user", content: "weather?" },
        { role: "assistant", content: null, function_call: { name: "weather", arguments: "{}" } },
        { role: "function", name: "weather", content: "rain" },
      ],
    });
    expect(json).toMatchObject({
      tools: [weather],
      tool_choice: { type: "tool", name: "weather" },
      messages: [
        { role: "user" },
        { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "weather", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "rain" }] },
      ],
    });
  });

  test("starts an assistant turn with its signed thinking blocks and omits unsigned blocks", () => {
    const { json } = build({
      messages: [
        { role: "user", content: "2+2" },
        {
          role: "assistant",
          content: "4",
          reasoning_content: "hm",
          thinking_blocks: [
            { type: "thinking", thinking: "hm", signature: "sig" },
            { type: "thinking", thinking: "unsigned" },
            { type: "thinking", thinking: "unsigned too", signature: "" },
            { type: "redacted_thinking", data: "x" },
          ],
        },
        { role: "user", content: "and 3+3" },
      ],
    });
    expect((json.messages as object[])[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "sig" },
        { type: "redacted_thinking", data: "x" },
        { type: "text", text: "4" },
      ],
    });
  });

  test("contains images and documents as given, without fetching URLs", () => {
    const { json } = build({
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: "https://example.com/a.png" },
            { type: "image_url", image_url: { url: "data:image/jpg;base64,/9j/" } },
            { type: "file", file: { file_data: "data:application/pdf;base64,JVBE", filename: "a.pdf" } },
            { type: "file", file: { file_data: `data:text/plain;charset=utf-8;base64,${btoa("hi")}` } },
          ],
        },
      ],
    });
    expect(json.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
          { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "/9j/" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBE" },
            title: "a.pdf",
          },
          { type: "document", source: { type: "text", media_type: "text/plain", data: "hi" } },
        ],
      },
    ]);
  });

  test("preserves cache_control on parts, messages, and tools, and rejects a TTL without a price", () => {
    const cache_control = { type: "ephemeral" };
    const { json } = build({
      tools: [{ ...tool, cache_control }],
      messages: [
        { role: "system", content: "long", cache_control },
        {
          role: "user",
          content: [
            { type: "text", text: "a", cache_control },
            { type: "text", text: "b" },
          ],
        },
        { role: "user", content: "c", cache_control },
      ],
    });
    expect(json).toMatchObject({
      system: [{ type: "text", text: "long", cache_control }],
      tools: [{ ...weather, cache_control }],
      messages: [{ content: [{ text: "a", cache_control }, { text: "b" }, { text: "c", cache_control }] }],
    });
    const longer = { type: "ephemeral", ttl: "1h" };
    expect(refusalOf({ messages: [{ role: "user", content: "c", cache_control: longer }] })).toEqual({
      code: "unsupported_parameter",
      param: "messages.0.cache_control.ttl",
    });
  });

  test.for<[string, object, string, string]>([
    ["no user message", { messages: [{ role: "system", content: "x" }] }, "invalid_request", "messages"],
    [
      "arguments that aren't JSON",
      { messages: [{ role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "{" } }] }] },
      "invalid_request",
      "messages.0.tool_calls.0.function.arguments",
    ],
    [
      "arguments that aren't an object",
      { messages: [{ role: "assistant", function_call: { name: "f", arguments: "[1]" } }] },
      "invalid_request",
      "messages.0.function_call.arguments",
    ],
    [
      "audio",
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: { data: "x", format: "wav" } }] }] },
      "invalid_request",
      "messages.0.content.0",
    ],
    [
      "an image URL without HTTPS",
      { messages: [{ role: "user", content: [{ type: "image_url", image_url: "http://example.com" }] }] },
      "invalid_request",
      "messages.0.content.0",
    ],
    [
      "a file in the operator's account",
      { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }] },
      "invalid_request",
      "messages.0.content.0.file",
    ],
    [
      "a file in the operator's account next to an inline file",
      {
        messages: [
          {
            role: "user",
            content: [{ type: "file", file: { file_id: "f", file_data: "data:text/plain;base64,aGk=" } }],
          },
        ],
      },
      "invalid_request",
      "messages.0.content.0.file",
    ],
    [
      "a result of a function that was not called",
      { messages: [{ role: "function", name: "f", content: "x" }] },
      "invalid_request",
      "messages.0.name",
    ],
    ["a tool without a schema", { tools: [{ type: "custom", custom: { name: "f" } }] }, "unsupported_tool", "tools.0"],
  ])("is rejected with %s", ([, fields, code, param]) => {
    expect(refusalOf(fields)).toEqual({ code, param });
  });
});

describe("Anthropic tools", () => {
  const second = { type: "function", function: { name: "time", description: "Now.", strict: true } };

  test.for<[unknown, object | undefined]>([
    [undefined, undefined],
    ["auto", { type: "auto" }],
    ["none", { type: "none" }],
    ["required", { type: "any" }],
    [
      { type: "function", function: { name: "weather" } },
      { type: "tool", name: "weather" },
    ],
  ])("follow the requested tool choice: %j", ([tool_choice, expected]) => {
    expect(build({ tools: [tool], tool_choice }).json.tool_choice).toEqual(expected);
  });

  test("are used one at a time if parallel_tool_calls is false", () => {
    expect(build({ tools: [tool], parallel_tool_calls: false }).json.tool_choice).toEqual({
      type: "auto",
      disable_parallel_tool_use: true,
    });
    expect(build({ parallel_tool_calls: false }).json).not.toHaveProperty("tool_choice");
    expect(build({ tools: [tool], parallel_tool_calls: true }).json).not.toHaveProperty("tool_choice");
    expect(build({ tools: [tool], tool_choice: "none", parallel_tool_calls: false }).json.tool_choice).toEqual({
      type: "none",
    });
  });

  test("are limited to allowed_tools", () => {
    const tool_choice = {
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "time" } }] },
    };
    const { json } = build({ tools: [tool, second], tool_choice });
    expect(json).toMatchObject({ tools: [{ name: "time" }], tool_choice: { type: "any" } });
    const nothing = { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } };
    expect(build({ tools: [tool], tool_choice: nothing }).json).toMatchObject({
      tools: [{ name: "weather" }],
      tool_choice: { type: "none" },
    });
  });

  test("are strict only if the model supports structured outputs", () => {
    const expected = { name: "time", description: "Now.", input_schema: { type: "object", properties: {} } };
    expect(build({ tools: [second] }, { upstreamModel: "claude-3-haiku-20240307" }).json.tools).toEqual([expected]);
    expect(build({ tools: [second] }).json.tools).toEqual([
      { ...expected, input_schema: { ...expected.input_schema, additionalProperties: false }, strict: true },
    ]);
  });
});

describe("Anthropic thinking", () => {
  const effort = (reasoning_effort: string, upstreamModel: string, fields: object = {}) => {
    const { thinking, output_config } = build(
      { reasoning_effort, max_tokens: 16_000, ...fields },
      { upstreamModel },
    ).json;
    return { thinking, output_config };
  };
  const adaptive = { type: "adaptive", display: "summarized" };

  test.for<[string, string, object | undefined, object | undefined]>([
    ["claude-3-7-sonnet-20250219", "low", { type: "enabled", budget_tokens: 1024 }, undefined],
    [SONNET, "medium", { type: "enabled", budget_tokens: 2048 }, undefined],
    [SONNET, "xhigh", { type: "enabled", budget_tokens: 8192 }, undefined],
    [SONNET, "none", undefined, undefined],
    ["claude-opus-4-6", "xhigh", adaptive, { effort: "high" }],
    ["claude-opus-4-7", "xhigh", adaptive, { effort: "xhigh" }],
    ["claude-sonnet-5", "minimal", adaptive, { effort: "low" }],
    ["claude-opus-5", "none", { type: "disabled" }, undefined],
    ["claude-fable-5", "none", undefined, { effort: "low" }],
  ])("is translated for %s at effort %s", ([model, asked, thinking, output_config]) => {
    expect(effort(asked, model)).toEqual({ thinking, output_config });
  });

  test("leaves tokens for the response, and is off if max_tokens is too small", () => {
    expect(effort("high", SONNET, { max_tokens: 2_000 }).thinking).toEqual({ type: "enabled", budget_tokens: 1_600 });
    expect(effort("high", SONNET, { max_tokens: 1_200 }).thinking).toBeUndefined();
  });

  test("is off if the model must use a tool", () => {
    expect(effort("high", SONNET, { tools: [tool], tool_choice: "required" }).thinking).toBeUndefined();
  });

  test("uses the request's thinking field", () => {
    const thinking = { type: "enabled", budget_tokens: 5_000 };
    expect(effort("low", SONNET, { thinking })).toEqual({ thinking, output_config: undefined });
    expect(effort("low", "claude-opus-4-6", { thinking: { type: "adaptive" } })).toEqual({
      thinking: { type: "adaptive" },
      output_config: { effort: "low" },
    });
    expect(effort("none", "claude-opus-4-6", { thinking: { type: "adaptive" } }).output_config).toBeUndefined();
  });
});

describe("Anthropic JSON response", () => {
  const schema = { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] };
  const response_format = { type: "json_schema", json_schema: { name: "s", description: "An a.", schema } };
  const old = { upstreamModel: "claude-3-7-sonnet-20250219" };

  test("is enforced by the provider if the model supports structured outputs", () => {
    expect(build({ response_format }).json.output_config).toEqual({
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { a: { type: "integer", description: "minimum: 1" } },
          required: ["a"],
          additionalProperties: false,
        },
      },
    });
  });

  test("uses a tool if the model doesn't support structured outputs", () => {
    const answering = { name: "answer_in_json_for_gateway", description: "An a.", input_schema: schema };
    expect(build({ response_format, reasoning_effort: "high" }, old).json).toEqual({
      model: old.upstreamModel,
      max_tokens: 4096,
      messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
      tools: [answering],
      tool_choice: { type: "tool", name: answering.name, disable_parallel_tool_use: true },
    });
    expect(build({ response_format, tools: [tool] }, old).json).toMatchObject({
      tools: [weather, answering],
      tool_choice: { type: "any", disable_parallel_tool_use: true },
    });
    // A tool choice in the request takes precedence, except that `none` forces the answer tool.
    const named = { type: "function", function: { name: "weather" } };
    expect(build({ response_format, tools: [tool], tool_choice: named }, old).json.tool_choice).toEqual({
      type: "tool",
      name: "weather",
    });
    expect(build({ response_format, tools: [tool], tool_choice: "none" }, old).json.tool_choice).toMatchObject({
      type: "tool",
      name: answering.name,
    });
  });

  test("uses a tool if the provider can't enforce the schema without changing its meaning", () => {
    const open = { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } };
    expect(build({ response_format: open }).json).toMatchObject({ tools: [{ input_schema: { type: "object" } }] });
  });

  test("is requested only in the instructions if no tool can be forced or the request has no schema", () => {
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const reported = build({ response_format, thinking }, old).json;
    expect(reported).not.toHaveProperty("tools");
    expect(JSON.stringify(reported.system)).toContain("minimum");
    const open = { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } };
    expect(build({ response_format: open }, { upstreamModel: "claude-fable-5" }).json).not.toHaveProperty("tools");
    const { json } = build({ response_format: { type: "json_object" } });
    expect(json.system).toEqual([{ type: "text", text: expect.stringContaining("single JSON object") }]);
    expect(build({ response_format: { type: "text" } }).json).not.toHaveProperty("system");
  });
});
