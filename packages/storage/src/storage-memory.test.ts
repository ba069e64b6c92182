import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { adapters } from "./adapters.fixture.ts";

const MEGABYTE = 1024 * 1024;
const OBJECT_MEGABYTES = 256;

describe.for(adapters.slice(0, 2))("storage in $name", ({ options, open }) => {
  test("needs less than 64 MiB to write and read a larger object", options, async () => {
    const { storage, stop } = await open();
    onTestFinished(() => stop());
    const chunk = randomBytes(MEGABYTE);
    await storage.write("first", [chunk]);
    const startedAt = process.memoryUsage().rss;
    let peak = 0;
    const measure = () => {
      peak = Math.max(peak, process.memoryUsage().rss);
    };
    const content = (function* () {
      for (let sent = 0; sent < OBJECT_MEGABYTES; sent += 1) {
        measure();
        yield chunk;
      }
    })();
    await storage.write("large", content);
    let bytes = 0;
    for await (const part of storage.read("large")) {
      bytes += part.length;
      measure();
    }
    expect(bytes).toBe(OBJECT_MEGABYTES * MEGABYTE);
    expect(peak - startedAt).toBeLessThan(64 * MEGABYTE);
  });
});
