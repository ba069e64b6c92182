import { expect, test } from "vitest";
import { StorageTurns } from "./storage-turns.ts";

/** Starts writes that end when the test says so, and records the order in which they begin. */
function startWriters(turns: StorageTurns) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const write = (organizationId: string | null, name: string, isNear = true, keyId = "key_a") =>
    turns.run({ organizationId, keyId }, async (onNearLimit) => {
      begun.push(name);
      if (isNear) onNearLimit();
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      await promise;
    });
  const end = (name: string) => ends.get(name)?.();
  /** Ends a write of this organization that was near a limit. */
  const comeNear = async (organizationId: string | null) => {
    const first = write(organizationId, "first");
    end("first");
    await first;
    begun.length = 0;
  };
  return { begun, write, end, comeNear };
}

test("writers that are not near a limit do not wait", () => {
  const { begun, write } = startWriters(new StorageTurns());
  for (const name of ["a", "b", "c"]) void write("org_a", name, false);
  expect(begun).toEqual(["a", "b", "c"]);
});

test.for(["org_a", null])(
  "writers near a limit of %s take turns in the order of their arrival",
  async (organizationId) => {
    const { begun, write, end, comeNear } = startWriters(new StorageTurns());
    await comeNear(organizationId);
    for (const name of ["a", "b", "c"]) void write(organizationId, name);
    // Another organization does not wait.
    void write("org_b", "other");
    expect(begun).toEqual(["a", "other"]);
    end("a");
    await expect.poll(() => begun).toEqual(["a", "other", "b"]);
    void write(organizationId, "d");
    end("b");
    await expect.poll(() => begun).toEqual(["a", "other", "b", "c"]);
    end("c");
    await expect.poll(() => begun).toEqual(["a", "other", "b", "c", "d"]);
  },
);

test("a writer that fails passes its turn on", async () => {
  const turns = new StorageTurns();
  const { begun, write, comeNear } = startWriters(turns);
  await comeNear("org_a");
  const failing = turns.run({ organizationId: "org_a", keyId: "key_a" }, () => Promise.reject(new Error("full")));
  void write("org_a", "next");
  await expect(failing).rejects.toThrow("full");
  await expect.poll(() => begun).toEqual(["next"]);
});

test("a writer waits for a limited time, and the turns go on without it", async () => {
  const { begun, write, end, comeNear } = startWriters(new StorageTurns(undefined, 20));
  await comeNear("org_a");
  void write("org_a", "a");
  await expect(write("org_a", "late")).rejects.toMatchObject({ code: "overloaded" });
  void write("org_a", "b");
  end("a");
  await expect.poll(() => begun).toEqual(["a", "b"]);
});

test("a limited number of writers wait", async () => {
  const { begun, write, comeNear } = startWriters(new StorageTurns());
  await comeNear("org_a");
  const writeMany = (count: number, keyId: string) => {
    const outcomes = Array.from({ length: count }, (_, index) => write("org_a", `${keyId} ${index}`, true, keyId));
    // The others still wait when the test ends.
    for (const outcome of outcomes) outcome.catch(() => {});
    return outcomes.at(-1);
  };
  await expect(writeMany(102, "key_a")).rejects.toMatchObject({ code: "overloaded" });
  // Another key has places of its own.
  const last = writeMany(100, "key_b");
  await expect(writeMany(1, "key_c")).rejects.toMatchObject({ code: "overloaded" });
  await expect(Promise.race([last, "waits"])).resolves.toBe("waits");
  expect(begun).toEqual(["key_a 0"]);
});

test("turns end ten seconds after the last write that was near a limit", async () => {
  let nowMs = 0;
  const { begun, write, end, comeNear } = startWriters(new StorageTurns(() => nowMs));
  await comeNear("org_a");
  nowMs = 10_000;
  const last = write("org_a", "last", false);
  end("last");
  await last;
  for (const name of ["a", "b"]) void write("org_a", name, false);
  expect(begun).toEqual(["last", "a", "b"]);
});
