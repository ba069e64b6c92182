import { expect, test } from "vitest";
import { openScriptedStore } from "./scripted-store.fixture.ts";

async function readAll(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test.for([
  ["another range", "bytes 0-3/10", "abcd"],
  ["a longer range", "bytes 2-8/10", "cdefghi"],
  ["more bytes than it says", "bytes 2-5/10", "cdefghi"],
  ["no range", "", "cdef"],
  ["a range in another unit", "items 2-5/10", "cdef"],
] as const)("a read of a range is unavailable if the store sends %s", async ([, range, body]) => {
  const headers = { ...(range !== "" && { "content-range": range }) };
  const { storage } = await openScriptedStore(() => ({ status: 206, headers, body }));
  await expect(readAll(storage.read("key", { start: 2, end: 6 }))).rejects.toMatchObject({ kind: "unavailable" });
});

test("a read of a range returns it if the store names it", async () => {
  const headers = { "content-range": "bytes 2-5/10" };
  const { storage } = await openScriptedStore(() => ({ status: 206, headers, body: "cdef" }));
  expect(await readAll(storage.read("key", { start: 2, end: 6 }))).toBe("cdef");
});

test("a read is unavailable if the store does not name the object's size", async () => {
  const { storage } = await openScriptedStore(() => ({ headers: { "transfer-encoding": "chunked" }, body: "abcd" }));
  await expect(readAll(storage.read("key"))).rejects.toMatchObject({ kind: "unavailable" });
});
