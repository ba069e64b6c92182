import { hash, randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adapters } from "./adapters.fixture.ts";
import { PART_BYTES } from "./s3/s3-storage.ts";
import type { ObjectStorage, StorageProblem } from "./storage.ts";

const sha256 = (content: Uint8Array) => hash("sha256", content, "hex");

async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function keysOf(storage: ObjectStorage, folder: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(folder)) keys.push(key);
  return keys;
}

const failsWith = (kind: StorageProblem) => expect.objectContaining({ name: "StorageError", kind });

describe.for(adapters)("storage in $name", ({ options, open }) => {
  describe("objects", options, () => {
    let storage: ObjectStorage;
    let stop: () => Promise<void>;
    beforeAll(async () => {
      ({ storage, stop } = await open());
    });
    afterAll(() => stop());

    test.for([
      ["an empty object", 0],
      ["one byte", 1],
      ["one part", PART_BYTES],
      ["one byte more than a part", PART_BYTES + 1],
      ["several parts", 2 * PART_BYTES + 12_345],
    ] as const)("returns what was written, with its digest: %s", async ([, bytes]) => {
      const content = randomBytes(bytes);
      const key = `written/${randomUUID()}`;
      const chunks = (function* () {
        for (let at = 0; at < bytes; at += 100_003) yield content.subarray(at, at + 100_003);
      })();
      expect(await storage.write(key, chunks)).toEqual({ key, bytes, sha256: sha256(content) });
      expect(await storage.find(key)).toEqual({ key, bytes });
      expect((await readAll(storage.read(key))).equals(content)).toBe(true);
    });

    test("returns exactly the bytes of a range, and fails if the object is shorter", async () => {
      const content = randomBytes(1_000_000);
      const key = `ranges/${randomUUID()}`;
      await storage.write(key, [content]);
      for (const [start, end] of [
        [0, 1],
        [999_999, 1_000_000],
        [123_456, 654_321],
        [0, 1_000_000],
        [77, 77],
      ] as const) {
        expect((await readAll(storage.read(key, { start, end }))).equals(content.subarray(start, end))).toBe(true);
      }
      await expect(readAll(storage.read(key, { start: 999_990, end: 1_000_001 }))).rejects.toEqual(
        failsWith("truncated"),
      );
      await expect(readAll(storage.read(key, { start: 2_000_000, end: 2_000_001 }))).rejects.toEqual(
        failsWith("truncated"),
      );
    });

    test("writes an object once: a second write fails and changes nothing", async () => {
      const key = `once/${randomUUID()}`;
      await storage.write(key, [Buffer.from("first")]);
      await expect(storage.write(key, [Buffer.from("second")])).rejects.toEqual(failsWith("exists"));
      expect((await readAll(storage.read(key))).toString()).toBe("first");
    });

    test.for([
      ["small objects", 100],
      ["objects of several parts", PART_BYTES + 1],
    ] as const)("lets one of several concurrent writers of a key succeed: %s", async ([, bytes]) => {
      const key = `races/${randomUUID()}`;
      const contents = Array.from({ length: 4 }, () => randomBytes(bytes));
      const outcomes = await Promise.allSettled(contents.map((content) => storage.write(key, [content])));
      const written = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value.sha256] : []));
      expect(written).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === "rejected") expect(outcome.reason).toEqual(failsWith("exists"));
      expect(sha256(await readAll(storage.read(key)))).toBe(written[0]);
    });

    test.for([10, PART_BYTES + 10])(
      "leaves nothing of a write whose content fails or is too large after %i bytes",
      async (bytes) => {
        const key = `failed/${randomUUID()}`;
        const failing = (function* () {
          yield Buffer.alloc(bytes);
          throw new Error("the client disconnected");
        })();
        await expect(storage.write(key, failing)).rejects.toThrow("the client disconnected");
        await expect(storage.write(key, [Buffer.alloc(bytes + 1)], { maxBytes: bytes })).rejects.toEqual(
          failsWith("too_large"),
        );
        expect(await storage.find(key)).toBeNull();
        expect(await keysOf(storage, "failed/")).toEqual([]);
        expect(await storage.deleteAbandonedWrites(new Date(Date.now() + 60_000))).toBe(0);
      },
    );

    test("reports a missing object, and deletes an object once or twice", async () => {
      const key = `deleted/${randomUUID()}`;
      expect(await storage.find(key)).toBeNull();
      await expect(readAll(storage.read(key))).rejects.toEqual(failsWith("missing"));
      await storage.write(key, [Buffer.from("text")]);
      await storage.delete(key);
      await storage.delete(key);
      expect(await storage.find(key)).toBeNull();
    });

    test("lists a folder in the order of its keys, and nothing next to it", async () => {
      const written = ["list/a-b", "list/a/b", "list/a/c=1/d.parquet", "list/a.b", "list/a0", "listing"];
      for (const key of written) await storage.write(key, [Buffer.from(key)]);
      expect(await keysOf(storage, "list/")).toEqual(written.slice(0, -1).sort());
      expect(await keysOf(storage, "list/a/")).toEqual(["list/a/b", "list/a/c=1/d.parquet"]);
      expect(await keysOf(storage, "list/nothing/")).toEqual([]);
      expect((await keysOf(storage, "")).filter((key) => key.startsWith("list"))).toEqual([...written].sort());
    });

    test("lists more objects than one response has", async () => {
      const keys = Array.from({ length: 1_050 }, (_, at) => `many/${String(at).padStart(4, "0")}`);
      for (let at = 0; at < keys.length; at += 50) {
        await Promise.all(keys.slice(at, at + 50).map((key) => storage.write(key, [])));
      }
      expect(await keysOf(storage, "many/")).toEqual(keys);
    });

    test.for(["", "/a", "a/", "a//b", "../a", "a/../b", ".a", "a/.b", "a b", "ä", "a\0", "a\\b", "x".repeat(513)])(
      "refuses the unsafe key %j",
      async (key) => {
        await expect(storage.write(key, [])).rejects.toThrow(TypeError);
        await expect(storage.find(key)).rejects.toThrow(TypeError);
        await expect(storage.delete(key)).rejects.toThrow(TypeError);
        await expect(readAll(storage.read(key))).rejects.toThrow(TypeError);
      },
    );
  });
});
