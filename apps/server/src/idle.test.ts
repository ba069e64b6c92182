import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { readEnginePorts } from "@tollgate/testkit/engine-ports.ts";
import { startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";

const WINDOW_MS = 5_000;
/** A start with an empty compile cache takes up to 80 MiB more than others, which take about 280. */
const MAX_RESIDENT_MIB = 400;
/** Time for the work after a start to end, such as compilation and the first round of every job. */
const CALM_LIMIT_MS = 120_000;

/** Counts how often each thread of these processes has waited for something so far. */
function countWaits(pids: readonly number[]): ReadonlyMap<string, number> {
  const waits = new Map<string, number>();
  for (const pid of pids) {
    const program = /(\w+)-child\.ts/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1] ?? "supervisor";
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8");
      const [, name = ""] = /^Name:\t(.*)$/m.exec(status) ?? [];
      const [, count = "0"] = /^voluntary_ctxt_switches:\t(\d+)$/m.exec(status) ?? [];
      const key = `${program} ${name}`;
      waits.set(key, (waits.get(key) ?? 0) + Number(count));
    }
  }
  return waits;
}

/** Measures the wake-ups per second of each thread. */
async function measureWakeups(pids: readonly number[]): Promise<Readonly<Record<string, number>>> {
  const before = countWaits(pids);
  const startedAtMs = performance.now();
  await pause(WINDOW_MS);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return Object.fromEntries(
    [...countWaits(pids)].map(([key, count]) => [key, (count - (before.get(key) ?? 0)) / seconds]),
  );
}

/** Returns the total resident memory of these processes. */
function readResidentMib(pids: readonly number[]): number {
  const kib = pids.map((pid) => /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return kib.reduce((sum, each) => sum + Number(each ?? 0), 0) / 1_024;
}

// A slow machine wakes up less often, so these limits hold on every machine. A start takes a while to calm down.
test("an idle instance rarely wakes up and is small", { timeout: CALM_LIMIT_MS + 120_000 }, async ({ database }) => {
  const instance = await startServe({
    databaseUrl: database.connectionString,
    env: { REDIS_URL: `redis://127.0.0.1:${readEnginePorts().redis}` },
  });
  onTestFinished(async () => void (await instance.stop()));
  const limits = { "supervisor MainThread": 1, "serve MainThread": 12, "serve worker": 8 };
  const startedAtMs = performance.now();
  for (;;) {
    const wakeups = await measureWakeups(instance.program.pids());
    const tooMany = Object.entries(limits).filter(([thread, limit]) => (wakeups[thread] ?? 0) > limit);
    if (tooMany.length === 0) break;
    if (performance.now() - startedAtMs > CALM_LIMIT_MS) expect(wakeups).toEqual(limits);
  }
  expect(readResidentMib(instance.program.pids())).toBeLessThan(MAX_RESIDENT_MIB);
});
