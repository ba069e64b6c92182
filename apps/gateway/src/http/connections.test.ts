import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { Connections } from "./connections.ts";

const MIB = 1024 * 1024;

test("closes connections of clients that stopped reading when too many unsent bytes are buffered", async () => {
  const connections = new Connections(
    { perAddress: () => 100, isProxy: () => false, idleMs: 60_000, stalledMs: 30_000, unsentBytes: 40 * MIB },
    () => performance.now(),
  );
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on("error", () => {});
    socket.write(Buffer.alloc(24 * MIB));
  });
  const port = await listen(server);
  onTestFinished(() => {
    connections.closeAll();
    server.close();
  });
  let received = 0;
  const reader = connect(port, "127.0.0.1").on("data", ({ length }) => {
    received += length;
  });
  reader.on("error", () => {});
  // On a busy machine, what the reader has not read yet would count, too.
  await waitFor("the reader to have everything", () => received === 24 * MIB);
  const stuck = Array.from({ length: 3 }, () => connect(port, "127.0.0.1").pause());
  for (const socket of stuck) socket.on("error", () => {});
  await waitFor("all to be there", () => connections.size === 4);
  await waitFor("some to be cut", () => connections.size < 4);
  await waitFor("little to wait", () => connections.unsentBytes < 40 * MIB);
  // Closing the connections of two of the three stalled clients brings the buffered bytes below the limit. A client
  // that reads is unaffected.
  expect(connections.size).toBeGreaterThanOrEqual(2);
  expect(reader.destroyed).toBe(false);
  for (const socket of [reader, ...stuck]) socket.destroy();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
