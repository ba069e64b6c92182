import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RecallTurns } from "./recall-turns.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts recalls that load this many bytes and end when the test says so, and records the order in which they begin. */
function startRecalls(bytes: number) {
  const turns = new RecallTurns(() => Date.now());
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const recall = (organizationId: string | null, name: string, keyId = "key_a") =>
    turns.run({ organizationId, keyId }, async (onLoaded) => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      await promise;
      onLoaded(bytes);
    });
  const end = async (name: string) => {
    await vi.advanceTimersByTimeAsync(0);
    ends.get(name)?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { begun, recall, end };
}

test("an organization loads stored responses for two requests at a time, and other organizations do not wait", async () => {
  const { begun, recall, end } = startRecalls(1_000);
  for (const name of ["a", "b", "c", "d"]) void recall("org_a", name);
  void recall("org_b", "other");
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["a", "b", "other"]);
  await end("b");
  expect(begun).toEqual(["a", "b", "other", "c"]);
});

test("ordinary conversations never wait, and an organization that loads much waits until it fits into its rate", async () => {
  const small = startRecalls(40_000);
  for (let index = 0; index < 50; index += 1) {
    void small.recall("org_a", `recall ${index}`);
    await small.end(`recall ${index}`);
  }
  expect(small.begun).toHaveLength(50);

  const large = startRecalls(20_000_000);
  void large.recall("org_a", "first");
  await large.end("first");
  void large.recall("org_a", "second");
  await vi.advanceTimersByTimeAsync(399);
  expect(large.begun).toEqual(["first"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(large.begun).toEqual(["first", "second"]);
});

test("a request that would wait for two seconds, and the hundred and first of a key, are 503", async () => {
  const { begun, recall, end } = startRecalls(1_000);
  void recall("org_a", "a");
  void recall("org_a", "b");
  const waiting = Array.from({ length: 100 }, (_, index) => recall("org_a", `waiting ${index}`));
  const refused = Promise.allSettled(waiting);
  await expect(recall("org_a", "too many")).rejects.toMatchObject({ code: "overloaded" });
  void recall("org_a", "of another key", "key_b").catch(() => {});
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await refused).map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => "rejected"));
  await end("a");
  void recall("org_a", "later");
  await vi.advanceTimersByTimeAsync(0);
  expect(begun).toEqual(["a", "b", "later"]);
});
