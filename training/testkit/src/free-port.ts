import { createServer } from "node:net";

/** Returns a loopback port that was free a moment ago. If the program under test supports port 0, use that instead. */
export function findFreePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() =>
      typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
    );
  });
  return promise;
}
