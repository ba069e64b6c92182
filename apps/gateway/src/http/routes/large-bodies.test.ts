import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import type { FakeUpstream } from "@tollgate/testkit/fake-upstream.ts";
import fc from "fast-check";
import { describe, expect } from "vitest";
import type { TestGateway } from "../../test-gateway.fixture.ts";
import { errorOf, test } from "./chat-gateway.fixture.ts";

const KIB = 1024;
/** Sizes at which bodies are read or written in another way: a short write, a copy, and one read of a connection. */
const boundaries = [16, 32, 64, 128, 256, 320, 640].map((kib) => kib * KIB);
/** Sizes near a boundary, including those at which the head still fits into the same read. */
const size = fc
  .tuple(fc.constantFrom(...boundaries), fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -600, max: 600 })))
  .map(([boundary, more]) => boundary + more);
/** Characters of one to four bytes, so that reads end inside of characters. */
const letters = fc.string({ unit: fc.constantFrom("a", "é", "世", "😀", '"', "\\", "\n"), minLength: 1, maxLength: 9 });

/** Returns JSON of exactly this many bytes, with as much of the text as fits. `write` returns the JSON for a text. */
function ofSize(bytes: number, text: string, write: (content: string) => string): string {
  const left = bytes - Buffer.byteLength(write(""));
  const repeated = text.repeat(Math.max(0, Math.floor(left / Buffer.byteLength(JSON.stringify(text).slice(1, -1)))));
  const json = write(repeated);
  return write(repeated + "-".repeat(bytes - Buffer.byteLength(json)));
}

const askOf = (model: string) => (content: string) =>
  JSON.stringify({ temperature: 1, model, messages: [{ role: "user", content }], user: "é" });
const answerOf = (model: string) => (content: string) => JSON.stringify(chatAnswer({ content, model }));

/** Answers with this text, with its length or in chunks of this many bytes. */
function answerWith(upstream: FakeUpstream, text: string, chunkBytes: number | null): void {
  const bytes = Buffer.from(text);
  upstream.behaves(({ response }) => {
    response.setHeader("content-type", "application/json");
    if (chunkBytes === null) return void response.end(bytes);
    for (let at = 0; at < bytes.length; at += chunkBytes) response.write(bytes.subarray(at, at + chunkBytes));
    response.end();
  });
}

/** Sends a request of one size, and expects that both bodies arrive with only the model name replaced. */
async function expectUnchanged(
  gateway: TestGateway,
  upstream: FakeUpstream,
  ask: string,
  answer: string,
): Promise<void> {
  const relayed = await gateway.post("/v1/chat/completions", ask);
  const text = await relayed.text();
  expect(relayed.status, text.slice(0, 400)).toBe(200);
  expect(relayed.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  const received = upstream.requests.at(-1)?.body.toString("utf8");
  // Without the diff of two long texts, which takes seconds.
  expect(received === ask.replace('"model":"alpha"', '"model":"upstream-1"')).toBe(true);
  expect(text === answer.replace('"model":"upstream-1"', '"model":"alpha"')).toBe(true);
}

describe("bodies of any size arrive unchanged, except for the model name", () => {
  const clients = { own: "", library: "general_settings: { upstream_http_client: undici }" };

  test.for(Object.entries(clients))("with the %s client", async ([, yaml], { start, upstreams }) => {
    const gateway = await start({ yaml });
    const chunked = fc.option(fc.integer({ min: 1_000, max: 70_000 }));
    await fc.assert(
      fc.asyncProperty(size, size, letters, chunked, async (askBytes, answerBytes, text, chunkBytes) => {
        const answer = ofSize(answerBytes, text, answerOf("upstream-1"));
        answerWith(upstreams.alpha, answer, chunkBytes);
        const ask = ofSize(askBytes, text, askOf("alpha"));
        expect([Buffer.byteLength(ask), Buffer.byteLength(answer)]).toEqual([askBytes, answerBytes]);
        await expectUnchanged(gateway, upstreams.alpha, ask, answer);
      }),
      { numRuns: 60 },
    );
    expect(gateway.records.every(({ usage }) => usage?.source === "reported")).toBe(true);
  });

  test("of several MiB", async ({ gateway, upstreams }) => {
    const ask = ofSize(3 * KIB * KIB + 1, "é世😀", askOf("alpha"));
    const answer = ofSize(3 * KIB * KIB + 7, "é世😀", answerOf("upstream-1"));
    for (const chunkBytes of [null, 5_000]) {
      answerWith(upstreams.alpha, answer, chunkBytes);
      await expectUnchanged(gateway, upstreams.alpha, ask, answer);
    }
  });
});

test("a large request is repeated with the caller's bytes", async ({ start, upstreams }) => {
  const gateway = await start({ yaml: "router_settings: { num_retries: 1, retry_after: 0 }" });
  const ask = ofSize(100 * KIB, "é世😀", askOf("alpha"));
  const expected = ask.replace('"model":"alpha"', '"model":"upstream-1"');
  const answer = JSON.stringify(chatAnswer({ model: "upstream-1" }));
  upstreams.alpha.behaves(
    ({ cut }) => cut(),
    ({ response }) => void response.setHeader("content-type", "application/json").end(answer),
  );
  expect((await gateway.post("/v1/chat/completions", ask)).status).toBe(200);
  expect(upstreams.alpha.requests.map(({ body }) => body.toString("utf8") === expected)).toEqual([true, true]);
});

describe("a large response", () => {
  const long = "me@example.com ".repeat(4_000);

  test("is masked by guardrails", async ({ start, upstreams }) => {
    const pii = "{guardrail: regex_pii, mode: post_call, entities: [email], action: mask, default_on: true}";
    const gateway = await start({ yaml: `guardrails:\n  - {guardrail_name: pii, litellm_params: ${pii}}` });
    answerWith(upstreams.alpha, answerOf("upstream-1")(long), null);
    const answer = (await (await gateway.chat({ model: "alpha" })).json()) as ReturnType<typeof chatAnswer>;
    expect(answer.choices[0]?.message.content.replaceAll("[EMAIL] ", "")).toBe("");
    expect(answer.model).toBe("alpha");
  });

  test("is cached as it was sent", async ({ start, upstreams }) => {
    const gateway = await start({ yaml: "gw_settings: { cache: true }" });
    answerWith(upstreams.alpha, answerOf("upstream-1")(`é😀${long}`), 9_000);
    const ask = async () => {
      const answer = await gateway.chat({ model: "alpha", temperature: 0 });
      return { hit: answer.headers.get("x-gw-cache-hit"), text: await answer.text() };
    };
    const first = await ask();
    expect(await ask()).toEqual({ hit: "true", text: first.text });
    expect(first.text).toContain(`é😀${long}`);
  });

  test("that is cut off is the same failure as a small one", async ({ gateway, upstreams }) => {
    const failures: unknown[] = [];
    for (const content of ["short", long]) {
      const bytes = Buffer.from(answerOf("upstream-1")(content));
      upstreams.alpha.behaves(({ response, cut }) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
        response.write(bytes.subarray(0, -20), () => cut());
      });
      const answer = await gateway.chat({ model: "alpha" });
      failures.push({ status: answer.status, code: (await errorOf(answer)).code });
    }
    expect(failures[1]).toEqual(failures[0]);
    expect(failures[0]).toMatchObject({ status: 503 });
  });

  test("that is no valid response is a failure", async ({ gateway, upstreams }) => {
    for (const text of [`<html>${long}</html>`, `{"model":"upstream-1","usage":{"prompt_tokens":1}${long}`]) {
      answerWith(upstreams.alpha, text, null);
      expect((await gateway.chat({ model: "alpha" })).status).toBe(502);
    }
  });

  test("of another model is charged at the price of that model, like a small one", async ({ start, upstreams }) => {
    const params = `{ model: openai/gpt-4o-mini, api_base: "${upstreams.alpha.origin}/v1", api_key: sk-upstream }`;
    const gateway = await start({ yaml: `  - { model_name: mini, litellm_params: ${params} }` });
    for (const model of ["gpt-4o-mini", "gpt-4o"]) {
      for (const content of ["short", long]) {
        answerWith(upstreams.alpha, answerOf(model)(content), null);
        await (await gateway.chat({ model: "mini" })).text();
      }
    }
    const [own, ownLong, other, otherLong] = gateway.records.map(({ cost }) => cost);
    expect(ownLong).toBe(own);
    expect(otherLong).toBe(other);
    expect(other).toBeGreaterThan(Number(own));
  });
});
