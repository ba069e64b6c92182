import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LiveServer, startLiveServer } from "./live-server.ts";

const folder = mkdtempSync(join(tmpdir(), "live-"));
const run = join(folder, "tr_01A");
let server: LiveServer;

beforeAll(async () => {
  mkdirSync(run);
  writeFileSync(join(run, "journal.jsonl"), "");
  writeFileSync(join(run, "metrics.csv"), "round\n1\n");
  writeFileSync(join(run, "project.json"), "{}");
  server = await startLiveServer({ runs: () => [run] });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("serves pages only under the secret link and only for the local hostname", async () => {
  const { origin, pathname } = new URL(server.url);
  expect((await fetch(server.url)).status).toBe(200);
  const almost = `${pathname.slice(0, -2)}${pathname.at(-2) === "x" ? "y" : "x"}/`;
  for (const path of ["/", "/runs/tr_01A", almost, `/${"a".repeat(32)}/`]) {
    expect((await fetch(origin + path)).status, path).toBe(404);
  }
  expect(await statusWithHost(server.url, "evil.example")).toBe(404);
  expect((await fetch(server.url, { method: "POST" })).status).toBe(405);
});

test("serves only the figures from a run's folder", async () => {
  const figures = await fetch(`${server.url}runs/tr_01A/metrics.csv`);
  expect(await figures.text()).toBe("round\n1\n");
  for (const path of ["project.json", "..%2f..%2fetc%2fpasswd", "journal.jsonl", "lock"]) {
    expect((await fetch(`${server.url}runs/tr_01A/${path}`)).status, path).toBe(404);
  }
  expect((await fetch(`${server.url}runs/..%2flive`)).status).toBe(404);
  expect((await fetch(`${server.url}runs/%ff`)).status).toBe(500);
});

test("pages are not cached, cannot be framed, and send no referrer", async () => {
  const { headers } = await fetch(server.url);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-frame-options")).toBe("DENY");
  expect(headers.get("referrer-policy")).toBe("no-referrer");
});

test("sends an event to open pages of a run when its journal grows", async () => {
  const leave = new AbortController();
  const response = await fetch(`${server.url}runs/tr_01A/events`, { signal: leave.signal });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  appendFileSync(join(run, "journal.jsonl"), "x");
  const { value } = await reader.read();
  expect(Buffer.from(value as Uint8Array).toString()).toBe("data: 1\n\n");
  leave.abort();
  await expect(reader.read()).rejects.toThrow();
});

function statusWithHost(url: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request(url, { headers: { host } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  })
    .once("error", reject)
    .end();
  return promise;
}
