import { type AddressInfo, createServer, type Socket } from "node:net";
import { chatAnswer, chatFrames } from "@tollgate/testkit/chat-answers.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import {
  cutAfterBytes,
  cutBeforeHeaders,
  reply,
  replyRaw,
  streamFrames,
} from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect, onTestFinished, vi } from "vitest";
import { type AnswerControl, type AnswerListener, MalformedResponse } from "../call/provider.ts";
import { startStrayUpstream } from "./stray-upstream.fixture.ts";
import { UpstreamClients } from "./upstream-clients.ts";

class Received implements AnswerListener {
  status = 0;
  text = "";
  end: "complete" | Error | null = null;
  readonly #over = Promise.withResolvers<void>();
  readonly over = this.#over.promise;
  onStart(_control: AnswerControl, status: number): void {
    this.status = status;
  }
  onData(chunk: Buffer): void {
    this.text += chunk.toString("utf8");
  }
  onEnd(): void {
    this.end = "complete";
    this.#over.resolve();
  }
  onError(error: Error): void {
    this.end = error;
    this.#over.resolve();
  }
}

function send(clients: UpstreamClients, body = "{}"): { received: Received; control: AnswerControl } {
  const received = new Received();
  const control = clients.send({ path: "/chat/completions", headers: ["x-a", "1"], body: Buffer.from(body) }, received);
  return { received, control };
}

async function receive(clients: UpstreamClients): Promise<Received> {
  const { received } = send(clients);
  await received.over;
  return received;
}

/**
 * Waits until every connection can be reused. One timer, set after that of the connections and longer, also fires after
 * it in a process that is late. A condition checked again and again may hold before their timer has fired.
 */
async function rest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 30));
}

describe.for([
  ["the gateway's own client", false],
  ["the library's client", true],
] as const)("with %s,", ([, usesLibrary]) => {
  const test = base.extend("clients", async ({ upstreams }, { onCleanup }) => {
    const clients = new UpstreamClients(`${upstreams.alpha.origin}/v1/`, { usesLibrary });
    onCleanup(() => clients.close());
    return clients;
  });

  describe("upstream request", () => {
    test("is sent to the path under the deployment's URL, with the given headers", async ({ clients, upstreams }) => {
      upstreams.alpha.replies(200, "ok");
      expect(await receive(clients)).toMatchObject({ status: 200, text: "ok", end: "complete" });
      expect(await upstreams.alpha.ended(0)).toMatchObject({
        method: "POST",
        path: "/v1/chat/completions",
        headers: { "x-a": "1" },
      });
    });

    test("reuses an idle connection", async ({ clients, upstreams }) => {
      upstreams.alpha.replies(200, "ok");
      for (let index = 0; index < 200; index += 1) await receive(clients);
      expect(upstreams.alpha.connectionCount).toBeLessThan(100);
    });

    test("never shares a connection with a running request", async ({ clients, upstreams }) => {
      const gate = Promise.withResolvers<void>();
      upstreams.alpha.streams(chatFrames(), { beforeFrame: () => gate.promise });
      const running = Array.from({ length: 20 }, () => receive(clients));
      await upstreams.alpha.request(19);
      expect(new Set(upstreams.alpha.requests.map(({ connection }) => connection)).size).toBe(20);
      gate.resolve();
      await Promise.all(running);
    });
  });

  describe("failed exchange", () => {
    test.for([
      ["a connection that breaks before the response", cutBeforeHeaders(), 0, false],
      ["a connection that breaks during the response", cutAfterBytes(5, chatAnswer()), 200, false],
      ["a response that is not HTTP", replyRaw("nonsense\r\n\r\n"), 0, true],
    ] as const)(
      "is reported, and the next exchange succeeds: %s",
      async ([, behavior, status, isUnreadable], { clients, upstreams }) => {
        upstreams.alpha.behaves(behavior, reply(200, "sound"));
        const received = await receive(clients);
        expect(received.status).toBe(status);
        expect(received.end).toBeInstanceOf(Error);
        expect(received.end instanceof MalformedResponse).toBe(isUnreadable);
        expect(await receive(clients)).toMatchObject({ text: "sound" });
      },
    );

    test("is reported when the connection is refused", async () => {
      const nowhere = new UpstreamClients("http://127.0.0.1:9", { usesLibrary });
      const { end } = await receive(nowhere);
      expect(end).toMatchObject({ code: "ECONNREFUSED" });
      await nowhere.close();
    });
  });

  describe("connection that closes", () => {
    test("does not fail a call if the connection was idle", async ({ clients, upstreams }) => {
      upstreams.alpha.replies(200, "sound");
      for (let round = 0; round < 60; round += 1) {
        await Promise.all([receive(clients), receive(clients)]);
        await rest();
        // The connections break before the requests, in the same event loop turn, or in the next tick.
        if (round % 3 === 0) upstreams.alpha.breakConnections();
        const asked = [receive(clients), receive(clients)];
        if (round % 3 === 1) upstreams.alpha.breakConnections();
        if (round % 3 === 2) process.nextTick(() => upstreams.alpha.breakConnections());
        expect((await Promise.all(asked)).map(({ text }) => text)).toEqual(["sound", "sound"]);
      }
    });

    test("is replaced once if it was idle before the request, and a second loss is an error", async ({
      clients,
      upstreams,
    }) => {
      upstreams.alpha.replies(200, "sound");
      await receive(clients);
      const before = upstreams.alpha.requests.length;
      upstreams.alpha.behaves(cutBeforeHeaders(), reply(200, "sound again"));
      await rest();
      expect(await receive(clients)).toMatchObject({ text: "sound again", end: "complete" });
      expect(upstreams.alpha.requests.length).toBe(before + 2);
      upstreams.alpha.behaves(cutBeforeHeaders());
      await rest();
      expect((await receive(clients)).end).toBeInstanceOf(Error);
      expect(upstreams.alpha.requests.length).toBe(before + 4);
    });

    test("is not replaced after a response byte has arrived", async ({ clients, upstreams }) => {
      upstreams.alpha.replies(200, "sound");
      await receive(clients);
      await rest();
      const before = upstreams.alpha.requests.length;
      upstreams.alpha.behaves(({ socket }) => void socket.write("HTTP/1.1 200", () => socket.destroy()));
      expect((await receive(clients)).end).toBeInstanceOf(Error);
      expect(upstreams.alpha.requests.length).toBe(before + 1);
    });

    test("is not replaced if it was new", async ({ clients, upstreams }) => {
      upstreams.alpha.behaves(cutBeforeHeaders());
      expect((await receive(clients)).end).toBeInstanceOf(Error);
      expect(upstreams.alpha.requests.length).toBe(1);
    });
  });

  describe("upstream that sends unexpected bytes", () => {
    const ROUNDS = Math.ceil(Number(process.env.CROSS_TALK_TRIES ?? 500) / 20);

    // The gateway no longer trusts an upstream that sent unexpected bytes, so each round starts with new connections.
    test.for([
      ["in the same write", null],
      ["immediately", 0],
      ["after 1 ms", 1],
      ["after 4 ms", 4],
      ["after 6 ms", 6],
    ] as const)("never leaks them to another caller: %s", { timeout: 300_000 }, async ([, delayMs]) => {
      const upstream = await startStrayUpstream(delayMs);
      let tries = 0;
      const receivedBy = async (clients: UpstreamClients) => {
        tries += 1;
        const name = `caller ${tries}`;
        const { received } = send(clients, name);
        await received.over;
        expect(received.text).toBe(`for ${name}`);
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        const clients = new UpstreamClients(upstream.origin, { usesLibrary });
        for (let index = 0; index < 10; index += 1) await receivedBy(clients);
        await Promise.all(Array.from({ length: 10 }, () => receivedBy(clients)));
        await clients.close();
      }
      await upstream.close();
      expect(tries).toBe(ROUNDS * 20);
    });
  });

  describe("upstream that does not read the request", () => {
    const BODY = "a".repeat(32 * 1024 * 1024);

    /** Starts an upstream that stops reading at the first bytes of a connection, and calls the function. */
    async function startUnread(respond: (socket: Socket, connection: number) => void) {
      let connections = 0;
      const sockets = new Set<Socket>();
      const upstream = createServer({ allowHalfOpen: true }, (socket) => {
        const connection = connections;
        connections += 1;
        sockets.add(socket);
        socket.on("error", () => {});
        socket.once("data", () => respond(socket.pause(), connection));
      });
      await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
      const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      const clients = new UpstreamClients(origin, { usesLibrary });
      onTestFinished(async () => {
        await clients.close();
        for (const socket of sockets) socket.destroy();
        upstream.close();
      });
      return clients;
    }

    test("gets no other request on the same connection", async () => {
      // It would read the rest of the first body as a request, and its response would go to another call.
      const clients = await startUnread((socket, connection) => {
        socket.write(`HTTP/1.1 413 Too Large\r\ncontent-length: 1\r\n\r\n${connection}`);
      });
      const { received } = send(clients, BODY);
      await received.over;
      await rest();
      const { received: next } = send(clients);
      await waitFor("the next response", () => next.end !== null);
      expect([received.text, next.text]).toEqual(["0", "1"]);
    });

    test("fails the call if it ends the connection within the response", async () => {
      const clients = await startUnread((socket) => {
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello");
      });
      const { received } = send(clients, BODY);
      await waitFor("the failure", () => received.end !== null);
      expect(received).toMatchObject({ status: 200, text: "hello", end: expect.any(Error) });
    });
  });

  test("an upstream's connection is reused immediately after many valid responses", async ({ clients, upstreams }) => {
    upstreams.alpha.replies(200, "ok");
    for (let calls = 0; calls < 1_001; calls += 1) await receive(clients);
    const { connectionCount } = upstreams.alpha;
    for (let calls = 0; calls < 50; calls += 1) await receive(clients);
    expect(upstreams.alpha.connectionCount).toBe(connectionCount);
    const used = upstreams.alpha.requests.slice(-50).map(({ connection }) => connection);
    expect(new Set(used).size).toBe(1);
  });

  describe("aborted exchange", () => {
    test("stops the upstream, calls no listener, and does not reuse the connection", async ({ clients, upstreams }) => {
      upstreams.alpha.behaves(streamFrames(chatFrames(), { hangAfterFrames: 1 }), reply(200, "sound"));
      const { received, control } = send(clients);
      await waitFor("the first frame", () => received.text !== "");
      control.abort();
      control.abort();
      expect((await upstreams.alpha.ended(0)).end?.kind).toBe("aborted");
      expect(await receive(clients)).toMatchObject({ text: "sound" });
      expect(received.end).toBeNull();
      expect(upstreams.alpha.requests.map(({ connection }) => connection)).toEqual([0, 1]);
    });

    test("never reaches the upstream if its connection is not open yet", async ({ clients, upstreams }) => {
      upstreams.alpha.replies(200, "ok");
      const { received, control } = send(clients);
      control.abort();
      await receive(clients);
      expect(upstreams.alpha.requests).toHaveLength(1);
      expect(received).toMatchObject({ status: 0, end: null });
    });
  });

  describe("backpressure", () => {
    test("stops reading from the upstream while paused", async ({ clients, upstreams }) => {
      const piece = Buffer.alloc(256 * 1024, 120);
      let written = 0;
      upstreams.alpha.behaves(async ({ response }) => {
        response.writeHead(200);
        for (; written < 100; written += 1) await new Promise((resolve) => response.write(piece, resolve));
        response.end();
      });
      const { received, control } = send(clients);
      await waitFor("the answer to begin", () => received.status === 200);
      control.pause();
      await waitFor("something to be written", () => written > 0);
      expect(written).toBeLessThan(100);
      control.resume();
      await waitFor("the end", () => received.end === "complete");
      expect(received.text.length).toBe(100 * piece.length);
    });
  });

  describe("UpstreamClients.close", () => {
    test("closes idle connections immediately and lets running requests finish", async ({ upstreams }) => {
      const clients = new UpstreamClients(upstreams.alpha.origin, { usesLibrary });
      const sockets: Socket[] = [];
      const gate = Promise.withResolvers<void>();
      upstreams.alpha.behaves(
        (exchange) => {
          sockets.push(exchange.socket);
          return reply(200, "ok")(exchange);
        },
        async (exchange) => {
          sockets.push(exchange.socket);
          await gate.promise;
          await reply(200, "late")(exchange);
        },
      );
      await receive(clients);
      const { received } = send(clients);
      await upstreams.alpha.request(1);
      await clients.close();
      expect(received.end).toBeNull();
      gate.resolve();
      await waitFor("the call that ran to end", () => received.end === "complete");
      await waitFor("every connection to close", () => sockets.every((socket) => socket.closed));
    });
  });
});

base("a connection is not reused in the last second before its upstream closes it", async ({ upstreams }) => {
  const clients = new UpstreamClients(upstreams.alpha.origin);
  const { alpha } = upstreams;
  alpha.behaves(reply(200, "ok", { "keep-alive": "timeout=5, max=100" }));
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const connectionAfter = async (idleMs: number) => {
    vi.setSystemTime(Date.now() + idleMs);
    await rest();
    await receive(clients);
    return alpha.requests.at(-1)?.connection;
  };
  expect(await connectionAfter(0)).toBe(0);
  expect(await connectionAfter(3_999)).toBe(0);
  expect(await connectionAfter(4_000)).toBe(1);
  await clients.close();
});
