import { hash } from "node:crypto";
import { RequestSigner } from "@tollgate/domain/network/aws-request-signer.ts";
import {
  AMAZON_EVENTS,
  amazonEvent,
  amazonException,
  converseAnswer,
  converseFrames,
} from "@tollgate/testkit/amazon-event-stream.ts";
import { describe, expect } from "vitest";
import { test as base, chunksOf, errorOf } from "../../http/routes/chat-gateway.fixture.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const ACCESS = "AKIDEXAMPLE";
const SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const TOKEN = "session-token-0123456789";

/** Extends `test` with a gateway whose models are on Amazon Bedrock, served by a fake upstream. */
const test = base.extend("amazon", async ({ start, upstreams }) => {
  const place = `aws_bedrock_runtime_endpoint: "${upstreams.beta.origin}", aws_region_name: eu-central-1`;
  const credentials = `aws_access_key_id: ${ACCESS}, aws_secret_access_key: "${SECRET}", aws_session_token: ${TOKEN}`;
  const prices =
    "input_cost_per_token: 0.000001, output_cost_per_token: 0.000004, cache_read_input_token_cost: 0.0000001, cache_creation_input_token_cost: 0.000002";
  return start({
    yaml: `
  - { model_name: claude, litellm_params: { model: "bedrock/${CLAUDE}", ${place}, ${credentials}, ${prices} } }
  - { model_name: keyed, litellm_params: { model: "bedrock/${CLAUDE}", ${place}, api_key: bedrock-api-key-0123456789, ${prices} } }
  - { model_name: no-credential, litellm_params: { model: "bedrock/${CLAUDE}", ${place}, ${prices} } }
  - { model_name: vectors, litellm_params: { model: bedrock/amazon.titan-embed-text-v2:0, ${place}, ${credentials}, input_cost_per_token: 0.000001 }, model_info: { mode: embedding } }
  - { model_name: "aws/*", litellm_params: { model: "bedrock/*", ${place}, ${credentials}, ${prices} } }
`,
  });
});
const claude = { model: "claude" };
const pathOf = (model: string, operation: string) => `/model/${encodeURIComponent(model)}/${operation}`;

describe("Bedrock model", () => {
  test("returns a chat response for a signed request, and the call is charged for the reported usage", async ({
    amazon,
    upstreams,
  }) => {
    upstreams.beta.replies(
      200,
      converseAnswer([{ text: "Forty-two." }], "end_turn", {
        inputTokens: 10,
        outputTokens: 4,
        totalTokens: 134,
        cacheReadInputTokens: 100,
        cacheWriteInputTokens: 20,
      }),
    );
    const answer = await amazon.chat({ ...claude, max_tokens: 200 });
    expect(await answer.json()).toMatchObject({
      object: "chat.completion",
      model: "claude",
      choices: [{ message: { role: "assistant", content: "Forty-two." }, finish_reason: "stop" }],
      usage: {
        prompt_tokens: 130,
        completion_tokens: 4,
        total_tokens: 134,
        prompt_tokens_details: { cached_tokens: 100 },
      },
    });
    const cost = 10_000n + 16_000n + 10_000n + 40_000n;
    expect(amazon.records).toMatchObject([{ provider: "bedrock", status: "success", cost }]);
    const { path, headers, body } = await upstreams.beta.ended(0);
    expect(path).toBe(pathOf(CLAUDE, "converse"));
    expect(headers["x-amz-security-token"]).toBe(TOKEN);
    const time = String(headers["x-amz-date"]).replace(
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
      "$1-$2-$3T$4:$5:$6Z",
    );
    const signer = new RequestSigner(
      { accessKeyId: ACCESS, secretAccessKey: SECRET, sessionToken: TOKEN },
      "eu-central-1",
      "bedrock",
    );
    const asSent = {
      method: "POST",
      host: String(headers.host),
      path,
      query: [],
      headers: [["content-type", "application/json"]],
      bodySha256: hash("sha256", body, "hex"),
    } as const;
    expect(signer.sign(asSent, new Date(time)).at(-1)).toBe(headers.authorization);
  });

  test("streams frames split at any byte, and the call is charged for the reported usage", async ({
    amazon,
    upstreams,
  }) => {
    const bytes = Buffer.concat(converseFrames(["Grüße ", "aus \r\n", "Köln 😀"]));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
    upstreams.beta.streams(pieces, { headers: AMAZON_EVENTS });
    const answer = await amazon.chat({ ...claude, stream: true, stream_options: { include_usage: true } });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const { chunks, isDone } = chunksOf(await answer.text());
    expect(isDone).toBe(true);
    const deltas = chunks.flatMap(({ choices }) => choices as unknown as { delta: { content?: string } }[]);
    expect(deltas.map(({ delta }) => delta.content ?? "").join("")).toBe("Grüße aus \r\nKöln 😀");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } });
    expect((await upstreams.beta.ended(0)).path).toBe(pathOf(CLAUDE, "converse-stream"));
    expect(amazon.records).toMatchObject([{ cost: 29_000n, usage: { source: "reported" } }]);
  });

  test("streams reasoning and tool calls", async ({ amazon, upstreams }) => {
    upstreams.beta.streams(
      [
        amazonEvent("messageStart", { role: "assistant" }),
        amazonEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm." } } }),
        amazonEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { reasoningContent: { signature: "sig" } } }),
        amazonEvent("contentBlockStop", { contentBlockIndex: 0 }),
        amazonEvent("contentBlockStart", {
          contentBlockIndex: 1,
          start: { toolUse: { toolUseId: "tooluse_1", name: "weather" } },
        }),
        amazonEvent("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: '{"city":' } } }),
        amazonEvent("contentBlockDelta", { contentBlockIndex: 1, delta: { toolUse: { input: '"Köln"}' } } }),
        amazonEvent("contentBlockStop", { contentBlockIndex: 1 }),
        amazonEvent("messageStop", { stopReason: "tool_use" }),
        amazonEvent("metadata", { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }),
      ],
      { headers: AMAZON_EVENTS },
    );
    const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: {} } } }];
    const answer = await amazon.chat({ ...claude, stream: true, tools, reasoning_effort: "low", max_tokens: 4_000 });
    const text = await answer.text();
    const { chunks, isDone } = chunksOf(text);
    expect(isDone).toBe(true);
    const deltas = chunks.flatMap(
      ({ choices }) => choices as unknown as { delta: Record<string, never>; finish_reason: string }[],
    );
    expect(deltas.map(({ delta }) => delta.reasoning_content ?? "").join("")).toBe("Hm.");
    expect(text).toContain('{"type":"thinking","thinking":"Hm.","signature":"sig"}');
    const calls = deltas.flatMap(
      ({ delta }) => (delta.tool_calls ?? []) as { id?: string; function: { arguments: string } }[],
    );
    expect(calls[0]).toMatchObject({ id: "tooluse_1", function: { name: "weather" } });
    expect(JSON.parse(calls.map((call) => call.function.arguments).join(""))).toEqual({ city: "Köln" });
    expect(deltas.at(-1)?.finish_reason).toBe("tool_calls");
    expect((await upstreams.beta.ended(0)).json()).toMatchObject({
      inferenceConfig: { maxTokens: 4_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 1_024 } },
      toolConfig: { tools: [{ toolSpec: { name: "weather", inputSchema: { json: { type: "object" } } } }] },
    });
  });

  test("can be called with an API key", async ({ amazon, upstreams }) => {
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    expect((await amazon.chat({ model: "keyed" })).status).toBe(200);
    const { headers } = await upstreams.beta.ended(0);
    expect(headers.authorization).toBe("Bearer bedrock-api-key-0123456789");
    expect(headers).not.toHaveProperty("x-amz-date");
  });

  test("fails with 503 before any request is sent if no credential is configured and Amazon's library is not installed", async ({
    amazon,
    upstreams,
  }) => {
    const answer = await amazon.chat({ model: "no-credential" });
    expect([answer.status, (await errorOf(answer)).code]).toEqual([503, "credentials_unavailable"]);
    expect(upstreams.beta.requests).toHaveLength(0);
  });

  test("is found by its full name, including an ARN", async ({ amazon, upstreams }) => {
    upstreams.beta.replies(200, converseAnswer([{ text: "yes" }]));
    const arn =
      "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0";
    expect((await amazon.chat({ model: `aws/${arn}` })).status).toBe(200);
    expect((await upstreams.beta.ended(0)).path).toBe(pathOf(arn, "converse"));
  });

  test("creates embeddings", async ({ amazon, upstreams }) => {
    upstreams.beta.replies(200, { embedding: [0.5, -1], inputTextTokenCount: 3 });
    const answer = await amazon.post(
      "/v1/embeddings",
      JSON.stringify({ model: "vectors", input: "Grüße", dimensions: 256 }),
    );
    expect(await answer.json()).toMatchObject({ data: [{ embedding: [0.5, -1] }], usage: { prompt_tokens: 3 } });
    const { path, body } = await upstreams.beta.ended(0);
    expect(path).toBe(pathOf("amazon.titan-embed-text-v2:0", "invoke"));
    expect(JSON.parse(body.toString())).toEqual({ inputText: "Grüße", dimensions: 256 });
    expect(amazon.records).toMatchObject([{ cost: 3_000n }]);
  });

  test("has a request preview without a signature or secrets", async ({ amazon }) => {
    const request = {
      call_type: "completion",
      request_body: { ...claude, messages: [{ role: "user", content: "hello" }], max_tokens: 5 },
    };
    const answer = await amazon.post("/utils/transform_request", JSON.stringify(request));
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      error: null,
      raw_request_body: {
        messages: [{ role: "user", content: [{ text: "hello" }] }],
        inferenceConfig: { maxTokens: 5 },
      },
    });
    for (const hidden of [SECRET, TOKEN, ACCESS, "Signature"]) expect(text).not.toContain(hidden);
  });

  test("reports a mid-stream failure in the stream", async ({ amazon, upstreams }) => {
    const [start, piece] = converseFrames(["one"]) as [Buffer, Buffer];
    upstreams.beta.streams([start, piece, amazonException("throttlingException", { message: "Too many tokens" })], {
      headers: AMAZON_EVENTS,
    });
    const { isDone, error } = chunksOf(await (await amazon.chat({ ...claude, stream: true })).text());
    expect([isDone, (error as { code: string }).code]).toEqual([false, "upstream_rate_limit"]);
  });
});
