import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { adapters } from "./adapters.fixture.ts";

const MEGABYTE = 1024 * 1024;
const OBJECT_MEGABYTES = 256;
/** The collector may run late on a busy machine, so it runs at fixed points of the content instead. */
const COLLECTED_MEGABYTES = 16;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe.for(adapters.slice(0, 2))("storage in $name", ({ options, open }) => {
  test("needs memory for less than half of an object to write and read it", options, async () => {
    const { storage, stop } = await open();
    onTestFinished(() => stop());
    const chunk = randomBytes(MEGABYTE);
    await storage.write("first", [chunk]);
    collectGarbage();
    const startedAt = process.memoryUsage().rss;
    let peak = 0;
    let handled = 0;
    const measure = (handledBytes: number) => {
      handled += handledBytes;
      if (handled >= COLLECTED_MEGABYTES * MEGABYTE) {
        collectGarbage();
        handled = 0;
      }
      peak = Math.max(peak, process.memoryUsage().rss);
    };
    const content = (function* () {
      for (let sent = 0; sent < OBJECT_MEGABYTES; sent += 1) {
        measure(chunk.length);
        yield chunk;
      }
    })();
    await storage.write("large", content);
    let bytes = 0;
    for await (const part of storage.read("large")) {
      bytes += part.length;
      measure(part.length);
    }
    expect(bytes).toBe(OBJECT_MEGABYTES * MEGABYTE);
    expect(peak - startedAt).toBeLessThan((OBJECT_MEGABYTES / 2) * MEGABYTE);
  });
});
