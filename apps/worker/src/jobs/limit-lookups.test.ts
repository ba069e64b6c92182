import { expect, test } from "vitest";
import { limitLookups } from "./limit-lookups.ts";

function createSlowResolver() {
  const running = new Map<string, (addresses: readonly string[]) => void>();
  const resolve = limitLookups((host) => new Promise((done) => running.set(host, done)));
  return {
    resolve,
    running: () => [...running.keys()],
    finish: (host: string) => {
      running.get(host)?.(["192.0.2.1"]);
      running.delete(host);
    },
  };
}

test("runs two lookups concurrently, and the next one when one of them has ended", async () => {
  const { resolve, running, finish } = createSlowResolver();
  const lookups = ["a", "b", "c"].map((host) => resolve(host));
  expect(running()).toEqual(["a", "b"]);
  finish("a");
  expect(await lookups[0]).toEqual(["192.0.2.1"]);
  await expect.poll(running).toEqual(["b", "c"]);
  for (const host of running()) finish(host);
  await Promise.all(lookups);
  const later = resolve("d");
  expect(running()).toEqual(["d"]);
  finish("d");
  await later;
});

test("a failed lookup frees its place", async () => {
  const resolve = limitLookups(async (host) => {
    if (host === "unknown") throw new Error("ENOTFOUND");
    return ["192.0.2.1"];
  });
  await Promise.allSettled(["unknown", "unknown", "unknown"].map(resolve));
  expect(await resolve("known")).toEqual(["192.0.2.1"]);
});

test("refuses further lookups when too many are waiting", async () => {
  const { resolve } = createSlowResolver();
  for (let started = 0; started < 102; started += 1) void resolve(`host-${started}`);
  await expect(resolve("one-more")).rejects.toThrow("too many lookups");
});
