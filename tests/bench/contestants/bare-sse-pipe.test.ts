import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { expect, onTestFinished, test } from "vitest";
import { startBareSse } from "./bare-sse.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 1000000000\r\n\r\n";
const piece = Buffer.alloc(64 * 1024, "x");

test("an upstream connection that is paused for a slow client is closed when the client disconnects", async () => {
  const directory = mkdtempSync(join(tmpdir(), "bare-sse-"));
  const upstream = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const ports = { own: await findFreePort(), upstream: (upstream.address() as AddressInfo).port };
  const pipe = await startBareSse(ports, directory);
  onTestFinished(async () => {
    await pipe.stop();
    upstream.close();
    rmSync(directory, { recursive: true });
  });

  const client = connect(ports.own, "127.0.0.1").pause();
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
  const [socket] = (await once(upstream, "connection")) as [Socket];
  await once(socket, "data");
  socket.write(head);
  while (await writeAndDrain(socket, 300));
  const closed = new Promise<boolean>((resolve) => socket.once("close", () => resolve(true)));
  client.destroy();
  expect(await closed).toBe(true);
});

/** Writes to the socket and waits for it to drain. Returns false if the other side has stopped reading. */
async function writeAndDrain(socket: Socket, patienceMs: number): Promise<boolean> {
  if (socket.write(piece)) return true;
  try {
    await once(socket, "drain", { signal: AbortSignal.timeout(patienceMs) });
    return true;
  } catch {
    return false;
  }
}
