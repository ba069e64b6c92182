import { Failure } from "@tollgate/contracts/failures.ts";
import { describe, expect, test } from "vitest";
import { inStage } from "../../call/call.ts";
import type { UpstreamTarget } from "../../call/provider.ts";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import { buildChatRequest } from "./build-chat-request.ts";
import { geminiTarget } from "./gemini-answers.fixture.ts";

const hello = [{ role: "user", content: "hello" }];
const weather = {
  name: "weather",
  description: "Returns the weather.",
  parameters: { type: "object", properties: {} },
};

interface Options {
  readonly dropped?: readonly string[];
  readonly outputLimit?: number;
  readonly target?: Partial<UpstreamTarget>;
}

function build(fields: object, model?: string, { dropped = [], outputLimit, target }: Options = {}) {
  const call = makeChatCall({ text: JSON.stringify({ model: "group", messages: hello, ...fields }) });
  if (outputLimit !== undefined) inStage(call, "opened").outputLimit = outputLimit;
  // The pipeline also drops the gateway's own fields.
  const names = new Set([...dropped, "extra_body", "drop_params"]);
  const { path, headers, body } = buildChatRequest(call, { ...geminiTarget(model), ...target }, names);
  return { path, headers, body: JSON.parse((body as Buffer).toString("utf8")) };
}
const bodyOf = (fields: object, model?: string, options?: Options) => build(fields, model, options).body;
const contentsOf = (messages: object[], model?: string) => bodyOf({ messages }, model).contents;
const configOf = (fields: object, model?: string, options?: Options) => bodyOf(fields, model, options).generationConfig;

function refusalOf(fields: object, model?: string, options?: Options): Failure {
  try {
    build(fields, model, options);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe("Gemini chat request URL", () => {
  test("names the model's method and doesn't contain the API key, which is sent in a header", () => {
    const { path, headers } = build({});
    expect(path).toBe("/models/gemini-2.5-flash:generateContent");
    expect(headers).toEqual([
      ...["content-type", "application/json", "accept-encoding", "identity"],
      ...["x-goog-api-key", "AIza-some-key", "x-gw-hops", "1"],
    ]);
    expect(build({ stream: true }).path).toBe("/models/gemini-2.5-flash:streamGenerateContent?alt=sse");
  });

  test.for([
    ["models/gemini-2.5-pro", "/models/gemini-2.5-pro:generateContent"],
    ["tunedModels/mine-1", "/tunedModels/mine-1:generateContent"],
    ["../../v1/x?alt=json#", "/models/..%2F..%2Fv1%2Fx%3Falt%3Djson%23:generateContent"],
  ])("escapes the model name %s in the path", ([model, path]) => {
    expect(build({}, model).path).toBe(path);
  });
});

describe("Gemini conversation translation", () => {
  test("preserves order and characters, and moves system messages to systemInstruction", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Grüße 😀" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Hi." },
          { type: "refusal", refusal: "No." },
        ],
      },
      { role: "developer", content: [{ type: "text", text: "And kind." }] },
      { role: "user", content: [{ type: "text", text: "世界" }] },
      { role: "user", content: "again" },
    ];
    expect(bodyOf({ messages })).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "And kind." }] },
      contents: [
        { role: "user", parts: [{ text: "Grüße 😀" }] },
        { role: "model", parts: [{ text: "Hi." }, { text: "No." }] },
        { role: "user", parts: [{ text: "世界" }, { text: "again" }] },
      ],
    });
  });

  test("sends system messages as a user turn if there are no other messages", () => {
    expect(bodyOf({ messages: [{ role: "system", content: "Say hi." }] })).toEqual({
      contents: [{ role: "user", parts: [{ text: "Say hi." }] }],
    });
  });

  test("puts system messages in the first turn for Gemma models", () => {
    const messages = [{ role: "system", content: "Be brief." }, ...hello];
    expect(bodyOf({ messages }, "gemma-3-27b-it")).toEqual({
      contents: [{ role: "user", parts: [{ text: "Be brief." }, { text: "hello" }] }],
    });
  });

  const asked = (id: string, city: string, extra?: object) => ({
    id,
    type: "function",
    function: { name: "weather", arguments: JSON.stringify({ city }) },
    ...extra,
  });
  const loop = (first?: object) => [
    ...hello,
    { role: "assistant", content: null, tool_calls: [asked("a", "Bern", first), asked("b", "Basel")] },
    { role: "tool", tool_call_id: "b", content: '{"degrees":4}' },
    { role: "tool", tool_call_id: "a", content: [{ type: "text", text: "cold" }] },
    { role: "user", content: "And?" },
  ];

  test("identifies tool results by function name, and sends all results of a turn together", () => {
    expect(contentsOf(loop()).slice(1)).toEqual([
      {
        role: "model",
        parts: [
          { functionCall: { id: "a", name: "weather", args: { city: "Bern" } } },
          { functionCall: { id: "b", name: "weather", args: { city: "Basel" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "b", name: "weather", response: { degrees: 4 } } },
          { functionResponse: { id: "a", name: "weather", response: { result: "cold" } } },
        ],
      },
      { role: "user", parts: [{ text: "And?" }] },
    ]);
  });

  const signed = { extra_content: { google: { thought_signature: "c2ln" } } };
  const signaturesOf = (messages: object[], model: string) =>
    contentsOf(messages, model)[1].parts.map((part: { thoughtSignature?: string }) => part.thoughtSignature);

  test("sends each thought signature back with the part that it came with", () => {
    expect(signaturesOf(loop(signed), "gemini-3-flash-preview")).toEqual(["c2ln", undefined]);
    expect(signaturesOf(loop(signed), "gemini-2.5-flash")).toEqual(["c2ln", undefined]);
    expect(signaturesOf([...hello, { role: "assistant", content: "Hi.", ...signed }], "gemini-3-pro")).toEqual([
      "c2ln",
    ]);
  });

  test("adds a placeholder signature to tool calls from other models if the model requires one", () => {
    expect(signaturesOf(loop(), "gemini-3-pro")).toEqual(["skip_thought_signature_validator", undefined]);
    expect(signaturesOf(loop(), "gemini-2.5-flash")).toEqual([undefined, undefined]);
  });

  test("accepts the legacy function_call format", () => {
    const messages = [
      ...hello,
      { role: "assistant", content: null, function_call: { name: "weather", arguments: "" } },
      { role: "function", name: "weather", content: "cold" },
    ];
    expect(contentsOf(messages).slice(1)).toEqual([
      { role: "model", parts: [{ functionCall: { name: "weather", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "weather", response: { result: "cold" } } }] },
    ]);
  });

  test.for(["[1]", "not json", '"text"', "{"])("rejects the tool call arguments %s", (text) => {
    const call = { id: "a", type: "function", function: { name: "weather", arguments: text } };
    const refusal = refusalOf({ messages: [...hello, { role: "assistant", tool_calls: [call] }] });
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.facts.param).toBe("messages.1.tool_calls.0.function.arguments");
  });

  test("puts tool result images inside the result if the model supports it, and otherwise next to the result", () => {
    const url = "data:image/png;base64,iVBORw0K";
    const picture = { inlineData: { mimeType: "image/png", data: "iVBORw0K" } };
    const content = [
      { type: "text", text: "see" },
      { type: "image_url", image_url: { url } },
    ];
    const messages = [
      ...hello,
      { role: "assistant", tool_calls: [asked("a", "Bern")] },
      { role: "tool", tool_call_id: "a", content },
    ];
    const response = { id: "a", name: "weather", response: { result: "see" } };
    expect(contentsOf(messages, "gemini-3-flash").at(-1).parts).toEqual([
      { functionResponse: { ...response, parts: [picture] } },
    ]);
    expect(contentsOf(messages).at(-1).parts).toEqual([{ functionResponse: response }, picture]);
  });
});

describe("Gemini media part", () => {
  const partOf = (part: object) => contentsOf([{ role: "user", content: [part] }])[0].parts[0];
  test.for<[string, object, object]>([
    [
      "an inline image",
      { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0K" } },
      { inlineData: { mimeType: "image/png", data: "iVBORw0K" } },
    ],
    [
      "an image URL",
      { type: "image_url", image_url: "https://example.com/a/b.JPG?x=1.png" },
      { fileData: { mimeType: "image/jpeg", fileUri: "https://example.com/a/b.JPG?x=1.png" } },
    ],
    [
      "an image URL without an extension",
      { type: "image_url", image_url: { url: "gs://bucket/file", format: "image/webp" } },
      { fileData: { mimeType: "image/webp", fileUri: "gs://bucket/file" } },
    ],
    [
      "an image URL of unknown type, which must not be read as a video",
      { type: "image_url", image_url: { url: "https://example.com/a" } },
      { fileData: { mimeType: "image/jpeg", fileUri: "https://example.com/a" } },
    ],
    [
      "a video",
      { type: "video_url", video_url: { url: "https://www.youtube.com/watch?v=1" } },
      { fileData: { fileUri: "https://www.youtube.com/watch?v=1" } },
    ],
    [
      "audio",
      { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } },
      { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } },
    ],
    [
      "a document",
      { type: "file", file: { file_data: "data:application/pdf;base64,JVBERi0=", filename: "a.pdf" } },
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
    ],
    [
      "a document as bare base64",
      { type: "file", file: { file_data: "JVBERi0=", filename: "a.pdf" } },
      { inlineData: { mimeType: "application/pdf", data: "JVBERi0=" } },
    ],
    [
      "a document URL",
      { type: "file", file: { file_id: "gs://bucket/a", format: "application/pdf" } },
      { fileData: { mimeType: "application/pdf", fileUri: "gs://bucket/a" } },
    ],
  ])("%s", ([, part, expected]) => {
    expect(partOf(part)).toEqual(expected);
  });

  test.for<[string, object]>([
    ["a URL without HTTPS", { type: "image_url", image_url: { url: "http://example.com/a.png" } }],
    ["a local file", { type: "image_url", image_url: { url: "file:///etc/passwd" } }],
    ["data that is not base64", { type: "image_url", image_url: { url: "data:image/svg+xml,<svg/>" } }],
    ["an incomplete URL", { type: "image_url", image_url: { url: "https://" } }],
    ["an operator file by ID", { type: "file", file: { file_id: "files/abc-1" } }],
    [
      "an operator file by URL",
      { type: "image_url", image_url: { url: "https://generativelanguage.googleapis.com/v1beta/files/abc-1" } },
    ],
    ["a file without content", { type: "file", file: { filename: "a.pdf" } }],
    ["a file of unknown type", { type: "file", file: { file_data: "AAAA", filename: "a" } }],
  ])("rejects %s", ([, part]) => {
    const refusal = refusalOf({ messages: [{ role: "user", content: [part] }] });
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.facts.param).toMatch(/^messages\.0\.content\.0\./);
  });
});

describe("Gemini parameters", () => {
  test("use the names of the Gemini API", () => {
    const fields = {
      ...{ temperature: 0.5, top_p: 0.9, top_k: 40, max_tokens: 100, stop: "END", n: 2, seed: 7 },
      ...{
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        logprobs: true,
        top_logprobs: 3,
        user: "u",
        service_tier: "auto",
      },
      modalities: ["text", "image"],
    };
    expect(bodyOf(fields, "gemini-2.0-flash")).toEqual({
      contents: [{ role: "user", parts: [{ text: "hello" }] }],
      generationConfig: {
        ...{ temperature: 0.5, topP: 0.9, topK: 40, maxOutputTokens: 100, stopSequences: ["END"], candidateCount: 2 },
        ...{ seed: 7, presencePenalty: 0.1, frequencyPenalty: 0.2, responseLogprobs: true, logprobs: 3 },
        responseModalities: ["TEXT", "IMAGE"],
      },
    });
  });

  test("set maxOutputTokens from the gateway limit, then max_completion_tokens, then max_tokens", () => {
    expect(configOf({ max_tokens: 5, max_completion_tokens: 6 }).maxOutputTokens).toBe(6);
    expect(configOf({ max_tokens: 5 }, undefined, { outputLimit: 7 }).maxOutputTokens).toBe(7);
    expect(bodyOf({ max_tokens: null })).not.toHaveProperty("generationConfig");
  });

  test("translate response_format", () => {
    const schema = { type: "object", properties: { a: { $ref: "#/$defs/x" } }, additionalProperties: false };
    const format = { type: "json_schema", json_schema: { name: "x", schema, strict: true } };
    expect(configOf({ response_format: format })).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: schema,
    });
    expect(configOf({ response_format: { type: "json_object" } })).toEqual({ responseMimeType: "application/json" });
    expect(bodyOf({ response_format: { type: "text" } })).not.toHaveProperty("generationConfig");
  });

  test("preserve the response schema, except that const becomes enum", () => {
    const schema = {
      type: "object",
      properties: {
        const: { const: 1 },
        list: { type: "array", items: { anyOf: [{ const: "a" }, { type: "null" }] } },
      },
      $defs: { x: { const: null } },
      additionalProperties: false,
    };
    const format = { type: "json_schema", json_schema: { name: "x", schema } };
    expect(configOf({ response_format: format }).responseJsonSchema).toEqual({
      type: "object",
      properties: {
        const: { enum: [1] },
        list: { type: "array", items: { anyOf: [{ enum: ["a"] }, { type: "null" }] } },
      },
      $defs: { x: { enum: [null] } },
      additionalProperties: false,
    });
  });

  test("set the voice for a speech model", () => {
    const fields = { modalities: ["audio"], audio: { voice: "Kore", format: "pcm16" } };
    expect(configOf(fields, "gemini-2.5-flash-preview-tts")).toEqual({
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    });
  });

  test.for<[string, string, object]>([
    ["none", "gemini-2.5-flash", { includeThoughts: false, thinkingBudget: 0 }],
    ["none", "gemini-2.5-pro", { includeThoughts: false, thinkingBudget: 128 }],
    ["minimal", "gemini-2.5-flash-lite", { includeThoughts: true, thinkingBudget: 1024 }],
    ["medium", "gemini-2.5-flash", { includeThoughts: true, thinkingBudget: 8192 }],
    ["xhigh", "gemini-2.5-pro", { includeThoughts: true, thinkingBudget: 32768 }],
    ["none", "gemini-3-flash-preview", { includeThoughts: false, thinkingLevel: "minimal" }],
    ["minimal", "gemini-3-pro-preview", { includeThoughts: true, thinkingLevel: "low" }],
    ["medium", "gemini-3-pro-preview", { includeThoughts: true, thinkingLevel: "high" }],
    ["medium", "gemini-3.1-pro-preview", { includeThoughts: true, thinkingLevel: "medium" }],
    ["xhigh", "gemini-flash-latest", { includeThoughts: true, thinkingLevel: "high" }],
  ])("translate reasoning effort %s for %s", ([effort, model, expected]) => {
    expect(configOf({ reasoning_effort: effort }, model).thinkingConfig).toEqual(expected);
  });

  test("pass the thinking budget through, and omit it for models without reasoning", () => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    expect(configOf({ thinking, reasoning_effort: "low" }).thinkingConfig).toEqual({
      includeThoughts: true,
      thinkingBudget: 2000,
    });
    expect(configOf({ thinking: { type: "disabled" } }).thinkingConfig).toEqual({
      includeThoughts: false,
      thinkingBudget: 0,
    });
    expect(configOf({ thinking: { type: "adaptive" } }).thinkingConfig).toMatchObject({ thinkingBudget: -1 });
    expect(bodyOf({ thinking }, "gemini-2.0-flash")).not.toHaveProperty("generationConfig");
  });

  test("omit dropped parameters", () => {
    expect(configOf({ temperature: 1, seed: 2, top_k: 3 }, undefined, { dropped: ["seed", "top_k"] })).toEqual({
      temperature: 1,
    });
  });
});

describe("Gemini tools", () => {
  const tools = [weather, { name: "clock" }].map((definition) => ({ type: "function", function: definition }));
  const declarations = [
    { name: "weather", description: "Returns the weather.", parametersJsonSchema: weather.parameters },
    { name: "clock" },
  ];
  const choiceOf = (fields: object) => bodyOf({ tools, ...fields }).toolConfig?.functionCallingConfig;

  test("are declared with unchanged schemas, from tools or from legacy functions", () => {
    expect(bodyOf({ tools }).tools).toEqual([{ functionDeclarations: declarations }]);
    expect(bodyOf({ functions: [weather, { name: "clock" }] }).tools).toEqual([{ functionDeclarations: declarations }]);
    expect(bodyOf({ tools: tools.slice(1), web_search_options: {} }).tools).toEqual([
      { functionDeclarations: declarations.slice(1) },
      { googleSearch: {} },
    ]);
  });

  test.for<[object, object | undefined]>([
    [{}, undefined],
    [{ tool_choice: "none" }, { mode: "NONE" }],
    [{ tool_choice: "auto" }, { mode: "AUTO" }],
    [{ tool_choice: "required" }, { mode: "ANY" }],
    [
      { tool_choice: { type: "function", function: { name: "clock" } } },
      { mode: "ANY", allowedFunctionNames: ["clock"] },
    ],
    [{ function_call: { name: "clock" } }, { mode: "ANY", allowedFunctionNames: ["clock"] }],
    [{ function_call: "none" }, { mode: "NONE" }],
  ])("follow the tool choice %j", ([fields, expected]) => {
    expect(choiceOf(fields)).toEqual(expected);
  });

  test("use mode VALIDATED for strict functions if the model may choose", () => {
    const strict = [{ type: "function", function: { ...weather, strict: true } }];
    expect(bodyOf({ tools: strict }).toolConfig).toEqual({ functionCallingConfig: { mode: "VALIDATED" } });
    expect(bodyOf({ tools: strict, tool_choice: "required" }).toolConfig).toEqual({
      functionCallingConfig: { mode: "ANY" },
    });
  });

  test("can be limited with allowed_tools", () => {
    const allowed = (mode: string) => ({
      type: "allowed_tools",
      allowed_tools: { mode, tools: [{ type: "function", function: { name: "clock" } }] },
    });
    expect(choiceOf({ tool_choice: allowed("required") })).toEqual({ mode: "ANY", allowedFunctionNames: ["clock"] });
    expect(bodyOf({ tools, tool_choice: allowed("auto") })).toMatchObject({
      tools: [{ functionDeclarations: [{ name: "clock" }] }],
      toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    });
  });

  test("are rejected if they aren't functions or if the tool choice is unknown", () => {
    expect(refusalOf({ tools: [{ type: "custom", custom: { name: "x" } }] }).code).toBe("unsupported_tool");
    expect(refusalOf({ tools, tool_choice: { type: "custom" } }).facts.param).toBe("tool_choice");
  });

  test("are rejected if parallel_tool_calls is false, unless unsupported parameters may be dropped", () => {
    expect(refusalOf({ tools, parallel_tool_calls: false })).toMatchObject({
      code: "unsupported_parameter",
      facts: { param: "parallel_tool_calls" },
    });
    expect(bodyOf({ tools, parallel_tool_calls: true }).tools).toHaveLength(1);
    expect(bodyOf({ tools, parallel_tool_calls: false, drop_params: true }).tools).toHaveLength(1);
    const target = { dropsParams: true };
    expect(bodyOf({ tools, parallel_tool_calls: false }, undefined, { target }).tools).toHaveLength(1);
    expect(refusalOf({ tools, parallel_tool_calls: false, drop_params: false }, undefined, { target }).code).toBe(
      "unsupported_parameter",
    );
  });
});

describe("Gemini-specific fields", () => {
  const safety = [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }];
  test("are merged into the body, and generation_config is merged into the existing generationConfig", () => {
    const fields = {
      temperature: 1,
      labels: { a: "b" },
      extra_body: { safety_settings: safety, generation_config: { top_k: 5, mediaResolution: "MEDIA_RESOLUTION_LOW" } },
    };
    expect(bodyOf(fields)).toMatchObject({
      labels: { a: "b" },
      safetySettings: safety,
      generationConfig: { temperature: 1, topK: 5, mediaResolution: "MEDIA_RESOLUTION_LOW" },
    });
  });

  test("can add tools that the provider runs, except tools that read the operator's stored files", () => {
    const functions = [{ name: "clock" }];
    expect(bodyOf({ functions, extra_body: { tools: [{ url_context: {} }] } }).tools).toEqual([
      { functionDeclarations: functions },
      { url_context: {} },
    ]);
    const maps = [{ googleMaps: { enableWidget: true } }, { google_maps: {} }];
    expect(bodyOf({ extra_body: { tools: maps } }).tools).toEqual(maps);
    for (const tool of [
      { fileSearch: {} },
      { file_search: {} },
      { urlContext: {}, mcpServers: [] },
      { googleMaps: { authConfig: { apiKeyConfig: { apiKeySecret: "projects/acme/secrets/key" } } } },
      { google_maps: { auth_config: {} } },
      null,
      1,
    ]) {
      expect(refusalOf({ extra_body: { tools: [tool] } })).toMatchObject({
        code: "unsupported_tool",
        facts: { param: "extra_body.tools.0" },
      });
    }
  });

  test("include explicitly allowed parameters that the model doesn't support", () => {
    expect(bodyOf({ logit_bias: { 1: 2 } })).toMatchObject({ logitBias: { 1: 2 } });
  });

  test.for<[string, object]>([
    ["extra_body.contents", { extra_body: { contents: [] } }],
    ["extra_body.cached_content", { extra_body: { cached_content: "cachedContents/of-someone" } }],
    ["extra_body.serviceTier", { extra_body: { serviceTier: "priority" } }],
    ["cachedContent", { cachedContent: "cachedContents/of-someone" }],
    ["extra_body.generationConfig.maxOutputTokens", { extra_body: { generationConfig: { maxOutputTokens: 1e6 } } }],
    [
      "extra_body.generation_config.max_output_tokens",
      { extra_body: { generation_config: { max_output_tokens: 1e6 } } },
    ],
    ["generationConfig.candidate_count", { generationConfig: { candidate_count: 8 } }],
  ])("cannot override counted and priced fields: %s", ([param, fields]) => {
    expect(refusalOf(fields)).toMatchObject({ code: "invalid_request", facts: { param } });
  });
});
