import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { Duplex } from "node:stream";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { CertificateAuthority } from "@tollgate/testkit/certificates.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AnswerListener } from "../call/provider.ts";
import { SocketConnection } from "./socket-connection.ts";
import { UpstreamClients } from "./upstream-clients.ts";
import { type ConnectionParts, type LeaseOwner, UpstreamLease } from "./upstream-lease.ts";

const REQUESTS = 300;
const AT_ONCE = 30;
/** Some bodies are larger than the buffer in which small requests are put together. */
const MAX_BYTES = 40_000;

const authority = new CertificateAuthority();
const { certificate, key } = authority.issue("localhost");
const usual = getCACertificates("default");
const servers: Readonly<Record<"http" | "https", Server>> = {
  http: createServer(echo),
  https: createTlsServer({ cert: certificate, key }, echo),
};

/** Responds with the body of the request. */
function echo(request: IncomingMessage, response: ServerResponse): void {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => response.end(Buffer.concat(parts)));
}

beforeAll(async () => {
  for (const server of Object.values(servers)) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
  setDefaultCACertificates([...usual, authority.certificate]);
});

afterAll(async () => {
  setDefaultCACertificates(usual);
  for (const server of Object.values(servers)) await new Promise((resolve) => server.close(resolve));
  authority.close();
});

function send(clients: UpstreamClients, body: Buffer): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  clients.send(
    { path: "/chat", headers: ["content-type", "text/plain"], body },
    {
      onStart: () => {},
      onData: (bytes) => void parts.push(Buffer.from(bytes)),
      onEnd: () => resolve(Buffer.concat(parts)),
      onError: reject,
    },
  );
  return promise;
}

test.for(["http", "https"] as const)(
  "requests that are written at the same time over %s don't change each other",
  async (protocol) => {
    const { port } = servers[protocol].address() as AddressInfo;
    const clients = new UpstreamClients(`${protocol}://localhost:${port}`, { usesLibrary: false });
    let sent = 0;
    const sendSome = async () => {
      while (sent < REQUESTS) {
        sent += 1;
        const body = Buffer.alloc(1 + ((sent * 7_919) % MAX_BYTES), `${sent},`);
        expect((await send(clients, body)).equals(body), `request ${sent}`).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
    await clients.close();
  },
);

/** A connection whose socket reads what it was given to write only when `flush` is called. */
function openSlowConnection() {
  const written: string[] = [];
  let flush = () => {};
  const socket = new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, done) => {
      flush = () => {
        written.push(bytes.toString("latin1"));
        done();
      };
    },
  });
  const parts = {
    url: new URL("http://models.test"),
    connector: (_options: unknown, opened: (error: null, socket: Socket) => void) => opened(null, socket as Socket),
    onUnexpectedData: () => {},
  };
  const connection = new SocketConnection(parts as unknown as ConnectionParts);
  const send = (body: string) => {
    const request = { path: "/chat", headers: [], body: Buffer.from(body) };
    new UpstreamLease({} as LeaseOwner, request, "content-length: ", {} as AnswerListener).begin(connection);
  };
  return { send, written, flush: () => flush() };
}

test("a request that a slow socket has yet to write isn't changed by the next one", () => {
  const slow = openSlowConnection();
  const other = openSlowConnection();
  slow.send("first");
  other.send("other");
  slow.flush();
  other.flush();
  expect(slow.written).toEqual(["content-length: 5\r\n\r\nfirst"]);
  expect(other.written).toEqual(["content-length: 5\r\n\r\nother"]);
});
