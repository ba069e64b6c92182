import { once } from "node:events";
import { sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";
import { startEdge } from "../edge/edge.fixture.ts";
import { MASTER_KEY } from "../test-gateway.fixture.ts";
import { chunk, postTo, readerOf, test } from "./chat-gateway.fixture.ts";

const stream = { model: "alpha", stream: true };

describe("a client that goes away", () => {
  test("in the middle of a stream stops the upstream within 100 ms, and is recorded as gone", async ({
    gateway,
    upstreams,
  }) => {
    upstreams.alpha.streams([sseFrame(chunk("a")), sseFrame(chunk("b"))], { hangAfterFrames: 2 });
    const leaving = new AbortController();
    const reader = await readerOf(gateway.chat(stream), leaving);
    await waitFor("both frames", () => reader.text.includes('"b"'));
    const leftAtMs = performance.now();
    leaving.abort();
    const { end } = await upstreams.alpha.ended(0);
    expect(end?.kind).toBe("aborted");
    expect((end?.atMs as number) - leftAtMs).toBeLessThan(100);
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({ status: "client_disconnect", statusCode: 499, errorCode: null });
    expect(gateway.records[0]?.usage).toMatchObject({ source: "estimated" });
    expect(gateway.records[0]?.usage.outputTokens).toBeGreaterThan(0);
  });

  test("while it waits for a whole answer, too", async ({ gateway, upstreams }) => {
    upstreams.alpha.hangs();
    const leaving = new AbortController();
    const asking = fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "content-type": "application/json", "x-gw-api-key": MASTER_KEY },
      body: JSON.stringify({ model: "alpha", messages: [{ role: "user", content: "hello" }] }),
    });
    asking.catch(() => {});
    await upstreams.alpha.request(0);
    const leftAtMs = performance.now();
    leaving.abort();
    const { end } = await upstreams.alpha.ended(0);
    expect(end?.kind).toBe("aborted");
    expect((end?.atMs as number) - leftAtMs).toBeLessThan(100);
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({
      status: "client_disconnect",
      statusCode: 499,
      errorCode: null,
      cost: 0n,
    });
  });

  test("before the first frame, too", async ({ gateway, upstreams }) => {
    upstreams.alpha.streams([": wait\n\n", sseFrame(chunk("a"))], { hangAfterFrames: 1 });
    const leaving = new AbortController();
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      signal: leaving.signal,
      headers: { "content-type": "application/json", "x-gw-api-key": MASTER_KEY },
      body: JSON.stringify({ ...stream, messages: [{ role: "user", content: "hello" }] }),
    }).catch(() => {});
    await upstreams.alpha.request(0);
    leaving.abort();
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    await waitFor("the record", () => gateway.records.length === 1);
    expect(gateway.records[0]).toMatchObject({ status: "client_disconnect", statusCode: 499 });
  });

  test("and one that stops reading does not make the gateway hold its answer in memory", async ({ upstreams }) => {
    const target = `{ model: openai/x, api_base: "${upstreams.alpha.origin}" }`;
    await using edge = await startEdge({ yaml: `model_list: [{ model_name: alpha, litellm_params: ${target} }]` });
    const frame = sseFrame(chunk("x".repeat(32_000)));
    const sentAtMs: number[] = [];
    upstreams.alpha.behaves(async ({ response, gone }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      while (sentAtMs.length < 2_000 && !gone.aborted) {
        sentAtMs.push(performance.now());
        if (!response.write(frame)) await once(response, "drain", { signal: gone });
      }
    });
    const answer = await postTo(edge.port, stream);
    const reader = (answer.body as ReadableStream).getReader();
    await reader.read();
    await waitFor("the stream to stand still", () => performance.now() - (sentAtMs.at(-1) as number) > 150);
    expect(sentAtMs.length).toBeLessThan(1_500);
    // Half a minute without a byte taken is long enough.
    edge.advance(31_000);
    expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
    await waitFor("the record", () => edge.records.length === 1);
    expect(edge.records[0]).toMatchObject({ status: "client_disconnect" });
  });
});
