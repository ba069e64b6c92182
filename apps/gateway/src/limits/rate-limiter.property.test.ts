import { test } from "@tollgate/testkit/test.ts";
import fc from "fast-check";
import { expect } from "vitest";
import type { RateLimitReservation } from "./limit.ts";
import { limitedCaller, startLimiter } from "./limiter.fixture.ts";

interface Running {
  readonly process: number;
  readonly taken: RateLimitReservation;
  readonly tokens: number;
}

const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("take" as const), process: fc.nat(1), tokens: fc.nat(60) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("finish" as const),
      index: fc.nat(20),
      usedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
);

test("no sequence of calls and corrections in two processes exceeds a limit", async ({ redis }) => {
  const processes = [startLimiter(redis.url), startLimiter(redis.url)];
  for (const process of processes) await process.ready();
  const limits = fc.record({
    rpm: fc.integer({ min: 1, max: 150 }),
    tpm: fc.integer({ min: 1, max: 3_000 }),
    maxParallel: fc.integer({ min: 1, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(limits, fc.array(command, { minLength: 5, maxLength: 60 }), async (given, history) => {
      const caller = limitedCaller({
        key: { rpm: given.rpm, tpm: given.tpm },
        team: { maxParallel: given.maxParallel },
      });
      const running: Running[] = [];
      let requests = 0;
      let tokens = 0;
      for (const step of history) {
        if (step.kind === "take") {
          const taken = await processes[step.process]?.take(caller, step.tokens);
          if (taken?.kind !== "taken") continue;
          running.push({ process: step.process, taken, tokens: step.tokens });
          requests += 1;
          tokens += step.tokens;
        } else {
          const [ended] = running.splice(step.index, 1);
          if (ended === undefined) continue;
          const used = Math.floor(ended.tokens * step.usedShare);
          tokens -= ended.tokens - used;
          processes[ended.process]?.limiter.finish(ended.taken, used);
        }
        expect(requests).toBeLessThanOrEqual(given.rpm);
        expect(tokens).toBeLessThanOrEqual(given.tpm);
        expect(running.length).toBeLessThanOrEqual(given.maxParallel);
      }
      for (const { process, taken } of running) processes[process]?.limiter.finish(taken, 0);
    }),
    { numRuns: 100 },
  );
  for (const process of processes) {
    expect(process.messages).toEqual([]);
    process.close();
  }
});
