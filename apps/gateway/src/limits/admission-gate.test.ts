import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallPriority } from "../call/operation-traits.ts";
import { AdmissionGate, type GateSettings } from "./admission-gate.ts";
import { noPressure, type Pressure } from "./pressure.ts";

const overloaded = expect.objectContaining({ code: "overloaded" });

interface Given extends Partial<GateSettings> {
  readonly pressure?: Partial<Pressure>;
  readonly random?: () => number;
  readonly now?: () => number;
}

function gateOf({ pressure, random = () => 0.5, now = () => 0, ...settings }: Given = {}): AdmissionGate {
  const all: GateSettings = { maxInFlight: 4, maxWaiting: 2, longestWaitMs: 20, ...settings };
  return new AdmissionGate({ settings: () => all, pressure: { ...noPressure, ...pressure }, random, now });
}

const shedding = (...priorities: CallPriority[]): Partial<Pressure> => ({ sheds: (one) => priorities.includes(one) });

function fill(gate: AdmissionGate, owners: readonly string[]): void {
  for (const owner of owners) expect(gate.enter(owner, "usual")).toBeNull();
}

/** Returns the outcome of a call: admitted, waiting, or the refusal reason. */
function tryToEnter(gate: AdmissionGate, owner: string, priority: CallPriority = "usual"): string {
  const before = { ...gate.refused };
  try {
    const turn = gate.enter(owner, priority);
    turn?.catch(() => {});
    return turn === null ? "in" : "waits";
  } catch {
    const reasons = Object.keys(before) as (keyof typeof before)[];
    return reasons.find((reason) => gate.refused[reason] > before[reason]) ?? "not counted";
  }
}

describe("admission gate", () => {
  test("reports each call that enters while no other call is in flight", () => {
    let first = 0;
    const gate = new AdmissionGate({
      settings: () => ({ maxInFlight: 4, maxWaiting: 2, longestWaitMs: 20 }),
      pressure: noPressure,
      random: () => 0.5,
      now: () => 0,
      onFirst: () => {
        first += 1;
      },
    });
    fill(gate, ["a", "a", "b"]);
    expect(first).toBe(1);
    for (const owner of ["a", "b", "a"]) gate.leave(owner);
    fill(gate, ["b", "a"]);
    expect(first).toBe(2);
  });

  test("admits calls immediately while there is capacity", () => {
    const gate = gateOf();
    fill(gate, ["a", "a", "a"]);
    expect(gate.inFlight).toBe(3);
  });

  test("allows a single organization to use all capacity", () => {
    const gate = gateOf({ maxInFlight: 8 });
    fill(gate, Array<string>(8).fill("a"));
  });

  test("reserves the last quarter of the capacity for other organizations, if any are active", () => {
    const gate = gateOf({ maxInFlight: 8 });
    fill(gate, ["quiet"]);
    gate.leave("quiet");
    fill(gate, Array<string>(6).fill("flood"));
    expect(tryToEnter(gate, "flood")).toBe("share");
    fill(gate, ["quiet", "quiet"]);
  });

  test("allows an organization two shares in a short burst, but only one if it constantly exceeds its share", () => {
    let nowMs = 1_000;
    const gate = gateOf({ maxInFlight: 12, maxWaiting: 0, longestWaitMs: 250, now: () => nowMs });
    fill(gate, ["b", "c", ...Array<string>(8).fill("flood")]);
    expect([1, 2, 3].map(() => tryToEnter(gate, "flood"))).toEqual(["share", "share", "share"]);
    for (let calls = 0; calls < 3; calls += 1) gate.leave("flood");
    fill(gate, ["b", "b", "b"]);
    nowMs += 250;
    // Three organizations are active, so each is entitled to four concurrent calls.
    expect(tryToEnter(gate, "flood")).toBe("share");
    expect(tryToEnter(gate, "b")).toBe("in");
    expect(gate.inFlight).toBe(11);
  });

  test("limits every organization to its share when the process lags", () => {
    const gate = gateOf({ maxInFlight: 400, pressure: shedding("background") });
    fill(gate, ["quiet", "other", "third", ...Array<string>(200).fill("flood")]);
    expect(tryToEnter(gate, "flood")).toBe("share");
    fill(gate, ["quiet"]);
  });

  test("does not admit more calls than the process can handle", () => {
    const gate = gateOf({ maxInFlight: 5, maxWaiting: 0, pressure: { room: 2 } });
    fill(gate, ["a", "b"]);
    expect(tryToEnter(gate, "a")).toBe("full");
    // An organization without calls in flight is refused last.
    fill(gate, ["c", "d", "e"]);
    expect(tryToEnter(gate, "f")).toBe("full");
  });
});

describe("admission queue", () => {
  test("queues calls at capacity and admits the newest first", async () => {
    const gate = gateOf({ maxWaiting: 4 });
    fill(gate, ["a", "b", "c", "d"]);
    const order: string[] = [];
    const wait = (name: string) => (gate.enter(name, "usual") as Promise<void>).then(() => order.push(name));
    const waiting = [wait("older"), wait("newer")];
    gate.leave("a");
    gate.leave("b");
    await Promise.all(waiting);
    expect(order).toEqual(["newer", "older"]);
    expect(gate.waiting).toBe(0);
  });

  test("refuses a call after the maximum wait, and never queues background calls", async () => {
    const gate = gateOf();
    fill(gate, ["a", "b", "c", "d"]);
    expect(tryToEnter(gate, "batch", "background")).toBe("full");
    await expect(gate.enter("e", "usual")).rejects.toEqual(overloaded);
    expect(gate.waiting).toBe(0);
  });

  test("limits waiting calls per organization, and refuses an organization that constantly exceeds its share", () => {
    let nowMs = 1_000;
    const gate = gateOf({ maxInFlight: 8, maxWaiting: 6, longestWaitMs: 100, now: () => nowMs });
    fill(gate, [...Array<string>(6).fill("flood"), "quiet", "quiet"]);
    const asks = (owner: string) => [1, 2, 3, 4, 5].map(() => tryToEnter(gate, owner));
    expect(asks("flood")).toEqual(["waits", "waits", "waits", "full", "full"]);
    expect(tryToEnter(gate, "quiet")).toBe("waits");
    nowMs += 100;
    expect(tryToEnter(gate, "flood")).toBe("share");
  });

  test("refuses calls immediately after many refusals, until the overload ends", () => {
    let nowMs = 1_000;
    const gate = gateOf({ maxWaiting: 3, longestWaitMs: 100, now: () => nowMs });
    fill(gate, ["a", "b", "c", "d"]);
    expect(Array.from({ length: 6 }, () => tryToEnter(gate, "a"))).toEqual([
      "waits",
      "full",
      "full",
      "full",
      "full",
      "full",
    ]);
    nowMs += 101;
    expect(tryToEnter(gate, "e")).toBe("full");
    // The last window had no overload, so the call may wait in the queue.
    nowMs += 101;
    expect(tryToEnter(gate, "f")).toBe("waits");
  });
});

describe("admission gate under pressure", () => {
  test("sheds background calls first", () => {
    const gate = gateOf({ maxInFlight: 1_000, pressure: shedding("read", "background") });
    // The gate always serves a few calls. Otherwise, it would not detect that the pressure has ended.
    for (let calls = 0; calls < 128; calls += 1) expect(tryToEnter(gate, "a", "background")).toBe("in");
    expect(tryToEnter(gate, "a", "background")).toBe("pressure");
    expect(tryToEnter(gate, "a")).toBe("in");
  });

  test("serves a few reads per interval and refuses all other reads", () => {
    let nowMs = 0;
    const gate = gateOf({ pressure: shedding("read"), now: () => nowMs });
    const served = () =>
      Array.from({ length: 50 }, () => gate.refuseRead()).filter((refusal) => refusal === null).length;
    expect(served()).toBe(32);
    nowMs += 250;
    expect(served()).toBe(32);
    expect(gate.refused.pressure).toBe(36);
    expect(Array.from({ length: 100 }, () => gateOf().refuseRead()).every((refusal) => refusal === null)).toBe(true);
  });
});

test("Retry-After varies by up to 20% around the mean", () => {
  let draw = 0;
  const gate = gateOf({ maxInFlight: 0, maxWaiting: 0, random: () => (draw++ % 100) / 100 });
  const waits = Array.from({ length: 100 }, () => {
    try {
      gate.enter("a", "usual");
      return 0;
    } catch (error) {
      return (error as { facts: { retryAfterMs: number } }).facts.retryAfterMs;
    }
  });
  expect(new Set(waits).size).toBeGreaterThan(10);
  expect([Math.min(...waits), Math.max(...waits)]).toEqual([1_000, 1_500]);
});

test("the gate never counts a call twice or refuses an organization below its share, for random sequences of calls", () => {
  const step = fc.record({ owner: fc.constantFrom("a", "b", "c"), isLeaving: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const gate = gateOf({ maxInFlight: 12, maxWaiting: 0 });
      const inside: Record<string, number> = { a: 0, b: 0, c: 0 };
      const total = () => Object.values(inside).reduce((sum, count) => sum + count, 0);
      for (const { owner, isLeaving } of steps) {
        if (isLeaving) {
          if (inside[owner] === 0) continue;
          gate.leave(owner);
          inside[owner] = (inside[owner] as number) - 1;
          continue;
        }
        const before = total();
        if (tryToEnter(gate, owner) === "in") inside[owner] = (inside[owner] as number) + 1;
        // A third of the capacity is available to each organization, unless all capacity is in use.
        else expect((inside[owner] as number) >= 4 || before === 12).toBe(true);
        expect(gate.inFlight).toBe(total());
      }
    }),
  );
});
