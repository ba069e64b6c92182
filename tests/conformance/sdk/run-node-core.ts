import assert from "node:assert/strict";
import type { Report } from "@tollgate/testkit/report.ts";
import OpenAI, { type APIError, AzureOpenAI } from "openai";
import { ENDLESS } from "../differential/play-scenarios.ts";
import { SCRIPTED_GROUP } from "../stage/served-groups.ts";
import type { Stage } from "../stage/start-stage.ts";

type Message = OpenAI.Chat.ChatCompletionMessageParam;

const hello: Message[] = [{ role: "user", content: "hello there, old friend" }];
const weatherTool: OpenAI.Chat.ChatCompletionTool = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
const pointSchema = {
  type: "object",
  properties: { x: { type: "integer" }, label: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
  required: ["x", "label", "tags"],
  additionalProperties: false,
};

/** Runs common operations with the stock client. Only the URL and the key differ from OpenAI's. */
export async function runNodeCore({ tollgate, upstream }: Stage, report: Report): Promise<void> {
  const { baseUrl, apiKey } = tollgate;
  const connect = (options: ConstructorParameters<typeof OpenAI>[0] = {}) =>
    new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey, maxRetries: 0, ...options });
  const client = connect();
  const { completions } = client.chat;
  const check = (name: string, run: () => Promise<void>) => report.check("node", name, run);

  await check("models.list", async () => {
    const ids: string[] = [];
    for await (const model of client.models.list()) {
      assert.equal(model.object, "model");
      ids.push(model.id);
    }
    assert.ok(ids.includes(SCRIPTED_GROUP), "the configured group is listed");
    assert.ok(ids.includes("sim/echo"), "the simulated models are listed");
    assert.equal(new Set(ids).size, ids.length, "a name is listed twice");
  });

  await check("models.retrieve, also with a slash in the name", async () => {
    assert.equal((await client.models.retrieve(SCRIPTED_GROUP)).id, SCRIPTED_GROUP);
    assert.equal((await client.models.retrieve("sim/echo")).id, "sim/echo");
    await assert.rejects(client.models.retrieve("no-such-model"), OpenAI.NotFoundError);
  });

  await check("chat.completions.create", async () => {
    const answer = await completions.create({ model: "sim/echo", messages: hello });
    assert.equal(answer.choices[0]?.message.content, hello[0]?.content);
    assert.equal(answer.model, "sim/echo");
    assert.equal(answer.choices[0]?.finish_reason, "stop");
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage as OpenAI.CompletionUsage;
    assert.equal(prompt_tokens + completion_tokens, total_tokens);
  });

  await check("chat.completions.create as a stream", async () => {
    const chunks = await collect(await completions.create({ model: "sim/echo", messages: hello, stream: true }));
    assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join(""), hello[0]?.content);
    assert.equal(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.created} ${chunk.model}`)).size, 1);
    assert.equal(chunks.filter((chunk) => chunk.choices[0]?.finish_reason === "stop").length, 1);
    assert.ok(
      chunks.every((chunk) => chunk.choices.length > 0 && chunk.usage == null),
      "usage was not requested",
    );
  });

  await check("chat.completions.create as a stream with include_usage", async () => {
    const asked = { model: "sim/echo", messages: hello };
    const stream = await completions.create({ ...asked, stream: true, stream_options: { include_usage: true } });
    const last = (await collect(stream)).at(-1);
    assert.deepEqual(last?.choices, []);
    assert.deepEqual(last?.usage, (await completions.create(asked)).usage);
  });

  await check("chat.completions.stream assembles the response", async () => {
    const stream = completions.stream({ model: "sim/lorem?tokens=40", messages: hello, n: 2 });
    const gathered = await stream.finalChatCompletion();
    const whole = await completions.create({ model: "sim/lorem?tokens=40", messages: hello, n: 2 });
    const texts = (answer: OpenAI.ChatCompletion) => answer.choices.map(({ message }) => message.content);
    assert.deepEqual(texts(gathered), texts(whole));
  });

  await check("a tool call, its result, and the final response", async () => {
    const answer = await completions.create({ model: "sim/tools", messages: hello, tools: [weatherTool] });
    const message = answer.choices[0]?.message as OpenAI.Chat.ChatCompletionMessage;
    const call = message.tool_calls?.[0] as OpenAI.Chat.ChatCompletionMessageFunctionToolCall;
    assert.equal(answer.choices[0]?.finish_reason, "tool_calls");
    assert.equal(typeof JSON.parse(call.function.arguments).city, "string");
    const messages: Message[] = [...hello, message, { role: "tool", tool_call_id: call.id, content: "sunny" }];
    const next = await completions.create({ model: "sim/tools", messages, tools: [weatherTool] });
    assert.equal(next.choices[0]?.message.content, "sunny");
  });

  await check("a streamed tool call is assembled to the same call", async () => {
    const asked = { model: "sim/tools", messages: hello, tools: [weatherTool] };
    const streamed = (await completions.stream(asked).finalChatCompletion()).choices[0]?.message.tool_calls;
    const whole = (await completions.create(asked)).choices[0]?.message.tool_calls;
    const plain = (calls: typeof whole) =>
      calls?.map((call) => call.type === "function" && [call.id, call.function.name, call.function.arguments]);
    assert.deepEqual(plain(streamed), plain(whole));
  });

  await check("json_schema output matches its schema", async () => {
    const json_schema = { name: "point", strict: true, schema: pointSchema };
    const response_format = { type: "json_schema" as const, json_schema };
    const answer = await completions.create({ model: "sim/json", messages: hello, response_format });
    const value = JSON.parse(answer.choices[0]?.message.content ?? "");
    assert.ok(Number.isInteger(value.x) && typeof value.label === "string" && Array.isArray(value.tags));
  });

  await check("every refusal has the client's own error class", async () => {
    const ask = (model: string, more: object = {}) => completions.create({ model, messages: hello, ...more });
    await rejects(connect({ apiKey: "sk-tg-wrong" }).models.list(), OpenAI.AuthenticationError, "invalid_api_key");
    await rejects(ask("no-such-model"), OpenAI.NotFoundError, "model_not_found");
    await rejects(ask("sim/error?status=429"), OpenAI.RateLimitError, "upstream_rate_limit");
    await rejects(ask("sim/echo", { top_logprobs: 2 }), OpenAI.BadRequestError, "invalid_request");
    await rejects(ask("sim/error?kind=context"), OpenAI.BadRequestError, "context_length_exceeded");
    await rejects(
      ask("sim/echo", { messages: [{ role: "user" }] }),
      OpenAI.UnprocessableEntityError,
      "validation_error",
    );
    await rejects(ask("sim/error?status=500"), OpenAI.InternalServerError, "internal_error");
    await rejects(ask("sim/error?status=503"), OpenAI.InternalServerError, "service_unavailable");
  });

  await check("a refusal names the invalid field", async () => {
    const messages = [{ role: "user" }] as unknown as Message[];
    const error = await rejects(completions.create({ model: "sim/echo", messages }), OpenAI.UnprocessableEntityError);
    assert.equal(error.param, "messages.0.content");
  });

  await check("a truncated stream throws an error", async () => {
    const stream = await completions.create({ model: "sim/cut?after=3", messages: hello, stream: true });
    await assert.rejects(collect(stream), OpenAI.APIError);
  });

  await check("disconnecting from a stream stops the upstream if the deployment aborts on disconnect", async () => {
    const before = upstream.requests.length;
    const messages: Message[] = [{ role: "user", content: ENDLESS }];
    const stream = await completions.create({ model: SCRIPTED_GROUP, messages, stream: true });
    let seen = 0;
    for await (const _ of stream) {
      seen += 1;
      if (seen === 3) stream.controller.abort();
    }
    assert.ok(seen >= 3 && seen < 1_000);
    assert.equal((await upstream.ended(before)).end?.kind, "aborted");
  });

  await check("the base URL works without /v1 and with a trailing slash", async () => {
    for (const baseURL of [baseUrl, `${baseUrl}/`, `${baseUrl}/v1/`, `${baseUrl}/v1/v1`]) {
      const other = connect({ baseURL });
      const answer = await other.chat.completions.create({ model: "sim/echo", messages: hello });
      assert.equal(answer.choices[0]?.message.content, hello[0]?.content, baseURL);
      assert.equal((await other.models.retrieve("sim/echo")).id, "sim/echo", baseURL);
    }
  });

  await check("the Azure client works, with its own header and path", async () => {
    const azure = { endpoint: baseUrl, apiKey, apiVersion: "2024-10-21", maxRetries: 0 };
    const asked = { model: "sim/echo", messages: hello };
    const answer = await new AzureOpenAI(azure).chat.completions.create(asked);
    assert.equal(answer.choices[0]?.message.content, hello[0]?.content);
    const stream = await new AzureOpenAI(azure).chat.completions.create({ ...asked, stream: true });
    assert.ok((await collect(stream)).length > 1);
    const refused = new AzureOpenAI({ ...azure, apiKey: "sk-tg-wrong" });
    await rejects(refused.chat.completions.create(asked), OpenAI.AuthenticationError);
  });

  await check("the Azure client may omit the model, because its path names the deployment", async () => {
    const azure = { endpoint: baseUrl, apiKey, apiVersion: "2024-10-21", maxRetries: 0, deployment: "sim/echo" };
    const answer = await new AzureOpenAI(azure).chat.completions.create({ model: "", messages: hello });
    assert.equal(answer.model, "sim/echo");
  });

  await check("a response reports the deployment and the cost", async () => {
    const { response } = await completions.create({ model: "sim/echo", messages: hello }).withResponse();
    for (const name of ["x-gw-call-id", "x-gw-model-id", "x-gw-version", "x-gw-response-cost-nano-usd"]) {
      assert.ok(response.headers.get(name), `${name} is missing`);
    }
  });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/**
 * Returns the error that the work throws. Fails if the error has a different class or code, or if the work succeeds.
 */
async function rejects(
  work: PromiseLike<unknown>,
  kind: abstract new (...given: never[]) => APIError,
  code?: string,
): Promise<APIError> {
  const error = await work.then(
    () => assert.fail(`expected ${kind.name}, but the request succeeded`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof kind)) assert.fail(`expected ${kind.name}, got ${String(error)}`);
  if (code !== undefined) assert.equal(error.code, code);
  return error;
}
