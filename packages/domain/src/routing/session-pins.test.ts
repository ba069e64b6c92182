import { expect, test } from "vitest";
import { SessionPins, sessionNumber } from "./session-pins.ts";

const START_MS = 1_000_000;
/** A session of one of many owners. */
const manyOwned = (index: number) => sessionNumber(Math.imul(index, 0x9e3779b1) >>> 0, index << 12);

test("a session keeps its target while it is used, and loses it after its lifetime", () => {
  const pins = new SessionPins(60_000, false);
  pins.pin(1, "a", START_MS);
  pins.pin(2, "b", START_MS);
  for (let elapsedMs = 0; elapsedMs <= 600_000; elapsedMs += 20_000) {
    expect(pins.find(1, START_MS + elapsedMs)).toBe("a");
  }
  expect(pins.find(2, START_MS + 600_000)).toBeNull();
  expect(pins.find(1, START_MS + 700_000)).toBeNull();
});

test("a pin ends between half and all of its lifetime after its last use", () => {
  for (let offsetMs = 0; offsetMs < 60_000; offsetMs += 5_000) {
    const pins = new SessionPins(60_000, false);
    pins.find(0, START_MS);
    pins.pin(1, "a", START_MS + offsetMs);
    expect(pins.find(1, START_MS + offsetMs + 29_999)).toBe("a");
    expect(pins.find(1, START_MS + offsetMs + 29_999 + 60_000)).toBeNull();
  }
});

test("a failed target is released, but not a newer one", () => {
  const pins = new SessionPins(60_000, false);
  pins.pin(1, "a", START_MS);
  pins.release(1, "a");
  expect(pins.find(1, START_MS)).toBeNull();
  pins.pin(1, "b", START_MS);
  pins.release(1, "a");
  expect(pins.find(1, START_MS)).toBe("b");
});

test("replicas learn new and renewed pins, each once", () => {
  const [here, there] = [new SessionPins(60_000, true), new SessionPins(60_000, true)];
  here.pin(1, "a", START_MS);
  here.pin(1, "a", START_MS);
  const sent = here.takeUnsent();
  expect(sent).toEqual([{ session: 1, targetId: "a" }]);
  expect(here.takeUnsent()).toEqual([]);
  there.learn(sent, START_MS);
  expect(there.find(1, START_MS)).toBe("a");
  // What was learned is not sent back.
  expect(there.takeUnsent()).toEqual([]);
  expect(here.find(1, START_MS + 31_000)).toBe("a");
  expect(here.takeUnsent()).toEqual([{ session: 1, targetId: "a" }]);
});

test("the number of sessions is limited, and a lifetime of 0 turns pins off", () => {
  const pins = new SessionPins(3_600_000, true);
  for (let session = 0; session < 250_000; session += 1) pins.pin(manyOwned(session), "a", START_MS);
  expect(pins.size).toBeLessThanOrEqual(100_000);
  expect(pins.takeUnsent().length).toBeLessThanOrEqual(2_000);
  expect(pins.find(manyOwned(249_999), START_MS)).toBe("a");
  pins.lifetimeMs = 0;
  pins.pin(1, "a", START_MS);
  expect([pins.isOn, pins.size, pins.find(1, START_MS)]).toEqual([false, 0, null]);
});

test("pins of other replicas don't exceed the limit, and the latest ones stay", () => {
  const pins = new SessionPins(60_000, true);
  pins.learn(
    Array.from({ length: 250_000 }, (_, session) => ({ session: manyOwned(session), targetId: "a" })),
    1_000,
  );
  expect(pins.size).toBeLessThanOrEqual(100_000);
  expect(pins.find(manyOwned(249_999), 1_000)).toBe("a");
});

test("one owner with many sessions doesn't remove the pins of others, also through replicas", () => {
  const pins = new SessionPins(3_600_000, true);
  const [busy, quiet] = [0x0040_0000, 0x8040_0000];
  const own = sessionNumber(quiet, 0xabcd_e000);
  pins.pin(own, "a", START_MS);
  for (let index = 0; index < 250_000; index += 1) pins.pin(sessionNumber(busy, index << 12), "b", START_MS);
  const others = Array.from({ length: 250_000 }, (_, index) => sessionNumber(busy, (index + 250_000) << 12));
  pins.learn(
    others.map((session) => ({ session, targetId: "b" })),
    START_MS,
  );
  expect(pins.size).toBe(10_001);
  expect(pins.find(own, START_MS)).toBe("a");
  // A session that ends makes room for another one.
  pins.release(sessionNumber(busy, 0), "b");
  pins.pin(others[0] as number, "b", START_MS);
  expect([pins.size, pins.find(others[0] as number, START_MS)]).toEqual([10_001, "b"]);
});

test("the number of a session is above 0, and has 31 bits at most", () => {
  expect(sessionNumber(0, 0)).toBe(1);
  expect(sessionNumber(0xffff_ffff, 0xffff_ffff)).toBe(2 ** 30);
});
