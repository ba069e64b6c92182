import { DEMO_DAYS } from "./demo-cast.ts";
import { seededRandom } from "./seeded-random.ts";

const HOUR_MS = 3_600_000;
/** Time before the start without requests, in which the last request ends. */
const QUIET_MS = 90_000;
const BUSIEST_HOUR = 15;
const WEEKEND_SHARE = 0.3;
/** Share of the busiest hour that remains at night. */
const NIGHT_SHARE = 0.12;

/** Returns the times of this many requests, oldest first: more by day than at night, and fewer on weekends. */
export function planTimes(seed: number, nowMs: number, requests: number): readonly number[] {
  const random = seededRandom(seed);
  const hours = DEMO_DAYS * 24;
  const weights = Array.from({ length: hours }, (_, hour) => {
    const startMs = nowMs - (hours - hour) * HOUR_MS;
    return weightOf(startMs) * (0.75 + (0.5 * hour) / hours) * random.around(1, 0.12);
  });
  const counts = distribute(requests, weights);
  return counts.flatMap((count, hour) => {
    const startMs = nowMs - (hours - hour) * HOUR_MS;
    const lengthMs = hour === hours - 1 ? HOUR_MS - QUIET_MS : HOUR_MS;
    return Array.from({ length: count }, () => startMs + Math.floor(random.next() * lengthMs)).sort(
      (left, right) => left - right,
    );
  });
}

/** Returns the expected traffic of the hour that contains this time. */
function weightOf(atMs: number): number {
  const at = new Date(atMs);
  const distance = (at.getUTCHours() - BUSIEST_HOUR) / 4.5;
  const isWeekend = at.getUTCDay() === 0 || at.getUTCDay() === 6;
  return (NIGHT_SHARE + Math.exp(-distance * distance)) * (isWeekend ? WEEKEND_SHARE : 1);
}

/** Splits `total` in proportion to the weights. The sum of the parts is exact. */
function distribute(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((before, weight) => before + weight, 0);
  let passed = 0;
  let given = 0;
  return weights.map((weight, index) => {
    passed += weight;
    const upTo = index === weights.length - 1 ? total : Math.round((total * passed) / sum);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}
