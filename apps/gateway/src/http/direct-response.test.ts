import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterEach, describe, expect, test } from "vitest";
import { DirectBody, DirectResponse } from "./direct-http.ts";
import { RawClient } from "./raw-client.fixture.ts";

const LINES = "content-type: text/plain\r\nx-one: 1\r\n";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Starts a server with the given handler and returns its port. */
async function serve(answer: (response: DirectResponse, path: string) => void): Promise<number> {
  const server = createServer({ IncomingMessage: DirectBody, ServerResponse: DirectResponse }, (request, response) =>
    answer(response as DirectResponse, request.url as string),
  );
  servers.push(server as Server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;

describe("a response with prebuilt headers", () => {
  test("is a valid HTTP response and leaves the connection open", async () => {
    const port = await serve((response) => response.sendWhole(LINES, "h\u00e9llo"));
    for (let call = 0; call < 3; call += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("x-one")).toBe("1");
      expect(Date.parse(answer.headers.get("date") as string)).toBeGreaterThan(0);
      expect(Buffer.from(await answer.arrayBuffer()).toString("latin1")).toBe("h\u00e9llo");
    }
  });

  test("streams in chunks and ends after the last one", async () => {
    const port = await serve((response) => {
      response.beginStream(LINES);
      response.writeText("one ");
      setTimeout(() => {
        response.writeText("two ");
        response.endText("three");
      }, 5);
    });
    for (let call = 0; call < 3; call += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/`);
      expect(await answer.text()).toBe("one two three");
    }
  });

  test("closes the connection if the client requests it", async () => {
    const port = await serve((response) => response.sendWhole(LINES, "ok"));
    const client = await RawClient.connect(port);
    client.send(get("/", "connection: close\r\n"));
    await waitFor("the end", () => client.isClosed);
    expect(client.answers[0]).toMatchObject({ status: 200, body: "ok" });
  });

  test("waits for an earlier response on the same connection", async () => {
    const first = Promise.withResolvers<void>();
    const port = await serve((response, path) => {
      if (path === "/first") {
        first.promise.then(() => response.sendWhole(LINES, "first"));
        return;
      }
      response.beginStream(LINES);
      response.writeText("second ");
      response.endText("done");
      first.resolve();
    });
    const client = await RawClient.connect(port);
    client.send(get("/first") + get("/second"));
    await waitFor("both answers", () => client.answers.length === 2);
    expect(client.answers.map(({ body }) => body)).toEqual(["first", "second done"]);
  });

  test("reports when a client stops reading and when it resumes", async () => {
    const state = { isFull: false, isDrained: false };
    const port = await serve((response) => {
      response.beginStream(LINES);
      const block = "x".repeat(64 * 1024);
      while (response.writeText(block));
      state.isFull = true;
      response.onceDrained(() => {
        state.isDrained = true;
        response.endText("end");
      });
    });
    const client = await RawClient.connect(port);
    client.socket.pause();
    client.send(get("/"));
    await waitFor("a full connection", () => state.isFull);
    expect(state.isDrained).toBe(false);
    client.socket.resume();
    await waitFor("the rest", () => client.answers.length === 1);
    expect(client.answers[0]?.body.endsWith("xend")).toBe(true);
  });
});
