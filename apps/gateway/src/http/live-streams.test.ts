import { once } from "node:events";
import { connect } from "node:net";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, test } from "vitest";
import { startApi } from "./api.fixture.ts";
import type { OpenOperation, StreamedContent } from "./api-operation.ts";

/** Creates an operation that streams the test's content. */
function streaming(content: StreamedContent): OpenOperation {
  return {
    id: "streamed",
    summary: "A stream",
    tag: "reference",
    method: "GET",
    paths: ["/streamed"],
    auth: "none",
    routeGroup: "public",
    billing: "free",
    bodyLimitBytes: 0,
    timeoutMs: 1_000,
    answers: { 200: { description: "A stream." } },
    handle: () => ({ status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, content }),
  };
}

describe("a streamed response outside the fast path", () => {
  test("arrives in pieces, with its own content type", async () => {
    const second = Promise.withResolvers<void>();
    await using server = await startApi({
      operations: [
        streaming(async function* () {
          yield "one ä\n";
          await second.promise;
          yield "two\n";
        }),
      ],
    });
    const response = await server.get("/streamed");
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("x-gw-call-id")).toBeTruthy();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toBe("one ä\n");
    second.resolve();
    expect(await read()).toBe("two\n");
    expect((await reader.read()).done).toBe(true);
    await waitFor("the end of the stream", () => server.streams.size === 0);
  });

  test("is notified of a client disconnect while it waits", async () => {
    const reasons: unknown[] = [];
    await using server = await startApi({
      operations: [
        streaming(async function* (ending) {
          yield "one\n";
          await new Promise((resolve) => ending.addEventListener("abort", resolve, { once: true }));
          reasons.push(ending.reason);
        }),
      ],
    });
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/streamed`, { signal: leaving.signal });
    await (response.body as ReadableStream<Uint8Array>).getReader().read();
    expect(server.streams.size).toBe(1);
    leaving.abort();
    await waitFor("the reason", () => reasons.length === 1);
    expect(reasons).toEqual(["client_gone"]);
    expect(server.streams.size).toBe(0);
  });

  test("generates only as much content as its client reads", async () => {
    let made = 0;
    const piece = "x".repeat(16 * 1024);
    await using server = await startApi({
      operations: [
        streaming(async function* (ending) {
          while (!ending.aborted && made < 10_000) {
            made += 1;
            yield piece;
          }
        }),
      ],
    });
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.pause();
    socket.write("GET /streamed HTTP/1.1\r\nhost: localhost\r\n\r\n");
    // The kernel buffers some megabytes. After that, no more content is requested.
    let before = 0;
    let still = 0;
    await waitFor("a pause", () => {
      still = made > 0 && made === before ? still + 1 : 0;
      before = made;
      return still === 20;
    });
    expect(made).toBeLessThan(2_000);
    socket.destroy();
    await waitFor("the end of the stream", () => server.streams.size === 0);
  });

  test("can complete during a drain, or send a last message when the drain times out", async () => {
    await using server = await startApi({
      operations: [
        streaming(async function* (ending) {
          yield "one\n";
          await new Promise((resolve) => ending.addEventListener("abort", resolve, { once: true }));
          yield `last: ${ending.reason}\n`;
        }),
      ],
    });
    const response = await server.get("/streamed");
    const text = response.text();
    await waitFor("the stream", () => server.streams.size === 1);
    await server.streams.drain(50);
    expect(await text).toBe("one\nlast: leaving\n");
  });

  test("is not aborted if it starts during a drain that still serves requests", async () => {
    const second = Promise.withResolvers<void>();
    await using server = await startApi({
      operations: [
        streaming(async function* (ending) {
          await second.promise;
          yield `ended early: ${ending.aborted}\n`;
        }),
      ],
    });
    const served = Promise.withResolvers<void>();
    const drained = server.streams.drain(10_000, served.promise);
    const response = server.get("/streamed").then((answer) => answer.text());
    await waitFor("the stream", () => server.streams.size === 1);
    second.resolve();
    expect(await response).toBe("ended early: false\n");
    served.resolve();
    await drained;
  });
});
