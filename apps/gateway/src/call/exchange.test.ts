import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { Exchange } from "./exchange.ts";

const KIB = 1024;
const limitBytes = 10 * KIB * KIB;

function makeExchange(length: number): Exchange {
  const request = { complete: false, keyHeaders: [], resumeBody: () => {} };
  const headers = { callId: null, contentLength: String(length), expect: null };
  return new Exchange(request as never, {} as never, headers as never, null, 0, "event", { text: "", digest: "" });
}

test("a body is returned as it arrived, in any reads, whenever the caller is authenticated", async () => {
  const read = fc.oneof(
    fc.integer({ min: 1, max: 2_000 }),
    fc.integer({ min: 2_000, max: 64 * KIB }),
    fc.constant(64 * KIB),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(read, { minLength: 1, maxLength: 30 }), fc.nat(30), async (sizes, wantedAt) => {
      const sent = Buffer.alloc(
        sizes.reduce((sum, size) => sum + size, 0),
        "0123456789abcdefghijklmnopqrstuvwxyz-",
      );
      const exchange = makeExchange(sent.length);
      // Each read overwrites the one before, like the memory of a connection.
      const memory = Buffer.alloc(64 * KIB);
      let body: Buffer | Promise<Buffer> | null = null;
      let at = 0;
      for (const [index, size] of sizes.entries()) {
        if (index === wantedAt) body = exchange.readBody(limitBytes);
        sent.copy(memory, 0, at, at + size);
        at += size;
        exchange.takeView(memory.subarray(0, size), sent.length - at);
        memory.fill(0);
      }
      exchange.takeEnd();
      body ??= exchange.readBody(limitBytes);
      expect((await body).equals(sent)).toBe(true);
    }),
  );
});

/** Returns the sizes of the memory that is reserved from now on. */
function watchReserved(): readonly number[] {
  const sizes: number[] = [];
  const { allocUnsafe } = Buffer;
  const spy = vi.spyOn(Buffer, "allocUnsafe").mockImplementation((size) => {
    sizes.push(size);
    return allocUnsafe(size);
  });
  onTestFinished(() => spy.mockRestore());
  return sizes;
}

test("a large body is copied into one piece of memory once a fifth of it has arrived", async () => {
  const view = Buffer.alloc(64 * KIB, "a");
  const exchange = makeExchange(20 * view.length);
  const reserved = watchReserved();
  exchange.takeView(view, 19 * view.length);
  const body = exchange.readBody(limitBytes);
  for (let left = 18; left >= 0; left -= 1) exchange.takeView(view, left * view.length);
  exchange.takeEnd();
  expect((await body).length).toBe(20 * view.length);
  expect(reserved).toEqual([view.length, view.length, view.length, 20 * view.length]);
});

test("before its caller is authenticated, a body reserves at most five times its first read", () => {
  const view = Buffer.alloc(1_000, "a");
  const exchange = makeExchange(100_000);
  const reserved = watchReserved();
  for (let read = 1; read <= 60; read += 1) exchange.takeView(view, 100_000 - read * view.length);
  expect(reserved).toEqual(Array.from({ length: 60 }, () => view.length));
  const short = makeExchange(5_000);
  short.takeView(view, 4_000);
  expect(reserved.at(-1)).toBe(5_000);
});
