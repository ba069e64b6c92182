import { Failure } from "@tollgate/contracts/failures.ts";
import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { bedrock } from "./bedrock.ts";
import { buildConverseRequest } from "./build-converse-request.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const LLAMA = "us.meta.llama3-3-70b-instruct-v1:0";
const hello = [{ role: "user", content: "hello" }];
const tool = { type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } };
const KEEP = { type: "ephemeral" };
const POINT = { cachePoint: { type: "default" } };

function build(fields: object, upstreamModel = CLAUDE, facts?: { maxOutputTokens: number | null }) {
  const call = makeChatCall({ text: JSON.stringify({ model: "group", messages: hello, ...fields }) });
  const settings = { upstreamModel, apiKey: null, apiVersion: null, options: {} };
  const target = { ...settings, prepared: bedrock.prepare(settings), ...(facts && { facts }) };
  const { body } = buildConverseRequest(call, target, call.body.dropped);
  return JSON.parse(String(body)) as Record<string, unknown> & { readonly messages: readonly unknown[] };
}

function refusal(fields: object, model = CLAUDE): Failure {
  try {
    build(fields, model);
  } catch (error) {
    if (error instanceof Failure) return error;
  }
  throw new Error("nothing was refused");
}

describe("Bedrock Converse chat request", () => {
  test("translates cache_control to cache points for models that support them", () => {
    const body = build({
      messages: [
        { role: "system", content: [{ type: "text", text: "Long rules.", cache_control: KEEP }] },
        { role: "user", content: [{ type: "text", text: "Long book." }], cache_control: KEEP },
      ],
      tools: [{ ...tool, cache_control: KEEP }],
    });
    expect(body).toMatchObject({
      system: [{ text: "Long rules." }, POINT],
      messages: [{ role: "user", content: [{ text: "Long book." }, POINT] }],
      toolConfig: { tools: [{ toolSpec: { name: "weather" } }, POINT] },
    });
    const plain = build({ messages: [{ ...hello[0], cache_control: KEEP }] }, LLAMA);
    expect(plain.messages).toEqual([{ role: "user", content: [{ text: "hello" }] }]);
  });

  test("sets maxTokens to the requested limit or the model's limit, and omits it if neither limit is known", () => {
    expect(build({ max_completion_tokens: 7 }).inferenceConfig).toEqual({ maxTokens: 7 });
    expect(build({}, CLAUDE, { maxOutputTokens: 64_000 }).inferenceConfig).toEqual({ maxTokens: 64_000 });
    expect(build({})).not.toHaveProperty("inferenceConfig");
  });

  test("disables parallel tool use for models that support it", () => {
    const { toolConfig, additionalModelRequestFields } = build({ tools: [tool], parallel_tool_calls: false });
    expect(toolConfig).not.toHaveProperty("toolChoice");
    expect(additionalModelRequestFields).toEqual({ tool_choice: { type: "auto", disable_parallel_tool_use: true } });
    expect(bedrock.translations["chat.completions"]?.supportedParams(LLAMA)).not.toContain("parallel_tool_calls");
  });

  test("defines tools that only the conversation mentions, because Bedrock requires a definition for each tool", () => {
    const call = { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } };
    const messages = [
      ...hello,
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "rain" }] },
    ];
    for (const more of [{}, { tools: [tool], tool_choice: "none" }]) {
      const { toolConfig } = build({ messages, ...more });
      expect(toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "weather" } }] });
      expect(toolConfig).not.toHaveProperty("toolChoice");
    }
    expect(build({ messages }).messages[2]).toEqual({
      role: "user",
      content: [{ toolResult: { toolUseId: "call_1", content: [{ text: "rain" }] } }],
    });
  });

  test("sends reasoning back with its signature", () => {
    const thinking_blocks = [
      { type: "thinking", thinking: "Hm.", signature: "sig" },
      { type: "redacted_thinking", data: "c2VjcmV0" },
    ];
    const { messages } = build({
      messages: [...hello, { role: "assistant", content: "Yes.", thinking_blocks }, ...hello],
    });
    expect(messages[1]).toEqual({
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Hm.", signature: "sig" } } },
        { reasoningContent: { redactedContent: "c2VjcmV0" } },
        { text: "Yes." },
      ],
    });
  });

  test("enforces a response schema with a tool, or with instructions if no tool can be forced", () => {
    const response_format = {
      type: "json_schema",
      json_schema: { name: "s", schema: { type: "object", properties: {} } },
    };
    expect(build({ response_format }).toolConfig).toMatchObject({ tools: [{ toolSpec: {} }] });
    const reported = build({ response_format }, LLAMA);
    expect(reported).not.toHaveProperty("toolConfig");
    expect(JSON.stringify(reported.system)).toContain("JSON schema");
  });

  test("accepts inline files of known types, and rejects other types and URLs", () => {
    const file = (type: string, filename: string) => ({
      messages: [
        { role: "user", content: [{ type: "file", file: { file_data: `data:${type};base64,aGk=`, filename } }] },
      ],
    });
    expect(build(file("text/plain", "notes_2026.txt")).messages[0]).toEqual({
      role: "user",
      content: [{ document: { format: "txt", name: "notes 2026", source: { bytes: "aGk=" } } }],
    });
    expect(refusal(file("application/zip", "a.zip"))).toMatchObject({ code: "invalid_request" });
    const picture = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
    expect(refusal({ messages: [{ role: "user", content: [picture] }] }).message).toContain("does not fetch URLs");
  });

  test("rejects unpriced fields, including fields in extra_body", () => {
    expect(refusal({ extra_body: { mcp_servers: [{}] } })).toMatchObject({ code: "unsupported_parameter" });
    expect(refusal({ speed: "fast" })).toMatchObject({ code: "unsupported_parameter" });
  });
});
