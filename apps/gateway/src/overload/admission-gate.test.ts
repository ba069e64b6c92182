import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdmissionGate, type CallPriority, type GateSettings } from "./admission-gate.ts";

const open = { sheds: () => false };
const gateOf = (settings: Partial<GateSettings> = {}, pressure: { sheds(priority: CallPriority): boolean } = open) => {
  const all: GateSettings = { maxInFlight: 4, maxWaiting: 2, longestWaitMs: 20, ...settings };
  return new AdmissionGate(
    () => all,
    pressure,
    () => 0.5,
  );
};
const overloaded = expect.objectContaining({ code: "overloaded" });

describe("a gate", () => {
  test("lets calls in at once while there is room", () => {
    const gate = gateOf();
    for (let calls = 0; calls < 3; calls += 1) expect(gate.enter("a", "usual")).toBeNull();
    expect(gate.inFlight).toBe(3);
  });

  test("keeps the last quarter for those who have less than their share", () => {
    const gate = gateOf({ maxInFlight: 8 });
    for (let calls = 0; calls < 6; calls += 1) gate.enter("flood", "usual");
    expect(gate.enter("quiet", "usual")).toBeNull();
    // Two are there, so each has a right to four.
    expect(() => gate.enter("flood", "usual")).toThrowError(overloaded);
    expect(gate.enter("quiet", "usual")).toBeNull();
    expect(gate.refused).toEqual({ full: 0, share: 1, pressure: 0 });
  });

  test("makes calls wait when it is full, and lets the newest of them in first", async () => {
    const gate = gateOf();
    for (const owner of ["a", "b", "c", "d"]) gate.enter(owner, "usual");
    const order: string[] = [];
    const wait = (name: string) => (gate.enter(name, "usual") as Promise<void>).then(() => order.push(name));
    const waiting = [wait("older"), wait("newer")];
    expect(() => gate.enter("late", "usual")).toThrowError(overloaded);
    gate.leave("a");
    gate.leave("b");
    await Promise.all(waiting);
    expect(order).toEqual(["newer", "older"]);
  });

  test("refuses who has waited too long, and never lets work wait that can wait elsewhere", async () => {
    const gate = gateOf();
    for (const owner of ["a", "b", "c", "d"]) gate.enter(owner, "usual");
    expect(() => gate.enter("batch", "background")).toThrowError(overloaded);
    await expect(gate.enter("e", "usual")).rejects.toEqual(overloaded);
    expect(gate.waiting).toBe(0);
  });

  test("under pressure gives up what can wait first", () => {
    const gate = gateOf({ maxInFlight: 100 }, { sheds: (priority) => priority === "background" });
    // A few are served all the same, or nobody would notice that the pressure is gone.
    for (let calls = 0; calls < 32; calls += 1) expect(gate.enter("a", "background")).toBeNull();
    expect(() => gate.enter("a", "background")).toThrowError(overloaded);
    expect(gate.enter("a", "usual")).toBeNull();
  });

  test("asks clients to come back at different times", () => {
    const points = Array.from({ length: 10 }, (_, index) => index / 10);
    const full = new AdmissionGate(
      () => ({ maxInFlight: 0, maxWaiting: 0, longestWaitMs: 1 }),
      open,
      () => points.pop() ?? 0,
    );
    const waits = Array.from({ length: 10 }, () => {
      try {
        full.enter("a", "usual");
        return 0;
      } catch (error) {
        return (error as { facts: { retryAfterMs: number } }).facts.retryAfterMs;
      }
    });
    expect(new Set(waits).size).toBe(10);
    for (const wait of waits) expect(Math.abs(wait - 1_000)).toBeLessThanOrEqual(200);
  });
});

test("whoever comes and goes, nobody is counted twice and nobody with a right to room is refused", () => {
  const step = fc.record({ owner: fc.constantFrom("a", "b", "c"), isLeaving: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const gate = gateOf({ maxInFlight: 12, maxWaiting: 0 });
      const inside: Record<string, number> = { a: 0, b: 0, c: 0 };
      for (const { owner, isLeaving } of steps) {
        if (isLeaving) {
          if (inside[owner] === 0) continue;
          gate.leave(owner);
          inside[owner] = (inside[owner] as number) - 1;
          continue;
        }
        const total = Object.values(inside).reduce((sum, count) => sum + count, 0);
        try {
          gate.enter(owner, "usual");
          inside[owner] = (inside[owner] as number) + 1;
        } catch {
          // A third of the room is everybody's, unless all of it is taken.
          expect((inside[owner] as number) >= 4 || total === 12).toBe(true);
        }
        expect(gate.inFlight).toBe(Object.values(inside).reduce((sum, count) => sum + count, 0));
      }
    }),
  );
});
