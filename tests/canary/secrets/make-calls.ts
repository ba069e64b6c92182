import { FORM_TYPE, toParts, writeForm } from "../../conformance/fuzz/form-body.ts";
import { makeSilence } from "../../conformance/sdk/make-silence.ts";
import { PICTURE } from "../../conformance/stage/play-conversation.ts";
import { canaries, LABEL } from "./canaries.ts";
import { askToFail, failureKinds } from "./tell-tales.ts";

/** The response to one call. */
export interface Received {
  readonly what: string;
  readonly status: number;
  /** Status line, headers, and body. */
  readonly bytes: Buffer;
}

const { prompt } = canaries;
const ANSWER_LIMIT_MS = 20_000;
const wires = ["gpt", "claude", "flash", "plain", "groq"];
const weather = { name: "get_weather", description: prompt, parameters: { type: "object", description: prompt } };
const schema = {
  name: "point",
  schema: { type: "object", properties: { x: { type: "integer", description: prompt } } },
};
const say = (content: unknown) => ({ messages: [{ role: "user", content }] });

/** Yields valid and invalid calls to every operation, with the prompt's canary in every text field. */
function* describeCalls(): Generator<readonly [path: string, body: unknown, headers?: Record<string, string>]> {
  const chat = "/v1/chat/completions";
  for (const model of wires) {
    for (const stream of [false, true]) {
      yield [chat, { model, stream, ...say(prompt), user: LABEL, stop: prompt }];
      yield [chat, { model, stream, ...say(prompt), tools: [{ type: "function", function: weather }] }];
      yield [chat, { model, stream, ...say(prompt), response_format: { type: "json_schema", json_schema: schema } }];
      const url = `data:image/png;base64,${PICTURE}`;
      yield [
        chat,
        {
          model,
          stream,
          ...say([
            { type: "text", text: prompt },
            { type: "image_url", image_url: { url } },
          ]),
        },
      ];
      for (const how of failureKinds) yield [chat, { model, stream, ...say(`${prompt} ${askToFail(how)}`) }];
    }
    yield ["/v1/completions", { model, prompt }];
    yield ["/utils/token_counter", { model, prompt }];
    yield ["/utils/token_counter?call_endpoint=true", { model, ...say(`${prompt} ${askToFail("400")}`) }];
    yield ["/utils/cost_quote", { model, ...say(prompt) }];
    yield ["/utils/transform_request", { call_type: "completion", request_body: { model, ...say("hello") } }];
  }
  const own = { model: "own", api_key: canaries["provider key that a caller sent"] };
  for (const stream of [false, true]) {
    yield [chat, { ...own, stream, ...say(prompt), user: LABEL }];
    for (const how of failureKinds) yield [chat, { ...own, stream, ...say(`${prompt} ${askToFail(how)}`) }];
  }
  yield [chat, { ...own, model: "gpt", ...say(prompt) }];
  yield [chat, { ...own, ...say(prompt), temperature: prompt }];
  yield ["/utils/transform_request", { call_type: "completion", request_body: { ...own, ...say("hello") } }];
  yield ["/utils/cost_quote", { ...own, ...say(prompt) }];
  yield [chat, { model: "away", ...say(prompt) }];
  const operations: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["/v1/completions", { model: "instruct" }, "prompt"],
    ["/v1/embeddings", { model: "vectors" }, "input"],
    ["/v1/moderations", { model: "moderator" }, "input"],
    ["/v1/audio/speech", { model: "voice", voice: "alloy" }, "input"],
    ["/v1/images/generations", { model: "painter" }, "prompt"],
    ["/v1/rerank", { model: "sorter", documents: ["one"] }, "query"],
  ];
  for (const [path, body, field] of operations) {
    yield [path, { ...body, [field]: prompt }];
    for (const how of failureKinds) yield [path, { ...body, [field]: `${prompt} ${askToFail(how)}` }];
    yield [path, { ...body, [field]: { wrong: prompt } }];
    yield [path, { ...body }];
  }
  yield* describeRefusals(chat);
}

/** Yields requests that are refused before they reach an upstream. */
function* describeRefusals(
  chat: string,
): Generator<readonly [path: string, body: unknown, headers?: Record<string, string>]> {
  const right = { model: "gpt", ...say(prompt) };
  yield [chat, `{"model": "gpt", "messages": "${prompt}`];
  yield [chat, { ...right, temperature: prompt }];
  yield [chat, { ...right, messages: [{ role: prompt, content: prompt }] }];
  yield [chat, { ...right, messages: prompt }];
  yield [chat, { ...right, api_base: `http://${prompt}.example` }];
  yield [chat, { ...right, api_key: canaries["provider key with a known beginning"] }];
  yield [chat, { ...right, extra_headers: { authorization: canaries["master key"] } }];
  yield [chat, { ...right, num_retries: prompt }];
  yield [chat, { ...right, messages: [{ role: "tool", tool_call_id: prompt, content: prompt }] }];
  yield [chat, { ...right, top_logprobs: 3 }];
  yield [chat, { ...right, fallbacks: ["no-such-model"] }];
  yield [chat, JSON.stringify({ ...right, padding: prompt.repeat(1_000) }).padEnd(40 * 1024 * 1024, " ")];
  yield [chat, right, { "content-type": "text/plain" }];
  yield [chat, right, { "x-gw-api-key": `${canaries["wrong password"].replaceAll(" ", "")}` }];
  yield [chat, right, { "x-gw-api-key": `sk-${canaries["new password"].replaceAll(" ", "")}` }];
  yield [chat, right, { "x-gw-api-key": "", authorization: `Basic ${canaries.prompt}` }];
  yield [`${chat}?api_key=${canaries["master key"]}&prompt=${prompt}`, right];
  yield [`/no/such/path/${prompt}?key=${canaries["master key"]}`, right];
  yield [chat, right, { cookie: `session=${prompt}`, referer: `https://example.com/${prompt}`, "x-custom": prompt }];
}

/** Makes all calls with this key and returns the responses. */
export async function makeCalls(url: string, apiKey: string): Promise<readonly Received[]> {
  const received: Received[] = [];
  for (const [path, body, headers] of describeCalls()) {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    received.push(
      await ask(url, path, { "x-gw-api-key": apiKey, "content-type": "application/json", ...headers }, text),
    );
  }
  const file = { filename: `${prompt}.wav`, contentType: "audio/wav", bytes: makeSilence() };
  for (const response_format of ["json", "text", "srt", "verbose_json", "vtt", "wrong"]) {
    for (const said of [prompt, ...failureKinds.map((how) => `${prompt} ${askToFail(how)}`)]) {
      const form = writeForm(toParts({ model: "listener", file, prompt: said, response_format }));
      const sent = { "x-gw-api-key": apiKey, "content-type": FORM_TYPE };
      received.push(await ask(url, "/v1/audio/transcriptions", sent, form));
    }
  }
  received.push(await leave(url, apiKey));
  for (const key of [apiKey, canaries["master key"]]) {
    for (const path of [
      "/v1/models",
      "/model/info",
      "/model_group/info",
      "/health",
      "/health/readiness/details",
      "/metrics",
    ]) {
      received.push(await ask(url, path, { "x-gw-api-key": key }));
    }
    const shown = { call_type: "completion", request_body: { model: "plain", ...say("hello") } };
    const sent = { "x-gw-api-key": key, "content-type": "application/json" };
    received.push(await ask(url, "/utils/transform_request", sent, JSON.stringify(shown)));
  }
  return received;
}

async function ask(
  url: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer> | Buffer,
): Promise<Received> {
  const what = `${path.split("?")[0]} ${body === undefined ? "" : Buffer.from(body).toString("utf8", 0, 60)}`;
  try {
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      ...(body !== undefined && { body: body as string }),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const head = `${response.status}\n${[...response.headers].map((pair) => pair.join(": ")).join("\n")}\n\n`;
    const bytes = Buffer.from(await response.arrayBuffer().catch(() => new ArrayBuffer(0)));
    return { what, status: response.status, bytes: Buffer.concat([Buffer.from(head), bytes]) };
  } catch (error) {
    // The server may close the connection before the whole oversized body has been sent.
    return { what, status: 0, bytes: Buffer.from(String(error)) };
  }
}

/** Disconnects in the middle of a stream. */
async function leave(url: string, apiKey: string): Promise<Received> {
  const left = new AbortController();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-gw-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ model: "sim/lorem?tokens=400&tps=20", stream: true, ...say(prompt) }),
    signal: left.signal,
  });
  await response.body?.getReader().read();
  left.abort();
  return { what: "a stream that was left", status: response.status, bytes: Buffer.alloc(0) };
}
