import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { PressureGauge, type PressureSample } from "./pressure.ts";
import { type ProcessWatch, watchProcess } from "./watch-process.ts";

const WAIT = { timeout: 60_000, interval: 20 };

class RecordingGauge extends PressureGauge {
  readonly samples: PressureSample[] = [];

  override note(sample: PressureSample): void {
    this.samples.push(sample);
    super.note(sample);
  }
}

interface Watched {
  readonly gauge: RecordingGauge;
  readonly watch: ProcessWatch;
  readonly calls: { inFlight: number };
}

function watchThis(): Watched {
  const gauge = new RecordingGauge(() => {});
  const calls = { inFlight: 0 };
  const watch = watchProcess(gauge, () => ({ ...calls, unsentBytes: 0 }));
  onTestFinished(() => watch.stop());
  return { gauge, watch, calls };
}

/** Occupies the event loop without a pause, in turns of this length. */
function occupy(turnMs: number): () => void {
  let isOver = false;
  const turn = () => {
    const endMs = performance.now() + turnMs;
    while (performance.now() < endMs);
    if (!isOver) setImmediate(turn);
  };
  turn();
  return () => {
    isOver = true;
  };
}

test("samples a process without calls at most every two seconds", async () => {
  const { gauge } = watchThis();
  await pause(3_500);
  const calm = gauge.samples.filter(({ lagMs }) => lagMs < 25).length;
  // A starved process is late, which rightly makes the samples frequent.
  if (calm === gauge.samples.length) expect(gauge.samples.length).toBeLessThanOrEqual(3);
});

test("samples more often from the first call until the last one has ended", async () => {
  const { gauge, watch, calls } = watchThis();
  calls.inFlight = 1;
  watch.wake();
  // Both timers are late on a slow machine, so the samples keep pace with these pauses on every machine.
  for (let index = 0; index < 8; index += 1) await pause(260);
  expect(gauge.samples.length).toBeGreaterThanOrEqual(6);
  calls.inFlight = 0;
  await vi.waitFor(() => expect(gauge.samples.at(-1)?.inFlight).toBe(0), WAIT);
});

test("reports the length of the event loop's turns while it is busy", async () => {
  const { gauge, watch, calls } = watchThis();
  calls.inFlight = 1;
  watch.wake();
  const release = occupy(80);
  onTestFinished(release);
  await vi.waitFor(() => expect(gauge.sheds("background")).toBe(true), WAIT);
  // The first sample starts the monitor, which may not have measured a delay at the second one.
  const lags = gauge.samples.slice(2).map(({ lagMs }) => lagMs);
  expect(Math.min(...lags)).toBeGreaterThan(50);
  release();
  calls.inFlight = 0;
  await vi.waitFor(() => expect(gauge.isCalm).toBe(true), WAIT);
});
