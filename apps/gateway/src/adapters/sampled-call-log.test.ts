import { createUuidV7Source } from "@tollgate/domain/ids.ts";
import fc from "fast-check";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { UnadmittedCall } from "../pipeline/log-unadmitted.ts";
import { SampledCallLog, type WeightedCall } from "./sampled-call-log.ts";

const AWAY = new Error("the database is away");

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 18, 12) });
  onTestFinished(() => void vi.useRealTimers());
});

function start(write: (calls: readonly WeightedCall[]) => Promise<void> = async () => {}) {
  const rows: WeightedCall[] = [];
  const failed: [number, boolean][] = [];
  const log = new SampledCallLog({
    write: async (calls) => {
      await write(calls);
      rows.push(...calls);
    },
    now: () => Date.now(),
    isTemporary: (error) => error === AWAY,
    onFailed: (count, willRetry) => failed.push([count, willRetry]),
  });
  return { log, rows, failed, total: () => rows.reduce((sum, { weight }) => sum + weight, 0) };
}

const newId = createUuidV7Source(() => Date.now());

function callOf(changes: Partial<UnadmittedCall> = {}): UnadmittedCall {
  return {
    id: newId(),
    organizationId: "org_1",
    teamId: "team_1",
    keyId: "key_1",
    userId: null,
    requestId: "r",
    session: null,
    endpoint: "chat.completions",
    modelGroup: "",
    requestedModel: "sim/ech",
    isStream: false,
    httpStatus: 404,
    errorCode: "model_not_found",
    class: "rejected",
    param: "model",
    facts: {},
    ...changes,
  };
}

test("gives the first calls of a key and code their own rows, and counts a flood in one more row", async () => {
  const { log, rows } = start();
  for (let index = 0; index < 500; index += 1) log.note(callOf({ requestId: `r${index}`, session: `s${index}` }));
  log.note(callOf({ errorCode: "validation_error", httpStatus: 422 }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rows.map(({ weight }) => weight)).toEqual(Array.from({ length: 11 }, () => 1));
  await vi.advanceTimersByTimeAsync(11_000);
  expect(rows).toHaveLength(12);
  expect(rows[0]).toMatchObject({ session: "s0" });
  // The calls of the sample belong to different sessions.
  expect(rows[11]).toMatchObject({ weight: 490, requestId: "r499", session: null });
});

test("counts every call exactly once, however calls, pauses, and outages follow each other", async () => {
  const step = fc.oneof(
    fc.record({ calls: fc.integer({ min: 1, max: 400 }), key: fc.constantFrom("a", "b", "c") }),
    fc.record({ pauseMs: fc.integer({ min: 1, max: 30 * 60_000 }) }),
    fc.record({ isAway: fc.boolean() }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      let isAway = false;
      const { log, rows, failed, total } = start(async () => {
        if (isAway) throw AWAY;
      });
      const sent = new Map<string, number>();
      for (const one of steps) {
        if ("isAway" in one) isAway = one.isAway;
        else if ("pauseMs" in one) await vi.advanceTimersByTimeAsync(one.pauseMs);
        else {
          sent.set(one.key, (sent.get(one.key) ?? 0) + one.calls);
          for (let index = 0; index < one.calls; index += 1) log.note(callOf({ keyId: one.key }));
        }
      }
      isAway = false;
      await Promise.all([log.flush(), vi.advanceTimersByTimeAsync(5_000)]);
      expect(log.waiting).toBe(0);
      expect(failed.filter(([, willRetry]) => !willRetry)).toEqual([]);
      for (const [key, calls] of sent) {
        const weights = rows.filter(({ keyId }) => keyId === key).map(({ weight }) => weight);
        expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(calls);
      }
      expect(total()).toBe([...sent.values()].reduce((sum, calls) => sum + calls, 0));
    }),
    { numRuns: 40 },
  );
});

test("never counts calls of two rollups, models, or endpoints in one row", async () => {
  const { log, rows } = start();
  const changes = [{}, { modelGroup: "alpha" }, { endpoint: "embeddings" }];
  for (let minute = 0; minute < 2; minute += 1) {
    for (const change of changes) for (let index = 0; index < 50; index += 1) log.note(callOf(change));
    vi.setSystemTime(Date.now() + 15 * 60_000);
  }
  await log.flush();
  const groups = new Map<string, number>();
  for (const { id, modelGroup, endpoint, weight } of rows) {
    const name = `${id.slice(0, 8)} ${modelGroup} ${endpoint}`;
    groups.set(name, (groups.get(name) ?? 0) + weight);
  }
  expect([...groups.values()]).toEqual([50, 50, 50, 50, 50, 50]);
});

test("holds a fixed number of rows while the database hangs, and reports every call that it drops", async () => {
  const { log, failed } = start(() => new Promise(() => {}));
  for (let index = 0; index < 5_000; index += 1) {
    log.note(callOf({ keyId: `key_${index}`, organizationId: `org_${index}` }));
    if (index === 500) await vi.advanceTimersByTimeAsync(1_000);
  }
  const dropped = failed.reduce((sum, [count]) => sum + count, 0);
  expect(log.waiting).toBeLessThan(3_000);
  expect(log.waiting + dropped).toBe(5_000);
});

test("gives up at shutdown if the database is unavailable, and reports what is lost", async () => {
  const { log, failed } = start(async () => {
    throw AWAY;
  });
  for (let index = 0; index < 25; index += 1) log.note(callOf());
  await Promise.all([log.flush(), vi.advanceTimersByTimeAsync(10_000)]);
  expect(log.waiting).toBe(0);
  expect(failed.at(-1)).toEqual([25, false]);
});

test("drops a row that the database rejects, so that it doesn't block later rows", async () => {
  const { log, rows, failed } = start(async (calls) => {
    if (calls.some(({ keyId }) => keyId === "odd")) throw new Error("invalid input syntax");
  });
  log.note(callOf({ keyId: "odd" }));
  await vi.advanceTimersByTimeAsync(3_000);
  log.note(callOf());
  await vi.advanceTimersByTimeAsync(3_000);
  expect(failed).toEqual([[1, false]]);
  expect(rows).toHaveLength(1);
});
