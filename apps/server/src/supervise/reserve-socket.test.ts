import { execFileSync } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { listenOn } from "@tollgate/gateway/http/listen-on.ts";
import { expect, test } from "vitest";
import { reserveSocket } from "./reserve-socket.ts";

/** Number of clients. Must exceed Node's default backlog of 511. */
const CLIENTS = 1_000;

/** Connects all clients and prints the number of connections once all are established. Connections that are refused never are. */
const connectAll = `
  const { connect } = require("node:net");
  let connected = 0;
  const tell = () => { console.log(connected); process.exit(); };
  setTimeout(tell, 30_000);
  for (let client = 0; client < ${CLIENTS}; client += 1)
    connect(Number(process.argv[1]), "127.0.0.1", () => (connected += 1) === ${CLIENTS} && tell()).on("error", () => {});
`;

test("a thousand connections can wait while no process accepts them, even if a process listens on the shared socket", async () => {
  const held = await reserveSocket("127.0.0.1", 0);
  const server = createServer((socket) => socket.destroy());
  await listenOn(server, { fd: held.fd });
  // This statement blocks the process, so that it accepts no connections.
  const connected = Number(execFileSync(process.execPath, ["-e", connectAll, String(held.port)], { encoding: "utf8" }));
  expect(connected).toBe(CLIENTS);
  await new Promise((resolve) => server.close(resolve));
});

test("connections can wait before any process listens, and every process on the machine sees the port in use", async () => {
  const held = await reserveSocket("127.0.0.1", 0);
  const connected = Number(execFileSync(process.execPath, ["-e", connectAll, String(held.port)], { encoding: "utf8" }));
  expect(connected).toBe(CLIENTS);
  await expect(reserveSocket("127.0.0.1", held.port)).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("a port in use is reported", async () => {
  const server = createServer();
  await listenOn(server, { host: "127.0.0.1", port: 0 });
  const { port } = server.address() as AddressInfo;
  await expect(reserveSocket("127.0.0.1", port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  await new Promise((resolve) => server.close(resolve));
});
