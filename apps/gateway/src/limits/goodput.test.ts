import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AdmissionGate } from "./admission-gate.ts";
import { noPressure } from "./pressure.ts";

const ROOM = 200;
const CALL_MS = 500;
const SATURATION = ROOM / (CALL_MS / 1_000);
const SETTLING_MS = 1_000;
const DURATION_MS = 11_000;

interface Outcome {
  readonly good: number;
  readonly refused: number;
  /** Number of calls that were refused after a wait. */
  readonly refusedLate: number;
}

/**
 * Simulates a number of seconds in which organizations make calls at random times, each at its own rate. Returns the
 * outcome for each organization.
 */
async function simulate(callsPerSecond: Readonly<Record<string, number>>): Promise<Readonly<Record<string, Outcome>>> {
  let nowMs = 1_000_000;
  const random = drawFrom(7);
  const settings = { maxInFlight: ROOM, maxWaiting: 128, longestWaitMs: 250 };
  const gate = new AdmissionGate({
    settings: () => settings,
    pressure: noPressure,
    random,
    now: () => nowMs,
  });
  const outcomes = Object.fromEntries(
    Object.keys(callsPerSecond).map((owner) => [owner, { good: 0, refused: 0, refusedLate: 0 }]),
  );
  const ends = new Map<number, string[]>();
  const startMs = nowMs;
  const isCounted = () => nowMs >= startMs + SETTLING_MS;
  const begin = (owner: string) => {
    const endMs = nowMs + CALL_MS;
    ends.set(endMs, [...(ends.get(endMs) ?? []), owner]);
  };
  const call = (owner: string) => {
    const outcome = outcomes[owner] as { refused: number; refusedLate: number };
    const wasCounted = isCounted();
    try {
      const turn = gate.enter(owner, "usual");
      if (turn === null) return begin(owner);
      turn.then(
        () => begin(owner),
        () => {
          if (wasCounted) outcome.refusedLate += 1;
        },
      );
    } catch {
      if (wasCounted) outcome.refused += 1;
    }
  };
  for (; nowMs < startMs + DURATION_MS; nowMs += 1) {
    for (const owner of ends.get(nowMs) ?? []) {
      if (isCounted()) (outcomes[owner] as { good: number }).good += 1;
      gate.leave(owner);
    }
    ends.delete(nowMs);
    for (const [owner, perSecond] of Object.entries(callsPerSecond)) {
      for (let due = drawPoisson(random, perSecond / 1_000); due > 0; due -= 1) call(owner);
    }
    await vi.advanceTimersByTimeAsync(1);
  }
  return outcomes;
}

/** Returns a deterministic random source. */
function drawFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function drawPoisson(random: () => number, mean: number): number {
  let count = 0;
  for (let product = random(); product > Math.exp(-mean); product *= random()) count += 1;
  return count;
}

const spread = (owners: number, perSecond: number) =>
  Object.fromEntries(Array.from({ length: owners }, (_, index) => [`organization-${index}`, perSecond / owners]));

const sum = (outcomes: Readonly<Record<string, Outcome>>, read: (outcome: Outcome) => number, but = "") =>
  Object.entries(outcomes).reduce((total, [owner, outcome]) => total + (owner === but ? 0 : read(outcome)), 0);

const seconds = (DURATION_MS - SETTLING_MS) / 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each([1, 10, 500])("an admission gate with calls from %i organizations", (owners) => {
  test("serves nearly full capacity at saturation and full capacity at ten times the load", async () => {
    const atOnce = await simulate(spread(owners, SATURATION));
    const served = sum(atOnce, ({ good }) => good) / seconds / SATURATION;
    // Random arrivals leave some of the capacity unused.
    expect(served).toBeGreaterThan(0.93);
    for (const factor of [2, 5, 10]) {
      const flooded = await simulate(spread(owners, SATURATION * factor));
      expect(sum(flooded, ({ good }) => good) / seconds / SATURATION, `${factor} times`).toBeGreaterThan(0.97);
      // Calls that can't be served are refused immediately and don't wait.
      const late = sum(flooded, ({ refusedLate }) => refusedLate);
      expect(late / sum(flooded, ({ refused }) => refused), `${factor} times`).toBeLessThan(0.01);
    }
  });

  test("refuses no call below capacity", async () => {
    const calm = await simulate(spread(owners, SATURATION * 0.7));
    expect(sum(calm, ({ refused, refusedLate }) => refused + refusedLate)).toBe(0);
  });
});

test("a flood from one organization costs the other organizations at most 5% of their calls", async () => {
  const others = spread(9, SATURATION * 0.8);
  const alone = await simulate(others);
  for (const factor of [1, 10, 50]) {
    const beside = await simulate({ ...others, flood: SATURATION * factor });
    const kept = sum(beside, ({ good }) => good, "flood") / sum(alone, ({ good }) => good);
    expect(kept, `${factor} times`).toBeGreaterThan(0.95);
    expect(beside.flood?.good, "the remaining capacity is used").toBeGreaterThan(SATURATION * seconds * 0.05);
  }
});
