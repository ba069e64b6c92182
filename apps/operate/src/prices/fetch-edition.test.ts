import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fetchEdition } from "./fetch-edition.ts";

/** Starts a server that redirects to these URLs in turn, and then returns a text. Returns its URL. */
async function startServer(redirects: readonly string[]): Promise<string> {
  const left = [...redirects];
  const server = createServer((_request, response) => {
    const location = left.shift();
    if (location === undefined) response.end("edition");
    else response.writeHead(302, { location }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("follows redirects on this machine", async () => {
  const url = await startServer(["/elsewhere"]);
  expect((await fetchEdition(url, ".")).toString()).toBe("edition");
});

test("follows no redirect to a URL without HTTPS", async () => {
  const url = await startServer(["http://192.0.2.1/catalog.signed"]);
  await expect(fetchEdition(url, ".")).rejects.toThrow("http://192.0.2.1/catalog.signed does not use HTTPS.");
});

test("gives up after a few redirects", async () => {
  const url = await startServer(Array.from({ length: 20 }, () => "/again"));
  await expect(fetchEdition(url, ".")).rejects.toThrow("redirects too often");
});
