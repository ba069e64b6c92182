import { expect, test } from "vitest";
import { ALWAYS_SERVED, PressureGauge, type PressureSample } from "./pressure.ts";

const calm: PressureSample = { lagMs: 2, heapPart: 0.3, unsentBytes: 0, inFlight: 400 };
const MIB = 1024 * 1024;

function gaugeAfter(...samples: Partial<PressureSample>[]): PressureGauge & { exhausted: number } {
  const gauge = Object.assign(
    new PressureGauge(() => {
      gauge.exhausted += 1;
    }),
    { exhausted: 0 },
  );
  for (const sample of samples) gauge.note({ ...calm, ...sample });
  return gauge;
}

const times = (count: number, sample: Partial<PressureSample>) => Array<Partial<PressureSample>>(count).fill(sample);
const shed = (gauge: PressureGauge) => (["read", "background", "usual"] as const).filter((one) => gauge.sheds(one));

test("reads and background calls are shed after one second of lag, but not after a brief lag", () => {
  expect(shed(gaugeAfter(...times(3, { lagMs: 60 })))).toEqual([]);
  expect(shed(gaugeAfter(...times(4, { lagMs: 60 })))).toEqual(["read", "background"]);
  expect(shed(gaugeAfter(...times(8, { lagMs: 60 }), calm))).toEqual([]);
});

test.for([
  [{ heapPart: 0.7 }, []],
  [{ heapPart: 0.8 }, ["read", "background"]],
  [{ heapPart: 0.9 }, ["read", "background", "usual"]],
  [{ unsentBytes: 129 * MIB }, ["read", "background", "usual"]],
] as const)("after one sample with %o, the priorities %o are shed", ([sample, given]) => {
  expect(shed(gaugeAfter(sample))).toEqual(given);
});

test("a severely lagging process reduces its capacity to a minimum and then recovers fully", () => {
  const gauge = gaugeAfter({ lagMs: 200 });
  expect(gauge.room).toBe(Number.POSITIVE_INFINITY);
  gauge.note({ ...calm, lagMs: 200 });
  expect(gauge.room).toBe(280);
  for (let look = 0; look < 20; look += 1) gauge.note({ ...calm, lagMs: 200 });
  expect(gauge.room).toBe(ALWAYS_SERVED);
  gauge.note({ ...calm, inFlight: ALWAYS_SERVED });
  expect(gauge.room).toBeGreaterThan(ALWAYS_SERVED);
  let looks = 0;
  for (; gauge.room !== Number.POSITIVE_INFINITY && looks < 100; looks += 1) {
    gauge.note({ ...calm, inFlight: Math.min(gauge.room, 400) });
  }
  // Twenty samples take five seconds.
  expect(looks).toBeLessThanOrEqual(20);
});

test("reports persistent memory exhaustion once, and never reports brief exhaustion", () => {
  expect(gaugeAfter(...times(3, { heapPart: 0.96 }), calm, ...times(3, { heapPart: 0.96 })).exhausted).toBe(0);
  expect(gaugeAfter(...times(10, { heapPart: 0.96 })).exhausted).toBe(1);
});
