import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { SilenceWatch } from "./silence-watch.ts";

/** Creates a peer that answers requests one at a time and takes this long for each request. */
function slowPeer(answerMs: number) {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    last = last.then(() => pause(answerMs));
    return last;
  };
}

test("requests in a long queue that the peer answers in order do not time out", async () => {
  const watch = new SilenceWatch(250, 10_000);
  const ask = slowPeer(10);
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: 50 }, () => watch.guard(ask())));
  expect(performance.now() - startedAtMs).toBeGreaterThan(400);
});

test("a request never waits longer than the maximum, even if the peer answers other requests", async () => {
  const watch = new SilenceWatch(10_000, 100);
  const ask = slowPeer(20);
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, () => watch.guard(ask())));
  expect(outcomes[0]?.status).toBe("fulfilled");
  expect(outcomes.at(-1)?.status).toBe("rejected");
});

test("a timeout rejects all waiting requests, and the next request gets the full timeout", async () => {
  const watch = new SilenceWatch(30, 10_000);
  const never = Promise.withResolvers<void>().promise;
  const outcomes = await Promise.allSettled([watch.guard(never), watch.guard(never)]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "rejected"]);
  expect(await watch.guard(Promise.resolve("answer"))).toBe("answer");
});

test("an error from the peer rejects the request with that error", async () => {
  await expect(new SilenceWatch(1_000, 1_000).guard(Promise.reject(new Error("OOM")))).rejects.toThrow("OOM");
});
