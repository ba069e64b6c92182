import { describe, expect, test } from "vitest";
import { makeChatCall } from "../../pipeline/chat-call.fixture.ts";
import type { ChatBody } from "../library-options.fixture.ts";
import { providers } from "../registry.ts";
import { askGateway, type DecodedAnswer } from "../second-opinion.fixture.ts";
import { recordedAnswer, recordedMeaning, recordedStream, recordedWires } from "./wires.fixture.ts";
import { openAiWires } from "./wires.ts";

const asked: ChatBody = { messages: [{ role: "user", content: "weather in Oslo?" }] };
const rows = Object.entries(recordedWires);

const providerOf = (name: string) => {
  const provider = providers.get(name);
  if (provider === undefined) throw new Error(`no provider ${name}`);
  return provider;
};
const toBytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const sumOf = ({ input, cacheRead, cacheWrite, output }: DecodedAnswer["usage"]) =>
  input + cacheRead + cacheWrite + output;

test("every OpenAI-compatible provider has a recorded response and a unique name", () => {
  expect(openAiWires.length).toBeGreaterThanOrEqual(18);
  expect(openAiWires.map(({ name }) => name).sort()).toEqual(rows.map(([name]) => name).sort());
  for (const { name } of openAiWires) expect(providers.get(name)?.name).toBe(name);
});

describe.for(rows)("%s", ([name, wire]) => {
  const provider = providerOf(name);
  const ask = (body: ChatBody, isToolCall = false) =>
    askGateway(
      provider,
      { upstreamModel: wire.model, apiBase: provider.defaultApiBase ?? "https://upstream.example/v1" },
      body,
      body.stream === true ? { events: recordedStream(wire, isToolCall) } : { json: recordedAnswer(wire, isToolCall) },
    );

  test.for([false, true])("returns the same response with and without streaming (tool call: %s)", (isToolCall) => {
    const meaning = recordedMeaning(wire, isToolCall);
    expect(ask(asked, isToolCall).answer).toEqual(meaning);
    expect(ask({ ...asked, stream: true }, isToolCall).answer).toEqual(meaning);
    expect(ask({ ...asked, stream: true, stream_options: { include_usage: true } }, isToolCall).answer).toEqual(
      meaning,
    );
  });

  test("reports usage counters that add up to the total", () => {
    expect(sumOf(ask(asked).answer.usage)).toBe(wire.usage.total_tokens);
  });

  test("streams the caller's model name, and usage once at the end if requested", () => {
    const translation = provider.translations["chat.completions"];
    for (const wantsUsage of [false, true]) {
      const text = JSON.stringify({
        ...asked,
        model: "group",
        stream: true,
        ...(wantsUsage && { stream_options: { include_usage: true } }),
      });
      const reader = translation?.readStream(makeChatCall({ text }));
      const relayed = (reader?.push(toBytes(recordedStream(wire))) ?? "") + (reader?.end() ?? "");
      const chunks = relayed.split("\n\n").filter((frame) => frame.startsWith("data: {"));
      const parsed = chunks.map((frame) => JSON.parse(frame.slice("data: ".length)) as Record<string, unknown>);
      expect(new Set(parsed.map(({ model }) => model))).toEqual(new Set(["group"]));
      expect(relayed.endsWith("data: [DONE]\n\n")).toBe(true);
      const reporting = parsed.filter(({ usage }) => usage != null);
      expect(reporting.map(({ choices }) => choices)).toEqual(wantsUsage ? [[]] : []);
      expect(parsed.at(-1)?.usage ?? null).toEqual(wantsUsage ? wire.usage : null);
      expect(parsed.filter(({ choices }) => (choices as unknown[]).length === 0)).toHaveLength(wantsUsage ? 1 : 0);
    }
  });

  test("returns errors in a format that the gateway can read", () => {
    const { status, body, code, says } = wire.error;
    const failure = provider.readFailure(status, {}, toBytes(JSON.stringify(body)));
    expect([failure.code, failure.message]).toEqual([code, expect.stringContaining(says)]);
  });

  test("receives supported parameters, and max output tokens under a supported name", () => {
    const taken = provider.translations["chat.completions"]?.supportedParams(wire.model) ?? [];
    expect(taken).toEqual(expect.arrayContaining(["stream", "stream_options", "max_tokens", "max_completion_tokens"]));
    const { body } = ask({ ...asked, max_completion_tokens: 7 });
    const { renames } = openAiWires.find((row) => row.name === name) ?? {};
    const limit = renames?.max_completion_tokens ?? "max_completion_tokens";
    expect(body).toEqual({ model: expect.any(String), messages: asked.messages, [limit]: 7 });
  });
});
