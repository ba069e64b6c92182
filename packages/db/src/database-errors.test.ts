import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { isDatabaseUnavailable } from "./database-errors.ts";

test("a server that accepts connections and never answers is unavailable", async () => {
  const server = createServer((socket) => void socket.on("error", () => {}).resume()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new Client({ host: "127.0.0.1", port, user: "someone", connectionTimeoutMillis: 50 });
  client.on("error", () => {});
  const error = await client.connect().then(
    () => null,
    (reason: Error) => reason,
  );
  expect(error?.message).toBe("timeout expired");
  expect(isDatabaseUnavailable(error)).toBe(true);
});

test("an invalid query doesn't mean that the database is unavailable", () => {
  expect(isDatabaseUnavailable(Object.assign(new Error("syntax error"), { code: "42601" }))).toBe(false);
  expect(isDatabaseUnavailable(new Error("something else"))).toBe(false);
});
