import { type AddressInfo, createServer } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { BACKLOG } from "@tollgate/gateway/http/listen-on.ts";

const server = createServer();
server.on("error", (error: NodeJS.ErrnoException) => {
  parentPort?.postMessage({ error: { message: error.message, code: error.code } });
});
server.listen({ host: workerData.host as string, port: workerData.port as number, backlog: BACKLOG }, () => {
  const { fd } = (server as unknown as { _handle: { fd: number } })._handle;
  parentPort?.postMessage({ fd, port: (server.address() as AddressInfo).port });
  // This thread never returns to its event loop, so it never accepts a connection.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
