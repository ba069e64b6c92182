import { describe, expect } from "vitest";
import {
  type RecordedWire,
  recordedAnswer,
  recordedStream,
  recordedWires,
  TEXT,
  THOUGHTS,
} from "../../providers/openai/wires.fixture.ts";
import { chunksOf, errorOf, test, UPSTREAM_KEY } from "./chat-gateway.fixture.ts";

const wireOf = (name: string) => recordedWires[name] as RecordedWire;
const messages = [
  { role: "developer", content: "be brief" },
  { role: "user", content: "weather in Oslo?" },
];

const piecesOf = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

/** Base path of each provider on the fake upstream, and the expected path of its calls. */
const places = [
  ["mistral", "", "", "/v1/chat/completions"],
  ["ollama", "", "", "/v1/chat/completions"],
  ["openrouter", "/api/v1", "", "/api/v1/chat/completions"],
  ["groq", "/openai/v1", "", "/openai/v1/chat/completions"],
  ["hosted_vllm", "/v1", "", "/v1/chat/completions"],
  ["azure", "", 'api_version: "2024-10-21",', "/openai/deployments/m/chat/completions?api-version=2024-10-21"],
  ["azure", "/openai/v1", "", "/openai/v1/chat/completions"],
] as const;

describe.for(places)("a call to %s under '%s'", ([name, base, more, path]) => {
  const wire = wireOf(name);
  const settings = (origin: string) =>
    `  - { model_name: it, litellm_params: { model: ${name}/m, api_base: "${origin}${base}", ${more} api_key: ${UPSTREAM_KEY} } }`;

  test("sends the provider's format upstream and returns the gateway's format to the client", async ({
    start,
    upstreams,
  }) => {
    const gateway = await start({ yaml: settings(upstreams.alpha.origin) });
    upstreams.alpha.replies(200, recordedAnswer(wire));
    const answer = await gateway.chat({ model: "it", messages, max_completion_tokens: 50 });
    const body = (await answer.json()) as { model: string; choices: { message: Record<string, unknown> }[] };
    expect([answer.status, body.model]).toEqual([200, "it"]);
    expect(body.choices[0]?.message).toMatchObject({
      content: TEXT,
      ...(wire.thoughts !== null && { reasoning_content: THOUGHTS }),
    });
    const received = await upstreams.alpha.ended(0);
    expect(received.path).toBe(path);
    const key = name === "azure" ? received.headers["api-key"] : received.headers.authorization;
    expect(key).toBe(name === "azure" ? UPSTREAM_KEY : `Bearer ${UPSTREAM_KEY}`);
    expect(received.json()).toMatchObject({
      model: "m",
      messages: [{ role: name === "azure" ? "developer" : "system" }, messages[1]],
    });
    expect(gateway.records[0]?.usage).toMatchObject({ source: "reported", outputTokens: wire.counted.output });
  });

  test("streams, and reports usage to the ledger and to clients that request it", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: settings(upstreams.alpha.origin) });
    // The stream is split inside frames and characters, as can happen on a network.
    upstreams.alpha.streams(piecesOf(Buffer.from(recordedStream(wire)), 97));
    const asked = await gateway.chat({ model: "it", messages, stream: true, stream_options: { include_usage: true } });
    const { chunks, isDone } = chunksOf(await asked.text());
    expect([isDone, chunks.at(-1)?.choices, chunks.at(-1)?.usage]).toEqual([true, [], wire.usage]);
    const deltas = chunks.flatMap(({ choices }) => choices as unknown as { delta: { content?: string } }[]);
    expect(deltas.map(({ delta }) => delta.content ?? "").join("")).toBe(TEXT);
    expect(gateway.records[0]?.usage).toMatchObject({ source: "reported", outputTokens: wire.counted.output });
  });

  test("maps the provider's errors", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: settings(upstreams.alpha.origin) });
    const { status, body, code, says } = wire.error;
    upstreams.alpha.replies(status, body);
    expect(await errorOf(await gateway.chat({ model: "it", messages }))).toMatchObject({
      code,
      message: expect.stringContaining(says),
    });
  });
});

test("rejects a parameter that the provider does not support without an upstream call, or drops it with drop_params", async ({
  start,
  upstreams,
}) => {
  const gateway = await start({
    yaml: `  - { model_name: it, litellm_params: { model: mistral/m, api_base: "${upstreams.alpha.origin}" } }`,
  });
  upstreams.alpha.replies(200, recordedAnswer(wireOf("mistral")));
  const body = { model: "it", messages, logit_bias: { 1: 2 }, user: "kim" };
  const error = await errorOf(await gateway.chat(body));
  expect(error).toMatchObject({ code: "unsupported_parameter", param: "logit_bias" });
  expect(upstreams.alpha.requests).toHaveLength(0);
  expect((await gateway.chat({ ...body, drop_params: true })).status).toBe(200);
  expect(Object.keys((await upstreams.alpha.ended(0)).json() as object).sort()).toEqual(["messages", "model"]);
});
